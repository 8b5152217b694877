//! The file of an exact state: a header with a checksum, and the state.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use halofold::reduce::exact::State;

use crate::failure::Failure;

/// The first bytes of a file since version 2. A file of version 1 is the state alone.
const MAGIC: &[u8; 8] = b"halofold";

/// The version that is written.
const VERSION: u32 = 2;

/// Bytes in front of the state: the magic, the version, the checksum of the state.
const HEAD: usize = MAGIC.len() + 8;

/// A state as the content of a file.
pub fn content(state: &State) -> Vec<u8> {
    let state = state.to_bytes();
    let checksum = crc32fast::hash(&state).to_le_bytes();
    [MAGIC, &VERSION.to_le_bytes()[..], &checksum, &state].concat()
}

/// Reads the state in a file.
pub fn read(path: &Path) -> Result<State, Failure> {
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "no such file; check the path".to_owned(),
        _ => error.to_string(),
    });
    let state = bytes.and_then(|bytes| parse(&bytes));
    state.map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

fn parse(bytes: &[u8]) -> Result<State, String> {
    let state = match bytes.strip_prefix(MAGIC) {
        None => bytes,
        Some(_) if bytes.len() < HEAD => return Err(damaged()),
        Some(rest) => {
            let number = |at: usize| u32::from_le_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]);
            if number(0) != VERSION {
                return Err(format!("a state of version {}; this halofold reads 1 and {VERSION}", number(0)));
            }
            if crc32fast::hash(&bytes[HEAD..]) != number(4) {
                return Err(damaged());
            }
            &bytes[HEAD..]
        }
    };
    State::from_bytes(state).map_err(|error| format!("is no state that --state wrote ({error})"))
}

fn damaged() -> String {
    "is damaged: its checksum is another; write it again with --exact --state".to_owned()
}
