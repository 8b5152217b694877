//! The number of the library's public types.

use std::path::Path;

use super::english::sources;

/// Fewer are easier to learn.
const LIMIT: usize = 100;

/// The compiler's lint `unreachable_pub` sees to it that what is declared `pub` can be named by users.
#[test]
fn public_types_are_fewer_than_a_hundred() {
    let declares = |line: &&str| {
        let rest = line.trim_start().strip_prefix("pub ").unwrap_or_default();
        ["struct ", "enum ", "trait ", "type ", "union "].iter().any(|kind| rest.starts_with(kind))
    };
    let mut types = Vec::new();
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let (text, path) = (std::fs::read_to_string(&path).unwrap(), path.display());
        types.extend(text.lines().filter(declares).map(|line| format!("{path}: {line}")));
    }
    assert!((50..LIMIT).contains(&types.len()), "{} public types:\n{}", types.len(), types.join("\n"));
}
