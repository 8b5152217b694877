//! Tests without a device: the texts of all kernels, and plans.

#[allow(dead_code, reason = "`halofold show` needs the rest")]
#[path = "../../crates/cli/src/show/translate/mod.rs"]
mod translate;

mod permutations;
mod plan;
mod translations;

use std::collections::BTreeMap;
use std::path::Path;

/// The texts of all files with an extension in a folder, by their paths from the root of the repository.
fn read_all(folder: &str, extension: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut texts, mut folders) = (BTreeMap::new(), vec![root.join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let parts = path.strip_prefix(root).unwrap().iter().map(|part| part.to_string_lossy());
                let name = parts.collect::<Vec<_>>().join("/");
                texts.insert(name, std::fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}
