//! Errors of data files.

use std::io;

use super::STANDARD_INPUT;

/// An error that prevents reading a data file. The message begins with the file's name and ends with a
/// remedy.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {fault}{remedy}")]
pub struct InputError {
    pub name: String,
    pub fault: Fault,
    remedy: &'static str,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    #[error("no such file; check the path")]
    Missing,
    #[error("permission denied; make the file readable for this user")]
    Denied,
    #[error("is a directory; name the files in it")]
    Directory,
    #[error("cannot be opened: {0}; check the path and the disk")]
    Open(io::Error),
    #[error("cannot be read: {0}; check the disk or the program that writes the data")]
    Read(io::Error),
    #[error("is empty; write it with numpy.save")]
    Empty,
    /// A zip archive from a stream: its directory is at its end.
    #[error("is a .npz archive in a stream; write it to a file first")]
    Archive,
    #[error("is no .npz archive, or a damaged one: {0}; copy it again, or write it with numpy.savez")]
    Zip(String),
    /// The archive has no array of this name, or several and none was named. Lists the names.
    #[error("name one of the arrays in the archive, as in FILE.npz:NAME: {0}")]
    Member(String),
    #[error("is not an array that NumPy wrote; write it with numpy.save")]
    NotNpy,
    /// `--raw` was given for a `.npy` file.
    #[error("is a .npy file, whose header has the type; leave out --raw")]
    NotBare,
    #[error("{0}")]
    Unreadable(String),
    /// A header that violates the format, with the reason.
    #[error("malformed .npy header: {0}; write the file again with numpy.save")]
    Header(String),
    /// An unsupported dtype, as the header spells it, shortened if it is long.
    #[error("has dtype `{0}`; supported are u4 i4 f4 f8 i8 u8 f2 u1 i1 u2 i2 b1; {remedy}", remedy = remedy(.0))]
    Dtype(String),
    #[error("truncated: {expected} bytes of {part} expected, {found} found; copy or write the file again")]
    Truncated {
        /// The truncated part: `header` or `data`.
        part: &'static str,
        expected: u64,
        found: u64,
    },
}

impl InputError {
    /// Makes the error of a file, named as on the command line. `is_bare` if `--raw` was given.
    pub(super) fn new(name: &str, fault: Fault, is_bare: bool) -> Self {
        let name = if name == STANDARD_INPUT { "standard input" } else { name };
        let remedy = match fault {
            Fault::NotNpy if !is_bare => ", or read its bytes as bare elements with --raw TYPE",
            Fault::NotBare => "; leave out --raw",
            Fault::Empty => ", or give --raw TYPE where no elements are meant",
            _ => "",
        };
        InputError { name: name.to_owned(), fault, remedy }
    }
}

impl Fault {
    pub(crate) fn opening(cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::NotFound => Fault::Missing,
            io::ErrorKind::PermissionDenied => Fault::Denied,
            _ => Fault::Open(cause),
        }
    }
}

fn remedy(dtype: &str) -> &'static str {
    let kind = dtype.trim_start_matches(['<', '>', '=', '|']);
    match kind.chars().next() {
        Some('c') => "it is complex: save its array.real, array.imag or numpy.abs(array)",
        Some('S' | 'U' | 'a' | 'T') => "it holds text, and no numbers to reduce",
        Some('O') => "it holds Python objects: save an array of numbers",
        Some('V') if kind == "V2" => "it may be bfloat16: save it as array.astype('f4')",
        Some('V' | '[') => "it holds records: save one field, array['NAME']",
        Some('M' | 'm') => "it holds dates or spans of time: save their numbers, array.astype('i8')",
        _ => "save it as one of them, for example array.astype('f4')",
    }
}
