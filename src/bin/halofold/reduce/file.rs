//! The files of the command line, looked at before anything runs.

use std::fs;

use halofold::Element;

use crate::Failure;
use crate::input::Source;

/// A file that was found good.
pub struct Work {
    /// Its name on the command line.
    pub path: String,
    /// What it holds.
    pub element: Element,
    /// How many bytes of elements, if that is known before the end.
    pub bytes: Option<u64>,
    /// The file itself, where it can be opened only once.
    stream: Option<Source>,
}

/// Opens every file and checks what can be known without reading it.
pub fn survey(paths: &[String], raw: Option<Element>) -> Result<Vec<Work>, Failure> {
    if paths.iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::usage("`-` is named twice: standard input can be read only once"));
    }
    paths.iter().map(|path| Work::look(path, raw)).collect()
}

impl Work {
    fn look(path: &str, raw: Option<Element>) -> Result<Self, Failure> {
        let source = Source::open(path, raw).map_err(Failure::usage)?;
        let element = source.element();
        // Files are closed again, and reopened one by one: a system may allow no more than 256 at a time. What comes
        // through a pipe has to stay open.
        let reopens = !is_standard_input(path) && fs::metadata(path).is_ok_and(|found| found.is_file());
        Ok(Work {
            path: path.to_owned(),
            element,
            bytes: source.len().map(|len| len * element.size()),
            stream: (!reopens).then_some(source),
        })
    }

    /// Opens it for reading.
    pub fn open(&mut self, raw: Option<Element>) -> Result<Source, Failure> {
        if let Some(source) = self.stream.take() {
            return Ok(source);
        }
        let source = Source::open(&self.path, raw).map_err(Failure::usage)?;
        // The kernels that are ready, and the space for pieces, are those for what was found first.
        let now = Some(source.element()).zip(source.len());
        let then = Some(self.element).zip(self.bytes.map(|bytes| bytes / self.element.size()));
        if now != then {
            return Err(Failure::Usage(format!("{}: was changed meanwhile; run this again", self.path)));
        }
        Ok(source)
    }
}

fn is_standard_input(path: &str) -> bool {
    path == "-"
}
