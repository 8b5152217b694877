//! Errors of data files.

use std::io;

use super::Stored;

/// An error that keeps a data file from being read. The message begins with the file's name and ends with what to do
/// about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Nothing of that name exists.
    #[error("{name}: no such file; check the path")]
    Missing {
        /// The file.
        name: String,
    },
    /// The system does not let this user read it.
    #[error("{name}: permission denied; make the file readable for this user")]
    Denied {
        /// The file.
        name: String,
    },
    /// It is a directory.
    #[error("{name}: is a directory; name the files in it")]
    Directory {
        /// The directory.
        name: String,
    },
    /// It cannot be opened for another reason.
    #[error("{name}: cannot be opened: {cause}; check the path and the disk")]
    Open {
        /// The file.
        name: String,
        /// The system's message.
        cause: io::Error,
    },
    /// Reading it failed.
    #[error("{name}: cannot be read: {cause}; check the disk or the program that writes the data")]
    Read {
        /// The file.
        name: String,
        /// The system's message.
        cause: io::Error,
    },
    /// It has no bytes at all, so no header either.
    #[error("{name}: is empty; write it with numpy.save")]
    Empty {
        /// The file.
        name: String,
    },
    /// It is a zip archive, most likely of several arrays.
    #[error("{name}: is a .npz archive; unzip it and name the .npy files that come out")]
    Archive {
        /// The file.
        name: String,
    },
    /// It does not begin as a `.npy` file does.
    #[error("{name}: is not a .npy file; write it with numpy.save")]
    NotNpy {
        /// The file.
        name: String,
    },
    /// It was to have bare elements, and begins as a `.npy` file does.
    #[error("{name}: is a .npy file, whose header says what its elements are: no type has to be given")]
    NotBare {
        /// The file.
        name: String,
    },
    /// A version of the format that this program does not know.
    #[error(
        "{name}: is in .npy format version {major}.{minor}, and versions 1.0, 2.0 and 3.0 can be \
         read; write it again with numpy.save"
    )]
    Version {
        /// The file.
        name: String,
        /// The version's first number.
        major: u8,
        /// The version's second number.
        minor: u8,
    },
    /// A header that claims to be longer than any array of numbers needs.
    #[error(
        "{name}: claims a header of {length} bytes, where an array of numbers needs less than \
         {limit}; the file is damaged or no plain array: write it again with numpy.save"
    )]
    LongHeader {
        /// The file.
        name: String,
        /// The length that the file claims.
        length: u32,
        /// The longest that is read.
        limit: u32,
    },
    /// A header that is not what the format says.
    #[error("{name}: malformed .npy header: {reason}; write the file again with numpy.save")]
    Header {
        /// The file.
        name: String,
        /// The fault.
        reason: String,
    },
    /// An array of something that cannot be reduced here.
    #[error("{name}: has dtype `{dtype}`, and the dtypes that work are {working}; {remedy}")]
    Dtype {
        /// The file.
        name: String,
        /// The dtype, as the header has it and cut short if it is long.
        dtype: String,
        /// Those that can be read here.
        working: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// More bytes than NumPy counts, also where a dimension of zero stands beside them.
    #[error(
        "{name}: its shape ({shape}) means more than 2^63 bytes; the file is damaged: write it \
         again with numpy.save"
    )]
    TooLarge {
        /// The file.
        name: String,
        /// The shape, as the header has it and cut short if it is long.
        shape: String,
    },
    /// It ends before it should.
    #[error(
        "{name}: truncated: {expected} bytes of {part} expected, {found} found; copy or write the \
         file again"
    )]
    Truncated {
        /// The file.
        name: String,
        /// The part that is not complete: `header` or `data`.
        part: &'static str,
        /// The bytes that part takes.
        expected: u64,
        /// The bytes of it that are there.
        found: u64,
    },
    /// A part was asked for of what can only be read from its start.
    #[error("{name}: a part can be read of a file only, not of a pipe or a device; write it to a file")]
    Stream {
        /// The stream.
        name: String,
    },
    /// Bare elements of which the last is not complete.
    #[error(
        "{name}: {bytes} bytes are not a multiple of the {} bytes of one {stored}; give --raw the \
         type the file was written with",
        stored.size()
    )]
    Ragged {
        /// The file.
        name: String,
        /// The bytes there are.
        bytes: u64,
        /// The type they were said to have.
        stored: Stored,
    },
}

impl InputError {
    /// The error for a file that the system does not open.
    pub(super) fn opening(name: &str, cause: io::Error) -> Self {
        let name = name.to_owned();
        match cause.kind() {
            io::ErrorKind::NotFound => Self::Missing { name },
            io::ErrorKind::PermissionDenied => Self::Denied { name },
            _ => Self::Open { name, cause },
        }
    }

    /// The error for a file that opens and does not read.
    pub(super) fn reading(name: &str, cause: io::Error) -> Self {
        let name = name.to_owned();
        Self::Read { name, cause }
    }

    /// The error for a header that is not as it should be.
    pub(super) fn header(name: &str, reason: impl Into<String>) -> Self {
        Self::Header { name: name.to_owned(), reason: reason.into() }
    }

    /// The error for an array of something that does not work here, where narrow integers and Booleans work or do not.
    pub(super) fn dtype(name: &str, dtype: String, narrow: bool) -> Self {
        let kind = dtype.trim_start_matches(['<', '>', '=', '|']).chars().next();
        let remedy = match kind {
            Some('c') => "it is complex: save its array.real, array.imag or numpy.abs(array)",
            Some('S' | 'U' | 'a' | 'T') => "it holds text, and no numbers to reduce",
            Some('O') => "it holds Python objects: save an array of numbers",
            Some('V' | '[') => "it holds records: save one field, array['NAME']",
            Some('M' | 'm') => "it holds dates or spans of time: save their numbers, array.astype('i8')",
            Some('b' | 'u' | 'i') if !narrow => "save it as 32-bit integers, array.astype('i4')",
            _ => "save it as one of them, for example array.astype('f4')",
        };
        let working = if narrow { "u4 i4 f4 f8 i8 u8 f2 u1 i1 u2 i2 b1" } else { "u4 i4 f4 f8 i8 u8 f2" };
        Self::Dtype { name: name.to_owned(), dtype, working, remedy }
    }

    /// The message for a command that can read bare elements.
    pub fn with_raw_hint(&self) -> String {
        match self {
            Self::NotNpy { .. } => format!("{self}, or read its bytes as bare elements with --raw TYPE"),
            Self::NotBare { .. } => format!("{self}; leave out --raw"),
            Self::Empty { .. } => format!("{self}, or give --raw TYPE where no elements are meant"),
            _ => self.to_string(),
        }
    }

    /// The error for a part of a file that ends too early.
    pub(super) fn truncated(name: &str, part: &'static str, expected: u64, found: u64) -> Self {
        Self::Truncated { name: name.to_owned(), part, expected, found }
    }
}
