//! The header of a `.npy` file: what the elements are and how many.
//!
//! The grammar is left to `npyz`, behind four guards, because the bytes may come from anywhere:
//!
//! - It allocates whatever length the file claims, up to 4 GiB: the length is bounded here first.
//! - Its parser recurses once for each bracket and tries a nested one again for each way it could
//!   be meant, which takes exponential time: more brackets than the one dictionary and the one
//!   shape never reach it.
//! - It multiplies the shape's dimensions without looking at overflow, which panics in a debug
//!   build and wraps in a release build: the shape is cut out and multiplied here, and it sees the
//!   shape `()`.
//! - It knows neither the byte order `=` nor a `|` before a number of several bytes, which NumPy
//!   takes for this machine's order: they are spelt out.

use std::io::Read;

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr};

use halofold::Element;

use super::{InputError, fill};

/// How every `.npy` file begins.
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// How a zip archive begins, which is what a `.npz` file is.
const ZIP_MAGIC: &[u8; 4] = b"PK\x03\x04";

/// The longest header that is read: the longest there is in version 1.0. Sixty-four dimensions need
/// less than 2 KiB, and only the field names of structured arrays, which are no input here, ever
/// made a longer one.
const LONGEST: u32 = u16::MAX as u32;

/// What the header of an array says.
#[derive(Debug)]
pub struct Header {
    /// What the elements are, or what they become because they are narrower.
    pub element: Element,
    /// How many bytes one takes in the file.
    pub stored: usize,
    /// The array's dimensions.
    pub shape: Vec<u64>,
    /// Whether the first dimension runs fastest, as in Fortran, instead of the last.
    pub fortran: bool,
    /// Whether their byte order is not this machine's.
    pub swap: bool,
    /// How many bytes they take.
    pub bytes: u64,
    /// How many bytes come before them.
    pub start: u64,
}

