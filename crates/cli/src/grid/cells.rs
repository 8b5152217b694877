//! A grid on the host, read from a file or to be written to one.

use std::fs::File;
use std::io;
use std::ops::Range;

use half::f16;
use halofold::Element;
use halofold::stencil::{Config, Grid};

use crate::failure::Failure;
use crate::files::Source;
use crate::files::npy;

/// Cells in the order of the GPU: columns fastest, then rows, then planes.
pub struct Cells {
    /// Their element type.
    pub element: Element,
    /// The number of cells in each direction.
    pub grid: Grid,
    /// This machine's byte order.
    bytes: Vec<u8>,
}

impl Cells {
    /// Reads a file's array as cells of a type.
    pub fn read(source: &mut Source, element: Element, grid: Grid) -> Result<Self, Failure> {
        let bytes = source.load_all().map_err(Failure::usage)?;
        Ok(Cells::of(source, element, grid, bytes))
    }

    /// Reads some [layers](Config::layers) of a file's array as cells of the configuration's type.
    pub fn read_layers(source: &Source, config: &Config, layers: Range<u64>) -> Result<Self, Failure> {
        let (all, count) = (u64::from(config.layers()), layers.end - layers.start);
        let layer = config.grid.cells() / all;
        // In Fortran's order layers lie in pieces: one for each of a layer's cells.
        let (first, length, distance) = if source.is_fortran() {
            (layers.start, count, all)
        } else {
            (layers.start * layer, count * layer, 0)
        };
        let size = source.element().size();
        let mut bytes = vec![0; (count * layer * size) as usize];
        for (piece, bytes) in (0..).zip(bytes.chunks_exact_mut((length * size) as usize)) {
            source.read_at(first + piece * distance, bytes).map_err(Failure::usage)?;
        }
        Ok(Cells::of(source, config.element, config.with_layers(count as u32).grid, bytes))
    }

    /// Elements as they lie in a file, as cells.
    fn of(source: &Source, element: Element, grid: Grid, bytes: Vec<u8>) -> Self {
        let is_fortran = source.is_fortran();
        let bytes =
            if source.element() == element && !is_fortran {
                bytes
            } else {
                arrange(source.element(), &bytes, element, |cell| {
                    if is_fortran { transposed(cell, grid) } else { cell }
                })
            };
        Cells { element, grid, bytes }
    }

    /// Cells that the GPU has computed, in the place of these.
    pub fn with_bytes(self, bytes: Vec<u8>) -> Self {
        Cells { bytes, ..self }
    }

    /// Their bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The values of some of their bytes.
    pub fn values(element: Element, bytes: &[u8]) -> impl Iterator<Item = f64> {
        bytes.chunks_exact(element.size() as usize).map(move |bytes| value(element, bytes))
    }

    /// Writes them as an array of the grid's dimensions.
    pub fn write_npy(&self, shape: &[u64], file: &mut File) -> io::Result<()> {
        npy::write(file, &npy::floats(self.element), shape, false, &self.bytes)
    }
}

/// Elements of one type as cells of another, each from where `find` says it lies.
pub fn arrange(from: Element, source: &[u8], to: Element, find: impl Fn(u64) -> u64) -> Vec<u8> {
    let size = from.size() as usize;
    let count = (source.len() / size) as u64;
    let mut bytes = Vec::with_capacity(count as usize * to.size() as usize);
    for cell in 0..count {
        let at = find(cell) as usize * size;
        let value = value(from, &source[at..][..size]);
        match to {
            Element::F16 => bytes.extend(f16::from_f64(value).to_ne_bytes()),
            Element::F64 => bytes.extend(value.to_ne_bytes()),
            _ => bytes.extend((value as f32).to_ne_bytes()),
        }
    }
    bytes
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
        let bytes = arrange(Element::I32, &file, Element::F64, |cell| transposed(cell, grid));
        let values: Vec<_> = Cells::values(Element::F64, &bytes).collect();
        let expected: Vec<_> =
            (0..24).map(|at| f64::from(100 * (at / 12) + 10 * (at / 4 % 3) + at % 4)).collect();
        assert_eq!(values, expected);
    }

    #[test]
    fn every_type_becomes_every_float() {
        let two = |element| match element {
            Element::U32 | Element::I32 => 2u32.to_ne_bytes().to_vec(),
            Element::I64 | Element::U64 => 2u64.to_ne_bytes().to_vec(),
            Element::F32 => 2f32.to_ne_bytes().to_vec(),
            Element::F64 => 2f64.to_ne_bytes().to_vec(),
            Element::F16 => f16::from_f32(2.0).to_ne_bytes().to_vec(),
            other => unreachable!("{other} is new"),
        };
        for from in Element::ALL {
            for to in [Element::F32, Element::F64, Element::F16] {
                assert_eq!(arrange(from, &two(from), to, |cell| cell), two(to), "{from} to {to}");
            }
        }
    }
}
