//! The cells of a file of any type that can be read, slab by slab.

use crate::files::Source;
use crate::grid::cells;
use halofold::Element;
use halofold_fleet::stream::{Cells, StreamError};

/// A regular file in C's order.
pub struct FileCells<'a> {
    source: &'a Source,
    element: Element,
}

impl<'a> FileCells<'a> {
    /// The file's elements as cells of a type.
    pub fn new(source: &'a Source, element: Element) -> Self {
        FileCells { source, element }
    }
}

impl Cells for FileCells<'_> {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<u64, StreamError> {
        let FileCells { source, element } = self;
        let input = |error| StreamError::Input(Box::new(error));
        let cell = element.size();
        let count = into.len() as u64 / cell;
        let first = offset / cell;
        if source.element() == *element {
            source.read_at(first, into).map_err(input)?;
        } else {
            let mut raw = vec![0; (count * source.size()) as usize];
            source.read_at(first, &mut raw).map_err(input)?;
            into.copy_from_slice(&cells::arrange(source.element(), &raw, *element, |cell| cell));
        }
        Ok(count * source.stored().size())
    }
}
