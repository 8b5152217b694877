//! Lists the files of `shaders/` for `src/shader.rs`, so that a new kernel is only a new file. Each folder is a room of its own: but for `lib`, what no
//! operation of a program composes is not linked. Without the feature `essays` the texts have no comments.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The rungs that reductions take without the feature `ladder`, too.
const PRODUCTION: [&str; 3] = ["exact.wgsl", "single_pass.wgsl", "vectorized.wgsl"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("shaders");
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let has_essays = has("ESSAYS");
    let mut files = Vec::new();
    collect(&root, &mut files);
    if !has("LADDER") {
        files.retain(|file| {
            !file.starts_with(root.join("ladder")) || PRODUCTION.iter().any(|it| file.ends_with(it))
        });
    }
    files.sort();
    let parts = |file: &PathBuf| -> Vec<String> {
        let path = file.strip_prefix(&root).expect("it lies below").with_extension("");
        path.iter().map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let (mut rooms, mut all) = (String::new(), String::new());
    for room in files.chunk_by(|a, b| parts(a)[0] == parts(b)[0]) {
        let name = parts(&room[0])[0].to_uppercase();
        let _ = write!(all, "{name}, ");
        // One list, wherever it is named.
        let _ = writeln!(rooms, "pub(crate) const {name}: Room = &OF_{name};");
        let _ = writeln!(rooms, "static OF_{name}: [(&str, &str); {}] = [", room.len());
        for file in room {
            let name = parts(file).join("/");
            if has_essays {
                // No path of this machine: the list serves wherever the package lies when the build folder is used again.
                let path = format!(r#"concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/{name}.wgsl")"#);
                let _ = writeln!(rooms, "    ({name:?}, include_str!({path})),");
            } else {
                let text = fs::read_to_string(file).expect("it can be read");
                let _ = writeln!(rooms, "    ({name:?}, {:?}),", without_comments(&text));
            }
        }
        rooms += "];\n";
    }
    let _ = writeln!(rooms, "#[cfg(test)]\npub(crate) const ALL: &[Room] = &[{all}];");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("rooms.rs");
    fs::write(out, rooms).expect("the build folder can be written");
    println!("cargo::rerun-if-changed=shaders");
}

/// The lines of a text that are more than a comment, without their comments. No file has any other kind of comment.
fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    code.filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
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
