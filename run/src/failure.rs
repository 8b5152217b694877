//! Reasons for the program to end early.

use std::fmt::{self, Display};
use std::process::ExitCode;

use crate::output::visible;

/// The exit status of an interrupted program, by a shell's rule: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Reasons for the program to end early.
#[derive(Debug)]
pub enum Failure {
    /// Something about the request or the machine: a message, and exit status 2.
    Usage(String),
    /// A result was wrong, or slower than it may be, which has been reported: exit status 1.
    Wrong,
    /// Something about some of the files, which has been reported: exit status 2.
    Reported,
    /// It was interrupted, and its finished work is saved: a message, and exit status 130.
    Interrupted(String),
    /// Standard output is closed: no message, exit status 0.
    Closed,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Interrupted(message) => f.write_str(message),
            Failure::Wrong => f.write_str("a result was wrong"),
            Failure::Reported => f.write_str("some files failed"),
            Failure::Closed => f.write_str("standard output is closed"),
        }
    }
}

impl Failure {
    /// A message for standard error.
    pub fn usage(message: impl Display) -> Self {
        Failure::Usage(message.to_string())
    }

    /// Prints the message, if there is one, and returns the program's exit status.
    pub fn report(self) -> ExitCode {
        match self {
            Failure::Closed => ExitCode::SUCCESS,
            Failure::Wrong => ExitCode::from(1),
            Failure::Reported => ExitCode::from(2),
            Failure::Interrupted(message) => {
                eprintln!("{message}");
                ExitCode::from(INTERRUPTED)
            }
            Failure::Usage(message) => {
                eprintln!("error: {}", visible(&message, &['\n']));
                ExitCode::from(2)
            }
        }
    }
}
