//! The kernels that are no operation of the library's: they measure memory.

use std::path::{Path, PathBuf};

use halofold_measure::Form;
use halofold_measure::Kernel;

use super::catalogue::generous;
use super::item::Item;
use super::operations::MEMORY_EVERYWHERE;

/// Their row in the table of kernels and compilers.
pub const ROW: &str = "the program's own";

pub fn kernels() -> Vec<Item> {
    let peaks = Form::tried(&generous(), false).map(|forms| Kernel::from(&forms[0]));
    let item = |kernel: Kernel| {
        let label = format!("{} {} {:?}", kernel.label, kernel.entry_point, kernel.overrides);
        Item { memory: 0..=MEMORY_EVERYWHERE, ..Item::new(ROW, label, kernel) }
    };
    peaks.into_iter().map(item).collect()
}

/// The statements of the sources that make a shader module, by the path of the file.
fn modules_made(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut made = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            made.extend(modules_made(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let statements = text.split("ShaderModuleDescriptor {").skip(1);
            let with_path = |rest: &str| (path.clone(), rest.split(';').next().unwrap().to_owned());
            made.extend(statements.map(with_path));
        }
    }
    made
}

/// The places that compile the kernels looked at here. All others have a literal label, or none.
const COMPILING: [&str; 2] = ["src/operation/kernel.rs", "crates/measure/src/compile.rs"];

#[test]
fn no_module_has_a_colon_in_its_label() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["src", "crates", "examples", "benches"];
    let made: Vec<_> = sources.iter().flat_map(|folder| modules_made(&root.join(folder))).collect();
    let compiling = |path: &Path| COMPILING.iter().any(|known| path == root.join(known));
    assert!(COMPILING.iter().all(|known| made.iter().any(|(path, _)| *path == root.join(known))), "{made:?}");
    for (path, statement) in made.iter().filter(|(path, _)| !compiling(path)) {
        let label = statement.split("label: ").nth(1).unwrap_or_default();
        let literal = label.strip_prefix("Some(\"").and_then(|rest| rest.split('"').next());
        let is_plain = label.starts_with("None") || literal.is_some_and(|name| !name.contains(':'));
        assert!(is_plain, "{}: {statement}", path.display());
    }
}
