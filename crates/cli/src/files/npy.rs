//! Writing `.npy` files.

use std::io::{self, Write};
use std::path::Path;

use halofold::Element;

use crate::failure::Failure;

/// The header's length is a multiple of this, padding included.
const ALIGNMENT: usize = 64;

/// Bytes before the header's text: the magic, the version and the length.
const PREFIX: usize = 10;

/// Writes an array: dtype string, dimensions, Fortran order or not, elements.
pub fn write(
    mut file: impl Write,
    descr: &str,
    shape: &[u64],
    fortran: bool,
    bytes: &[u8],
) -> io::Result<()> {
    let order = if fortran { "True" } else { "False" };
    let shape = tuple(shape);
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let length = (PREFIX + text.len() + 1).next_multiple_of(ALIGNMENT) - PREFIX;
    text = format!("{text:<0$}\n", length - 1);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&u16::try_from(length).map_err(io::Error::other)?.to_le_bytes())?;
    file.write_all(text.as_bytes())?;
    file.write_all(bytes)
}

/// Returns an array in C order as a file; without elements, the header.
pub fn file(descr: &str, shape: &[u64], bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut file = Vec::new();
    write(&mut file, descr, shape, false, bytes).map_err(Failure::usage)?;
    Ok(file)
}

/// Returns the dtype string of floats in this machine's byte order.
pub fn floats(element: Element) -> String {
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    format!("{order}f{}", element.size())
}

pub fn tuple(shape: &[u64]) -> String {
    let sizes: Vec<_> = shape.iter().map(u64::to_string).collect();
    format!("({}{})", sizes.join(", "), if shape.len() == 1 { "," } else { "" })
}

pub fn is_named(path: &Path) -> bool {
    has_extension(path, "npy")
}

pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

pub fn check_output(option: &str, path: &Path) -> Result<(), Failure> {
    if is_named(path) {
        return Ok(());
    }
    Err(refusal!("{option} {}: the name must end in .npy", path.display()))
}
