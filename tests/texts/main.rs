//! Tests without a device: the texts of all kernels, and plans.

#[allow(dead_code, reason = "`halofold show` needs the rest")]
#[path = "../../crates/cli/src/show/translate/mod.rs"]
mod translate;

mod permutations;
mod plan;
mod translations;

use std::collections::BTreeMap;

/// The texts of all files with an extension in a folder, by their paths from the root of the repository.
fn read_all(folder: &str, extension: &str) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let entries = std::fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR")));
    for entry in entries.unwrap().map(Result::unwrap) {
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            texts.extend(read_all(&name, extension));
        } else if name.ends_with(&format!(".{extension}")) {
            texts.insert(name, std::fs::read_to_string(entry.path()).unwrap());
        }
    }
    texts
}
