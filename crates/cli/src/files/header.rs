//! The header of a `.npy` file: type, shape and number of elements.
//!
//! The header's declared length is not trusted: at most `LONGEST` bytes are read.

use std::io::Read;

use serde::Deserialize;
use serde_json::Value;

use super::bare::Bare;
use super::error::Fault;
use super::npy;
use super::reader::fill;
use super::stored::Stored;
use crate::output::visible;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The first bytes of a zip archive, which a `.npz` file is.
const ZIP_MAGIC: &[u8; 4] = b"PK\x03\x04";

/// The longest header that is read, in bytes: the maximum of format version 1.0. Sixty-four dimensions need less than 2 KiB.
/// Only field names of structured arrays, which are refused, make a header longer.
const LONGEST: u32 = u16::MAX as u32;

/// The elements of a file, as a header describes them.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) stored: Stored,
    pub(crate) shape: Vec<u64>,
    /// True if the first dimension is contiguous, as in Fortran.
    pub(crate) fortran: bool,
    /// True if the elements' byte order differs from this machine's.
    pub(crate) swap: bool,
    /// Size of all elements in bytes. `None` for bare elements of a stream, until its end.
    pub(crate) bytes: Option<u64>,
    /// Offset of the first element in bytes.
    pub(crate) start: u64,
}

impl Header {
    /// Describes bare elements, which have no header. `length` is the file's size in bytes, `None` for a stream.
    pub(crate) fn bare(bare: &Bare, length: Option<u64>) -> Result<Self, Fault> {
        let shape = length.map_or(Ok(Vec::new()), |length| shape_of(bare, length))?;
        let swap = cfg!(target_endian = "big");
        Ok(Header { stored: bare.stored, shape, fortran: false, swap, bytes: length, start: 0 })
    }

    /// Reads the header from `reader` and leaves `reader` at the first element.
    pub(crate) fn read(mut reader: impl Read) -> Result<Self, Fault> {
        let version = read_version(&mut reader)?;
        let (text, start) = read_text(&mut reader, version)?;
        let Dictionary { descr, fortran_order: fortran, shape } = dictionary(&text)?;
        let descr = descr.as_str().map_or_else(|| descr.to_string(), str::to_owned);
        let (stored, swap) = interpret(&descr).ok_or_else(|| Fault::Dtype(excerpt(&descr)))?;
        let bytes = bytes(&shape, stored.size()).ok_or_else(|| too_large(&shape))?;
        Ok(Header { stored, shape, fortran, swap, bytes: Some(bytes), start })
    }

    /// Completes the description of bare elements from a stream once its `length` is known.
    pub(crate) fn with_length(self, raw: Option<&Bare>, length: u64) -> Result<Self, Fault> {
        match raw.filter(|_| self.bytes.is_none()) {
            Some(bare) => Header::bare(bare, Some(length)),
            None => Ok(self),
        }
    }
}

/// Returns the dimensions of bare elements that take `length` bytes.
fn shape_of(bare: &Bare, length: u64) -> Result<Vec<u64>, Fault> {
    let Bare { stored, dimensions } = bare;
    if !length.is_multiple_of(stored.size()) {
        return Err(Fault::Unreadable(format!(
            "{length} bytes are not a multiple of the {} bytes of one {stored}; give --raw the type the file was written with",
            stored.size()
        )));
    }
    let shape = dimensions.of(length / stored.size());
    let expected = bytes(&shape, stored.size()).ok_or_else(|| too_large(&shape))?;
    if expected != length {
        return Err(Fault::Unreadable(format!(
            "has {length} bytes, and shape {} takes {expected}; give --shape the dimensions it was written with",
            excerpt(&npy::tuple(&shape))
        )));
    }
    Ok(shape)
}

pub(crate) fn begins_archive(reader: impl Read) -> bool {
    let mut start = [0; ZIP_MAGIC.len()];
    fill(reader, &mut start).is_ok() && start == *ZIP_MAGIC
}

pub(crate) fn begins(mut reader: impl Read) -> bool {
    read_version(&mut reader).is_ok()
}

