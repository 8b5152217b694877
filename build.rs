//! Lists the files of `shaders/` for `src/shader.rs`, so that a new kernel is only a new file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("shaders");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let path = file.strip_prefix(&root).expect("it lies below").with_extension("");
        let name: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let name = name.join("/");
        // No path of this machine: the same list serves wherever the package lies when the build folder is used again.
        let text = format!(r#"include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/{name}.wgsl"))"#);
        let _ = writeln!(table, "    ({name:?}, {text}),");
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("shaders.rs");
    fs::write(out, table).expect("the build folder can be written");
    println!("cargo::rerun-if-changed=shaders");
}

/// Collects all WGSL files in a folder and its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("shaders/ can be read") {
        let path = entry.expect("shaders/ can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            files.push(path);
        }
    }
}
