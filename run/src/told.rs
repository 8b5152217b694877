//! Errors of some of several files, reported while the work goes on with the others.

use crate::failure::Failure;

/// Reports each file's error at once. The error of a single file ends the work.
pub struct Told {
    goes_on: bool,
    any: bool,
}

impl Told {
    /// Before anything went wrong; `goes_on` where there are other files, which the work then goes on with.
    pub fn new(goes_on: bool) -> Self {
        Told { goes_on, any: false }
    }

    /// The result for a file; `None` where it failed and the work goes on.
    pub fn unless<T>(&mut self, result: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match result {
            Err(failure @ Failure::Usage(_)) if self.goes_on => {
                failure.report();
                self.any = true;
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// The end of the work: a failure if one was told.
    pub fn end(&self) -> Result<(), Failure> {
        if self.any { Err(Failure::Told) } else { Ok(()) }
    }
}
