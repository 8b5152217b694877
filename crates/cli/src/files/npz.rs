//! Writing `.npz` archives: zip files of `.npy` arrays, as `numpy.savez` writes them.

use std::io::{self, Write};
use std::path::Path;

use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::npy;

/// Writes arrays, each of which is a whole `.npy` file, by their names. Nothing is compressed.
pub fn write(file: impl Write, arrays: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut archive = ZipArchiveWriter::new(file);
    for (name, array) in arrays {
        let name = format!("{name}.npy");
        let file = archive.new_file(&name).compression_method(CompressionMethod::STORE);
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(array)?;
        let (_, output) = writer.finish().map_err(io::Error::other)?;
        entry.finish(output).map_err(io::Error::other)?;
    }
    archive.finish().map(drop).map_err(io::Error::other)
}

pub fn is_named(path: &Path) -> bool {
    npy::has_extension(path, "npz")
}