/// Reads the magic bytes and the format's version, and returns its major number.
fn read_version(reader: &mut impl Read) -> Result<u8, Fault> {
    let mut start = [0; MAGIC.len() + 2];
    let found = fill(reader, &mut start)?;
    let start = &start[..found];
    let magic = &start[..found.min(MAGIC.len())];
    if start.is_empty() {
        return Err(Fault::Empty);
    }
    if start.starts_with(ZIP_MAGIC) {
        return Err(Fault::Archive);
    }
    if !MAGIC.starts_with(magic) {
        return Err(Fault::NotNpy);
    }
    match start.get(MAGIC.len()..) {
        Some(&[major @ 1..=3, 0]) => Ok(major),
        Some(&[major, minor]) => Err(Fault::Unreadable(format!(
            "is in .npy format version {major}.{minor}, and versions 1.0, 2.0 and 3.0 can be read; write it again with numpy.save"
        ))),
        _ => Err(truncated(10, found as u64)),
    }
}

fn too_large(shape: &[u64]) -> Fault {
    let shape = excerpt(&npy::tuple(shape));
    Fault::Unreadable(format!(
        "its shape {shape} means more than 2^63 bytes; the file is damaged: write it again with numpy.save"
    ))
}

fn truncated(expected: u64, found: u64) -> Fault {
    Fault::Truncated { part: "header", expected, found }
}

/// Reads the header's text. Also returns the offset of the first element in bytes.
fn read_text(reader: &mut impl Read, version: u8) -> Result<(String, u64), Fault> {
    let width = if version == 1 { 2 } else { 4 };
    let prefix = MAGIC.len() + 2 + width;
    let mut length = [0; 4];
    let found = fill(&mut *reader, &mut length[..width])?;
    if found < width {
        return Err(truncated(prefix as u64, (prefix - width + found) as u64));
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(Fault::Unreadable(format!(
            "claims a header of {length} bytes, where an array of numbers needs less than {LONGEST}; write the file again with numpy.save"
        )));
    }
    let mut text = vec![0; length as usize];
    let found = prefix as u64 + fill(reader, &mut text)? as u64;
    let start = prefix as u64 + u64::from(length);
    if found < start {
        return Err(truncated(start, found));
    }
    Ok((decode(text, version)?, start))
}

fn decode(bytes: Vec<u8>, version: u8) -> Result<String, Fault> {
    if version >= 3 {
        return String::from_utf8(bytes).map_err(|_| Fault::Header("it is not UTF-8 text".to_owned()));
    }
    // Versions before 3.0 are Latin-1, whose bytes equal the first 256 characters of Unicode.
    Ok(bytes.into_iter().map(char::from).collect())
}

/// Parses a dtype string. Returns the stored type and whether its bytes need swapping.
pub(crate) fn interpret(descr: &str) -> Option<(Stored, bool)> {
    let kind = descr.trim_start_matches(['<', '>', '=', '|']);
    let stored = Stored::of_numpy(kind)?;
    let big = match &descr[..descr.len() - kind.len()] {
        "<" => false,
        ">" => true,
        // This machine's byte order, as NumPy reads it.
        "" | "=" | "|" => cfg!(target_endian = "big"),
        _ => return None,
    };
    // A single byte has no order, whatever its dtype claims.
    Some((stored, stored.size() > 1 && big != cfg!(target_endian = "big")))
}

/// The dictionary of a header: the three keys of an array.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dictionary {
    /// A string, or a list if the array is structured.
    descr: Value,
    fortran_order: bool,
    shape: Vec<u64>,
}

/// Parses a Python dictionary. It differs from JSON in quotes, tuples, Booleans and trailing commas.
fn dictionary(text: &str) -> Result<Dictionary, Fault> {
    let mut json = String::new();
    for c in text.chars() {
        if [')', ']', '}'].contains(&c) {
            json.truncate(json.trim_end_matches([' ', ',']).len());
        }
        json.push(match c {
            '\'' => '"',
            '(' => '[',
            ')' => ']',
            other => other,
        });
    }
    let json = json.replace("True", "true").replace("False", "false");
    serde_json::from_str(&json).map_err(|error| Fault::Header(excerpt(&error.to_string())))
}

/// Shortens text from a file for a message and removes control characters.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    let short: String = text.chars().take(LONGEST).collect();
    visible(&short, &[]) + if short.len() < text.len() { "…" } else { "" }
}

/// Returns the size in bytes of an array with these dimensions; `None` if it exceeds NumPy's limit, even if a dimension is 0.
fn bytes(dimensions: &[u64], size: u64) -> Option<u64> {
    let others =
        dimensions.iter().filter(|size| **size > 0).try_fold(size, |all, size| all.checked_mul(*size));
    let all = others.filter(|bytes| i64::try_from(*bytes).is_ok())?;
    Some(if dimensions.contains(&0) { 0 } else { all })
}
