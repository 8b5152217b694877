//! The Python of the tests that compare the program with NumPy.

use std::io::Write as _;
use std::process::Command;

/// A Python that has NumPy, if there is one; says so if there is none.
pub fn python() -> Option<&'static str> {
    // The system's Python may have NumPy where another one comes first in the path.
    let has_numpy = |python: &&&str| {
        Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success())
    };
    let found = ["python3", "/usr/bin/python3", "python"].iter().find(has_numpy).copied();
    if found.is_none() {
        // Not `eprintln!`, which a test that passes does not show.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no python3 with NumPy here");
    }
    found
}
