//! The records of published machines, built in.

use std::io::Read as _;

use flate2::read::GzDecoder;
use halofold_measure::Record;

use crate::failure::Failure;

/// Gzipped JSON list of the records of docs/results/h200. A test compares it, or rewrites it under `HALOFOLD_UPDATE_PAGES=1`.
const H200: &[u8] = include_bytes!("h200.json.gz");

pub fn h200() -> Result<Vec<Record>, Failure> {
    let mut json = String::new();
    GzDecoder::new(H200).read_to_string(&mut json).map_err(Failure::usage)?;
    serde_json::from_str(&json).map_err(Failure::usage)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{fs, io::Write as _};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    #[test]
    fn built_in_records_are_those_of_the_results() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = fs::read_dir(root.join("../../docs/results/h200")).unwrap();
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        let records: Vec<_> = paths.iter().map(|path| crate::record::load(path).unwrap()).collect();
        if std::env::var_os("HALOFOLD_UPDATE_PAGES").is_some() {
            let mut file = GzEncoder::new(Vec::new(), Compression::best());
            file.write_all(&serde_json::to_vec(&records).unwrap()).unwrap();
            fs::write(root.join("src/report/h200.json.gz"), file.finish().unwrap()).unwrap();
        } else {
            assert!(h200().unwrap() == records, "HALOFOLD_UPDATE_PAGES=1 rewrites them");
        }
    }
}
