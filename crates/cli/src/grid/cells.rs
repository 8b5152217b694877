//! The cells of a file, as a GPU takes them.

use std::io;

use half::f16;
use halofold::Element;

use crate::failure::Failure;
use crate::files::Source;

/// A file's array as cells of a type, in the order of the GPU: columns fastest, then rows, then planes.
pub struct FileCells<'a> {
    source: &'a Source,
    element: Element,
    /// All elements, of a file that does not hold them as kernels read them.
    all: Option<Vec<u8>>,
}

impl<'a> FileCells<'a> {
    /// The cells of a file, which is read part by part if it holds elements as kernels read them.
    pub fn new(source: &'a Source, element: Element) -> Result<Self, Failure> {
        let all = if source.is_plain() { None } else { Some(source.load_all().map_err(Failure::usage)?) };
        Ok(FileCells { source, element, all })
    }

    /// Writes the cells from a byte on to a slice, which begins and ends between two cells.
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

/// The values of some cells.
pub fn values(element: Element, bytes: &[u8]) -> impl Iterator<Item = f64> {
    bytes.chunks_exact(element.size() as usize).map(move |bytes| value(element, bytes))
}

/// Writes elements of one type as cells of another.
fn convert(from: Element, source: &[u8], to: Element, into: &mut [u8]) {
    if from == to {
        return into.copy_from_slice(source);
    }
    let elements = source.chunks_exact(from.size() as usize);
    for (bytes, into) in elements.zip(into.chunks_exact_mut(to.size() as usize)) {
        match to {
            Element::F16 => into.copy_from_slice(&f16::from_f64(value(from, bytes)).to_ne_bytes()),
            Element::F64 => into.copy_from_slice(&value(from, bytes).to_ne_bytes()),
            _ => into.copy_from_slice(&(value(from, bytes) as f32).to_ne_bytes()),
        }
    }
}

/// An element as a number. Integers of more than 53 bits are rounded.
fn value(element: Element, bytes: &[u8]) -> f64 {
    use bytemuck::pod_read_unaligned as read;
    match element {
        Element::U32 => f64::from(read::<u32>(bytes)),
        Element::I32 => f64::from(read::<i32>(bytes)),
        Element::F32 => f64::from(read::<f32>(bytes)),
        Element::F64 => read(bytes),
        Element::I64 => read::<i64>(bytes) as f64,
        Element::U64 => read::<u64>(bytes) as f64,
        Element::F16 => read::<f16>(bytes).to_f64(),
        other => unreachable!("{other} is new"),
    }
}
