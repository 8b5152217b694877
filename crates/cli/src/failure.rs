//! Reasons for the program to end early.

use std::fmt::Display;
use std::process::ExitCode;

use clap::error::ErrorKind::Io;

use crate::output::visible;

/// The exit status of an interrupted program, by a shell's rule: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

pub const NOT_CONVERGED: u8 = 3;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A bad request or a missing resource: a message and exit status 2.
    #[error("{0}")]
    Usage(String),
    /// A wrong result or a regression, already reported: exit status 1.
    #[error("a result was wrong")]
    Wrong,
    /// Some files failed, already reported: exit status 2.
    #[error("some files failed")]
    Reported,
    /// A run did not converge, already reported: a message and exit status 3.
    #[error("{0}")]
    NotConverged(String),
    /// Interrupted, with finished work saved: a message and exit status 130.
    #[error("{0}")]
    Interrupted(String),
    #[error("standard output is closed")]
    Closed,
}

/// Makes a [`Failure::Usage`] from `format!` arguments.
macro_rules! refusal {
    ($($message:tt)*) => { $crate::failure::Failure::Usage(format!($($message)*)) };
}

impl From<Box<dyn std::error::Error>> for Failure {
    fn from(error: Box<dyn std::error::Error>) -> Self {
        error.downcast().map_or_else(Failure::usage, |failure| *failure)
    }
}

impl Failure {
    pub fn usage(message: impl Display) -> Self {
        Failure::Usage(explain(&message))
    }

    /// Prints the message, if there is one, and returns the program's exit status.
    pub fn report(self) -> ExitCode {
        let status = match &self {
            Failure::Closed => 0,
            Failure::Wrong => 1,
            Failure::Usage(_) | Failure::Reported => 2,
            Failure::NotConverged(_) => NOT_CONVERGED,
            Failure::Interrupted(_) => INTERRUPTED,
        };
        match &self {
            // In clap's style: coloured on a terminal. A failed write is ignored.
            Failure::Usage(message) => {
                let error = clap::Error::raw(Io, visible(message, &['\n']) + "\n");
                drop(error.with_cmd(&clap::Command::new("halofold")).print());
            }
            Failure::NotConverged(message) | Failure::Interrupted(message) => eprintln!("{message}"),
            Failure::Wrong | Failure::Reported | Failure::Closed => {}
        }
        ExitCode::from(status)
    }
}

/// Rephrases the library's error for users: the program opens devices with all features and limits.
pub fn explain(error: &impl std::fmt::Display) -> String {
    let error = error.to_string().replace("this device lacks or was created without", "this adapter lacks");
    error.replace(": request more when you open it, or ", ": ").replace(": request more when you open it", "")
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn messages_never_mention_opening_a_device() {
        let asked = "this device has 4: request more when you open it";
        assert_eq!(explain(&asked), "this device has 4");
        let also = format!("{asked}, or use a smaller workgroup");
        assert_eq!(explain(&also), "this device has 4: use a smaller workgroup");
    }
}
