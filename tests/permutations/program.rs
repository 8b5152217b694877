//! The kernels that are no operation of the library's: they measure memory, unpack files, and run between the reductions of
//! `halofold stress`.

use std::path::{Path, PathBuf};

use halofold_measure::translate::Kernel;

/// Every one of them, by what it is.
pub fn kernels() -> Vec<(String, Kernel)> {
    let unpack = |bits, signed, truth| [("BITS", bits), ("SIGNED", signed), ("TRUTH", truth)].to_vec();
    let read =
        (include_str!("../../measure/shaders/read.wgsl"), "main", vec![("WG", 256.0), ("GROUPS", 64.0)]);
    let copy =
        (include_str!("../../measure/shaders/copy.wgsl"), "main", vec![("WG", 256.0), ("VECTORS", 4.0)]);
    let file = include_str!("../../cli/src/reduce/unpack.wgsl");
    let unpacked = [unpack(8.0, 0.0, 1.0), unpack(8.0, 1.0, 0.0), unpack(16.0, 0.0, 0.0)];
    let between = include_str!("../../cli/src/stress/between.wgsl");
    let kernels = [("read", read), ("copy", copy)].into_iter();
    let kernels = kernels.chain(unpacked.map(|overrides| ("unpack", (file, "unpack", overrides))));
    let kernels =
        kernels.chain(["change", "press", "poison"].map(|entry| ("stress", (between, entry, Vec::new()))));
    let named = |(name, (wgsl, entry_point, overrides)): (&str, (&str, &'static str, Vec<_>))| {
        let label = format!("halofold.{name}");
        let kernel = Kernel { wgsl: wgsl.to_owned(), entry_point, overrides, label };
        (format!("{name} {entry_point} {:?}", kernel.overrides), kernel)
    };
    kernels.map(named).collect()
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

/// A module is labelled as its kernel says, or by a name without a colon: see `Kernel::label`.
#[test]
fn no_module_has_a_colon_in_its_label() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["src", "measure", "fleet", "files", "cli", "mpi", "examples", "benches"];
    let made: Vec<_> = sources.iter().flat_map(|folder| modules_made(&root.join(folder))).collect();
    assert!(made.len() >= 5, "{made:?}");
    for (path, statement) in made {
        let label = statement.split("Some(\"").nth(1).and_then(|rest| rest.split('"').next());
        assert!(!label.unwrap_or_default().contains(':'), "{}: {statement}", path.display());
    }
}

#[test]
fn the_programs_own_in_every_language() {
    crate::valid_in_every_language(kernels());
}
