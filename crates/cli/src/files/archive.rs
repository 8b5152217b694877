//! Arrays in a `.npz` file, which is a zip archive of `.npy` files.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, RangeReader, ZipArchive};

use super::error::Fault;
use super::header::excerpt;
use super::reader::Opened;

/// Separates an archive's name from an array's name.
const SEPARATOR: &str = ".npz:";

/// The extension of a member, which is not part of the array's name.
const EXTENSION: &str = ".npy";

/// Bytes to read at a time from a compressed member.
const CHUNK: usize = 256 << 10;

/// Splits a path into archive and array, unless a file has this name.
pub(crate) fn named(path: &Path) -> Option<(PathBuf, &str)> {
    let text = path.to_str().filter(|_| !path.exists())?;
    let (archive, array) = text.split_at(text.rfind(SEPARATOR)? + SEPARATOR.len());
    Some((archive.trim_end_matches(':').into(), array))
}

/// Finds the array with this name, or the only one, in an archive. An uncompressed array is a range of the file.
pub(crate) fn open(file: File, array: Option<&str>) -> Result<Opened, Fault> {
    let data = file.try_clone().map_err(Fault::Read)?;
    let broken = |error: rawzip::Error| Fault::Zip(error.to_string());
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(broken)?;
    let mut names = Vec::new();
    let mut found = Vec::new();
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let Some(name) = name.strip_suffix(EXTENSION) else { continue };
        if array.is_none_or(|array| array.strip_suffix(EXTENSION).unwrap_or(array) == name) {
            found.push((entry.wayfinder(), entry.compression_method()));
        }
        names.push(name.to_owned());
    }
    if names.is_empty() {
        return Err(Fault::Unreadable("holds no arrays; write it with numpy.savez".to_owned()));
    }
    let [(wayfinder, method)] = found[..] else {
        return Err(Fault::Member(excerpt(&names.join(", "))));
    };
    let entry = archive.get_entry(wayfinder).map_err(broken)?;
    let (start, end) = entry.compressed_data_range();
    match method {
        CompressionMethod::STORE => Opened::part(data, start..end),
        CompressionMethod::DEFLATE => {
            let bytes = RangeReader::new(FileReader::from(data), start..end);
            let inflated = DeflateDecoder::new(BufReader::with_capacity(CHUNK, bytes));
            Ok(Opened::stream(entry.verifying_reader(inflated)))
        }
        other => Err(Fault::Zip(format!("{other:?} is no compression that NumPy writes"))),
    }
}
