//! A file that all ranks write, each its layers. It takes its name when it is complete.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;

use halofold_cli::failure::Failure;
use halofold_cli::reserved::{self, Reserved};
use halofold_cli::transport::Transport as _;
use halofold_fleet::GridState;

use crate::reduce::ByMpi;

/// Writes a file of `size` bytes that begins with a header: each rank the bytes of `own`, its layers of the grid. The first rank has
/// opened the file. After a failure its earlier content is still there. All ranks call this together.
pub fn write(
    mut file: Option<Reserved>,
    path: &Path,
    (header, size): (&[u8], u64),
    (state, own): (&dyn GridState, Range<u64>),
    processes: &ByMpi<'_>,
) -> Result<(), Failure> {
    let failed = |error: io::Error| reserved::failure("-o", path, &error);
    let begun = file.as_mut().map_or(Ok(()), |file| {
        file.file().write_all(header).and_then(|()| file.file().set_len(size)).map_err(failed)
    });
    processes.agree(begun)?;
    // Beside what a link points to, as the first rank does it.
    let name = file.as_ref().and_then(|file| file.place().file_name()).unwrap_or_default();
    let name = processes.0.of_first(name.to_string_lossy().as_bytes());
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let place = place.with_file_name(String::from_utf8_lossy(&name).as_ref());
    let part = || {
        let mut file = OpenOptions::new().write(true).open(&place).map_err(failed)?;
        file.seek(SeekFrom::Start(header.len() as u64 + own.start)).map_err(failed)?;
        state.write(0..own.end - own.start, &file, failed)?;
        // Other nodes see it once it is on the file server.
        file.sync_all().map_err(failed)
    };
    processes.agree(part())?;
    processes.agree(file.map_or(Ok(()), Reserved::finish))
}
