//! The cells of a file, as a GPU takes them.

use std::io;

use half::f16;
use halofold::Element;
use halofold::stencil::Grid;

use crate::failure::Failure;
use crate::files::Source;

/// A file's array as cells of a type, in the order of the GPU: columns fastest, then rows, then planes.
pub struct FileCells<'a> {
    source: &'a Source,
    element: Element,
    grid: Grid,
    /// All elements, of a file that has to be read in order, or transposed.
    all: Option<Vec<u8>>,
}

impl<'a> FileCells<'a> {
    /// The cells of a file, of which streams and arrays in Fortran's order are read now, and others part by part.
    pub fn new(source: &'a mut Source, element: Element, grid: Grid) -> Result<Self, Failure> {
        let mut all = None;
        if source.is_fortran() || source.file().is_none() {
            let mut bytes = vec![0; (grid.cells() * source.element().size()) as usize];
            source.read(&mut bytes).map_err(Failure::usage)?;
            all = Some(bytes);
        }
        Ok(FileCells { source, element, grid, all })
    }

    /// Writes the cells from a byte on to a slice, which begins and ends between two cells.
    pub fn fill(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        let FileCells { source, element, grid, all } = self;
        let (first, count) = (start / element.size(), into.len() as u64 / element.size());
        let size = source.element().size();
        let is_same = source.element() == *element;
        let read = |bytes: &mut [u8]| source.read_at(first, bytes).map(drop).map_err(io::Error::other);
        match all {
            None if is_same && source.hands_out_as_read() => read(into)?,
            None => {
                let mut elements = vec![0; (count * size) as usize];
                read(&mut elements)?;
                convert(source.element(), &elements, *element, into, |cell| cell);
            }
            Some(all) if source.is_fortran() => {
                convert(source.element(), all, *element, into, |cell| transposed(first + cell, *grid));
            }
            Some(all) => {
                convert(source.element(), &all[(first * size) as usize..], *element, into, |cell| cell)
            }
        }
        Ok(())
    }
}

/// The values of some cells.
pub fn values(element: Element, bytes: &[u8]) -> impl Iterator<Item = f64> {
    bytes.chunks_exact(element.size() as usize).map(move |bytes| value(element, bytes))
}

/// Writes elements of one type as cells of another, each from where `find` says it lies.
fn convert(from: Element, source: &[u8], to: Element, into: &mut [u8], find: impl Fn(u64) -> u64) {
    let size = from.size() as usize;
    for (cell, into) in (0..).zip(into.chunks_exact_mut(to.size() as usize)) {
        let bytes = &source[find(cell) as usize * size..][..size];
        match to {
            _ if from == to => into.copy_from_slice(bytes),
            Element::F16 => into.copy_from_slice(&f16::from_f64(value(from, bytes)).to_ne_bytes()),
            Element::F64 => into.copy_from_slice(&value(from, bytes).to_ne_bytes()),
            _ => into.copy_from_slice(&(value(from, bytes) as f32).to_ne_bytes()),
        }
    }
}

/// The index of a cell in an array whose first dimension runs fastest.
fn transposed(cell: u64, Grid { planes, rows, cols }: Grid) -> u64 {
    let [planes, rows, cols] = [planes, rows, cols].map(u64::from);
    let (plane, row, col) = (cell / (rows * cols), cell / cols % rows, cell % cols);
    plane + planes * (row + rows * col)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_columns_become_arrays_of_rows() {
        let grid = Grid { planes: 2, rows: 3, cols: 4 };
        // Column-major: the value of (plane, row, col) is 100 plane + 10 row + col.
        let mut file = Vec::new();
        for (col, row, plane) in (0i32..24).map(|at| (at / 6, at / 2 % 3, at % 2)) {
            file.extend((100 * plane + 10 * row + col).to_ne_bytes());
        }
        let mut bytes = [0; 24 * 8];
        convert(Element::I32, &file, Element::F64, &mut bytes, |cell| transposed(cell, grid));
        let expected: Vec<_> =
            (0..24).map(|at| f64::from(100 * (at / 12) + 10 * (at / 4 % 3) + at % 4)).collect();
        assert_eq!(values(Element::F64, &bytes).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_type_becomes_every_float() {
        let two = |element| match element {
            Element::U32 | Element::I32 => 2u32.to_ne_bytes().to_vec(),
            Element::I64 | Element::U64 => 2u64.to_ne_bytes().to_vec(),
            Element::F32 => 2f32.to_ne_bytes().to_vec(),
            Element::F64 => 2f64.to_ne_bytes().to_vec(),
            Element::F16 => f16::from_f64(2.0).to_ne_bytes().to_vec(),
            other => unreachable!("{other} is new"),
        };
        for from in Element::ALL {
            for to in [Element::F32, Element::F64, Element::F16] {
                let mut bytes = vec![0; to.size() as usize];
                convert(from, &two(from), to, &mut bytes, |cell| cell);
                assert_eq!(bytes, two(to), "{from} to {to}");
            }
        }
    }
}
