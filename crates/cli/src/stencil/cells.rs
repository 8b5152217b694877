//! The cells of a file, converted for the GPU.

use std::io;

use halofold::Element;
use halofold_fleet::host::convert;

use crate::failure::Failure;
use crate::files::Source;

/// A file's array as cells of a type, in the GPU's order: columns fastest, then rows, then planes.
pub struct FileCells<'a> {
    source: &'a Source,
    element: Element,
    /// All cells, if the file does not hold them as kernels read them.
    all: Option<Vec<u8>>,
}

impl<'a> FileCells<'a> {
    /// Makes the cells of a file. They are read on demand if the file holds them as kernels read them, else at once.
    pub fn new(source: &'a Source, element: Element) -> Result<Self, Failure> {
        let all = if source.is_plain() { None } else { Some(source.load_all().map_err(Failure::usage)?) };
        Ok(FileCells { source, element, all })
    }

    /// Writes cells from byte `start` into a slice that begins and ends between two cells.
    pub fn fill(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        let FileCells { source, element, all } = self;
        let size = source.element().size();
        let [at, len] = [start, into.len() as u64].map(|bytes| bytes / element.size() * size);
        match all {
            None if source.element() == *element => source.read_at(at, into).map_err(io::Error::other)?,
            None => {
                let mut elements = vec![0; len as usize];
                source.read_at(at, &mut elements).map_err(io::Error::other)?;
                convert(source.element(), &elements, *element, into);
            }
            Some(all) => convert(source.element(), &all[at as usize..][..len as usize], *element, into),
        }
        Ok(())
    }
}
