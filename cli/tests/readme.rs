//! The tables of the README that the program prints: they are what it prints.

use std::path::Path;
use std::process::Command;

/// How a printed table begins: the command follows.
const BEGIN: &str = "<!-- table: halofold ";

/// How it ends.
const END: &str = "<!-- end of table -->";

#[test]
fn tables_are_what_their_commands_print() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the program lies in the project's folder");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let tables: Vec<_> = readme.split(BEGIN).skip(1).collect();
    assert!(!tables.is_empty(), "the README has tables");
    for table in tables {
        let (command, rest) = table.split_once(" -->").expect("the command's comment ends");
        let (shown, _) = rest.split_once(END).expect("the table ends");
        let output = Command::new(env!("CARGO_BIN_EXE_halofold"))
            .args(command.split_whitespace())
            .current_dir(root)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).expect("text is UTF-8");
        assert_eq!(shown.trim(), printed.trim(), "halofold {command}");
    }
}