/// Reads the header off `reader`, which is left at the first element. Integers of 8 and 16 bits are taken only with `narrow`.
pub fn read(mut reader: impl Read, name: &str, narrow: bool) -> Result<Header, InputError> {
    let version = read_version(&mut reader, name)?;
    let (text, start) = read_text(&mut reader, version, name)?;
    let (dictionary, shape) = cut_shape(&text, name)?;
    let parsed = parse(&dictionary).map_err(|reason| complaint(&text, reason, name))?;
    let dtype = interpret(&parsed.dtype());
    let taken = dtype.filter(|(element, stored, _)| narrow || element.size() == *stored as u64);
    let (element, stored, swap) = taken.ok_or_else(|| refused_dtype(&text, name))?;
    let sizes = dimensions(&shape).map_err(|reason| InputError::header(name, reason))?;
    let bytes = count(&sizes).and_then(|count| count.checked_mul(stored as u64));
    let bytes = bytes.ok_or_else(|| too_large(&shape, name))?;
    Ok(Header {
        element,
        stored,
        shape: sizes,
        fortran: parsed.order() == Order::Fortran,
        swap,
        bytes,
        start,
    })
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

/// Makes text of the header's bytes, on one line as the parser wants it.
fn decode(bytes: Vec<u8>, version: u8, name: &str) -> Result<String, InputError> {
    let text = if version >= 3 {
        String::from_utf8(bytes).map_err(|_| InputError::header(name, "it is no UTF-8 text"))?
    } else {
        // The versions before are Latin-1, whose bytes are the first characters of Unicode.
        bytes.into_iter().map(char::from).collect()
    };
    Ok(text.replace(['\n', '\r'], " "))
}

/// Takes the shape out of the header: what is left, with `()` in its place, and what stood between
/// the parentheses.
///
/// Brackets count wherever they stand, even in a string: no quoting, however odd, hides one from
/// this guard.
fn cut_shape(text: &str, name: &str) -> Result<(String, String), InputError> {
    if text.contains('[') {
        return Err(refused_dtype(text, name));
    }
    if text.matches(['{', '(']).count() > 2 {
        return Err(InputError::header(name, "it has more brackets than an array of numbers needs"));
    }
    let cut = text
        .split_once('(')
        .and_then(|(before, rest)| rest.split_once(')').map(|(shape, after)| (before, shape, after)));
    let Some((before, shape, after)) = cut else {
        return Err(InputError::header(name, "it has no shape"));
    };
    Ok((format!("{before}(){after}"), shape.to_owned()))
}

/// Lets `npyz` read the dictionary, as a file of its own, and says in a few words what it does not
/// like.
fn parse(dictionary: &str) -> Result<NpyHeader, String> {
    let text = with_native_order(dictionary);
    let length = u32::try_from(text.len()).map_err(|_| "it is too long".to_owned())?;
    let mut file = MAGIC.to_vec();
    file.extend([3, 0]);
    file.extend(length.to_le_bytes());
    file.extend(text.into_bytes());
    NpyHeader::from_reader(&file[..]).map_err(|error| one_line(&error.to_string()))
}

/// Writes this machine's byte order where a type string leaves it open.
fn with_native_order(dictionary: &str) -> String {
    let native = Endianness::of_machine();
    let mut text = dictionary.to_owned();
    for quote in ['\'', '"'] {
        for open in ['=', '|'] {
            text = text.replace(&format!("{quote}{open}"), &format!("{quote}{native}"));
        }
    }
    text
}

/// The element type that a dtype is or, of integers of 8 and 16 bits, becomes, if there is one; the bytes of one, and
/// whether they need swapping.
fn interpret(dtype: &DType) -> Option<(Element, usize, bool)> {
    let DType::Plain(kind) = dtype else {
        return None;
    };
    let element = match (kind.type_char(), kind.size_field()) {
        (TypeChar::Uint, 1 | 2 | 4) | (TypeChar::Bool, 1) => Element::U32,
        (TypeChar::Int, 1 | 2 | 4) => Element::I32,
        (TypeChar::Float, 4) => Element::F32,
        (TypeChar::Float, 8) => Element::F64,
        (TypeChar::Int, 8) => Element::I64,
        (TypeChar::Uint, 8) => Element::U64,
        (TypeChar::Float, 2) => Element::F16,
        _ => return None,
    };
    let stored = kind.size_field() as usize;
    // A single byte has no order, whatever a writer says.
    Some((element, stored, stored > 1 && kind.endianness() != Endianness::of_machine()))
}

/// How many elements an array of these dimensions has, if 64 bits count them.
fn count(dimensions: &[u64]) -> Option<u64> {
    // A product with a zero in it is zero, however large the rest.
    if dimensions.contains(&0) {
        return Some(0);
    }
    dimensions.iter().try_fold(1u64, |count, size| count.checked_mul(*size))
}

/// The numbers of a tuple, given what stands between its parentheses.
fn dimensions(shape: &str) -> Result<Vec<u64>, String> {
    let shape = shape.trim();
    if shape.is_empty() {
        return Ok(Vec::new());
    }
    if !shape.contains(',') {
        return Err(format!("its shape ({}) is no tuple", excerpt(shape)));
    }
    let items = shape.strip_suffix(',').unwrap_or(shape);
    items.split(',').map(dimension).collect()
}

/// One number of a shape. Python 2 wrote an `L` after some.
fn dimension(item: &str) -> Result<u64, String> {
    let digits = item.trim();
    let digits = digits.strip_suffix('L').unwrap_or(digits);
    digits.parse().map_err(|_| {
        let item = excerpt(item.trim());
        format!("the dimension `{item}` is no whole number from 0 to 2^64 - 1")
    })
}

/// Where the value of the key `descr` begins.
fn descr(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("descr")?;
    let value = rest.trim_start_matches(['\'', '"']).trim_start();
    Some(value.strip_prefix(':')?.trim_start())
}

/// The characters of the type string, where the dtype is one.
fn type_string(text: &str) -> Option<&str> {
    let value = descr(text)?;
    let quote = value.chars().next().filter(|first| ['\'', '"'].contains(first))?;
    value.split(quote).nth(1)
}

/// The error for a dictionary that `npyz` does not take.
///
/// A type string that it has never heard of is no damage to the file: then say which types work.
fn complaint(text: &str, reason: String, name: &str) -> InputError {
    let known = |kind: &str| kind.parse::<TypeStr>().is_ok();
    match type_string(&with_native_order(text)) {
        Some(kind) if !known(kind) => refused_dtype(text, name),
        _ => InputError::header(name, reason),
    }
}

/// The error for an array of something else than the seven element types.
fn refused_dtype(text: &str, name: &str) -> InputError {
    let structured = || {
        let value = descr(text).unwrap_or(text);
        value.rfind(']').map_or(value, |end| &value[..=end])
    };
    InputError::Dtype { name: name.to_owned(), dtype: excerpt(type_string(text).unwrap_or_else(structured)) }
}

/// The error for a shape that 64 bits do not count.
fn too_large(shape: &str, name: &str) -> InputError {
    InputError::TooLarge { name: name.to_owned(), shape: excerpt(shape) }
}

/// One line of a message. A syntax error draws a picture of the place and says what it is below.
fn one_line(message: &str) -> String {
    match message.trim_end().rsplit_once('\n') {
        Some((_, last)) => excerpt(&format!("syntax error: {}", last.trim_start_matches(['=', ' ']))),
        None => excerpt(message),
    }
}

/// As much of a file's text as belongs into a message, without what could move a terminal's cursor.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut short: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}
