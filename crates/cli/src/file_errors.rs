//! Errors of some of several files, reported while the work goes on with the others.

use crate::failure::Failure;

/// Reports each file's error at once. The error of a single file ends the work.
pub struct FileErrors {
    goes_on: bool,
    any: bool,
}

impl FileErrors {
    /// No errors so far. With `goes_on` there are other files, and the work goes on with them after an error.
    pub fn new(goes_on: bool) -> Self {
        FileErrors { goes_on, any: false }
    }

    /// Returns a file's result, or reports its error: `None` if it failed and the work goes on.
    pub fn report<T>(&mut self, result: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match result {
            Err(failure @ Failure::Usage(_)) if self.goes_on => {
                failure.report();
                self.any = true;
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Ends the work: a failure if an error was reported.
    pub fn finish(&self) -> Result<(), Failure> {
        if self.any { Err(Failure::Reported) } else { Ok(()) }
    }
}
