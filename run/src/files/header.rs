//! The header of a `.npy` file: what the elements are and how many.
//!
//! Whatever length a header claims, no more is read than an array of numbers needs; `grammar` reads what it says.

use std::io::Read;

use halofold::Element;

use super::grammar::{self, Dictionary, Fault, excerpt};
use super::{InputError, Stored, fill};

/// The first bytes of every `.npy` file.
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The first bytes of a zip archive, which a `.npz` file is.
const ZIP_MAGIC: &[u8; 4] = b"PK\x03\x04";

/// The longest header that is read: the longest there is in version 1.0. Sixty-four dimensions need
/// less than 2 KiB, and only the field names of structured arrays, which are no input here, ever
/// made a longer one.
const LONGEST: u32 = u16::MAX as u32;

/// The header of an array.
#[derive(Debug)]
pub(crate) struct Header {
    /// The type of the elements.
    pub(crate) stored: Stored,
    /// The array's dimensions.
    pub(crate) shape: Vec<u64>,
    /// True if the first dimension runs fastest, as in Fortran, instead of the last.
    pub(crate) fortran: bool,
    /// True if their byte order is not this machine's.
    pub(crate) swap: bool,
    /// The number of bytes they take.
    pub(crate) bytes: u64,
    /// The number of bytes before them.
    pub(crate) start: u64,
}

/// Reads the header off `reader`, which is left at the first element. Booleans and integers of 8 and 16 bits are taken only
/// with `narrow`.
pub(crate) fn read(mut reader: impl Read, name: &str, narrow: bool) -> Result<Header, InputError> {
    let version = read_version(&mut reader, name)?;
    let (text, start) = read_text(&mut reader, version, name)?;
    let Dictionary { descr, fortran, shape, shape_text } =
        grammar::dictionary(&text).map_err(|fault| complaint(fault, name, narrow))?;
    let taken = interpret(descr).filter(|(stored, _)| narrow || !stored.is_packed());
    let (stored, swap) = taken.ok_or_else(|| InputError::dtype(name, excerpt(descr), narrow))?;
    let bytes = bytes(&shape, stored.size())
        .ok_or_else(|| InputError::TooLarge { name: name.to_owned(), shape: excerpt(shape_text) })?;
    Ok(Header { stored, shape, fortran, swap, bytes, start })
}

/// True if a file begins as an array does.
pub(crate) fn begins(mut reader: impl Read, name: &str) -> bool {
    read_version(&mut reader, name).is_ok()
}

/// Reads the magic and the format's version, of which the first number is enough to go on with.
fn read_version(reader: &mut impl Read, name: &str) -> Result<u8, InputError> {
    let mut start = [0; MAGIC.len() + 2];
    let found = fill(reader, &mut start, name)?;
    let start = &start[..found];
    let magic = &start[..found.min(MAGIC.len())];
    if start.is_empty() {
        return Err(InputError::Empty { name: name.into() });
    }
    if start.starts_with(ZIP_MAGIC) {
        return Err(InputError::Archive { name: name.into() });
    }
    if !MAGIC.starts_with(magic) {
        return Err(InputError::NotNpy { name: name.into() });
    }
    match start.get(MAGIC.len()..) {
        Some(&[major @ 1..=3, 0]) => Ok(major),
        Some(&[major, minor]) => Err(InputError::Version { name: name.into(), major, minor }),
        _ => Err(InputError::truncated(name, "header", 10, found as u64)),
    }
}

/// Reads the header's text and returns with it how many bytes came before the elements.
fn read_text(reader: &mut impl Read, version: u8, name: &str) -> Result<(String, u64), InputError> {
    let width = if version == 1 { 2 } else { 4 };
    let prefix = MAGIC.len() + 2 + width;
    let mut length = [0; 4];
    let found = fill(&mut *reader, &mut length[..width], name)?;
    if found < width {
        let found = prefix - width + found;
        return Err(InputError::truncated(name, "header", prefix as u64, found as u64));
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(InputError::LongHeader { name: name.into(), length, limit: LONGEST });
    }
    let mut text = vec![0; length as usize];
    let found = prefix as u64 + fill(reader, &mut text, name)? as u64;
    let start = prefix as u64 + u64::from(length);
    if found < start {
        return Err(InputError::truncated(name, "header", start, found));
    }
    Ok((decode(text, version, name)?, start))
}

/// Makes text of the header's bytes.
fn decode(bytes: Vec<u8>, version: u8, name: &str) -> Result<String, InputError> {
    if version >= 3 {
        return String::from_utf8(bytes).map_err(|_| InputError::header(name, "it is not UTF-8 text"));
    }
    // The versions before are Latin-1, whose bytes are the first characters of Unicode.
    Ok(bytes.into_iter().map(char::from).collect())
}

/// The type that a type string names, if there is one, and whether its bytes need swapping.
fn interpret(descr: &str) -> Option<(Stored, bool)> {
    let kind = descr.trim_start_matches(['<', '>', '=', '|']);
    let stored = match kind {
        "b1" | "?" | "bool" => Stored::Bool,
        "u1" | "uint8" => Stored::U8,
        "u2" | "uint16" => Stored::U16,
        "u4" | "uint32" => Element::U32.into(),
        "u8" | "uint64" => Element::U64.into(),
        "i1" | "int8" => Stored::I8,
        "i2" | "int16" => Stored::I16,
        "i4" | "int32" => Element::I32.into(),
        "i8" | "int64" => Element::I64.into(),
        "f2" | "float16" => Element::F16.into(),
        "f4" | "float32" => Element::F32.into(),
        "f8" | "float64" => Element::F64.into(),
        _ => return None,
    };
    let big = match &descr[..descr.len() - kind.len()] {
        "<" => false,
        ">" => true,
        // This machine's, as NumPy takes them.
        "" | "=" | "|" => cfg!(target_endian = "big"),
        _ => return None,
    };
    // A single byte has no order, whatever a writer says.
    Some((stored, stored.size() > 1 && big != cfg!(target_endian = "big")))
}

/// Bytes of an array of these dimensions. `None` if those other than zero already mean more than NumPy takes.
fn bytes(dimensions: &[u64], size: u64) -> Option<u64> {
    let others =
        dimensions.iter().filter(|size| **size > 0).try_fold(size, |all, size| all.checked_mul(*size));
    let all = others.filter(|bytes| i64::try_from(*bytes).is_ok())?;
    Some(if dimensions.contains(&0) { 0 } else { all })
}

/// The error for a header that does not describe an array of numbers.
fn complaint(fault: Fault, name: &str, narrow: bool) -> InputError {
    match fault {
        Fault::Structured(fields) => InputError::dtype(name, fields, narrow),
        Fault::Malformed(reason) => InputError::header(name, reason),
    }
}
