//! Grids to measure stencils on: a small tile again and again, so that a step's result is known on a grid of any size.
//!
//! A step over a periodic grid is periodic too. The CPU's reference therefore steps one tile, with periodic borders, and
//! every cell of a large grid that is not in its fixed border has the value of its place in the tile. The sides of the tile are
//! primes, so that a kernel that reads or writes a cell a block or a strip away does not meet the same value there.

use crate::Element;
use crate::measure::noise::scramble;
use crate::stencil::{Border, Borders, Coefficients, Grid, Points, reference};

/// A grid with fixed borders, row by row, before and after one Jacobi step.
///
/// Cells are whole numbers from 1 to 8, so that a step by weights that are powers of two, or by one weight for all cells, has one
/// result in every element type: the exact sum, rounded at most once.
#[derive(Clone, Debug)]
pub struct Mosaic {
    points: Points,
    grid: Grid,
    tile: Grid,
    /// Rows of cells, one for each row of the tile and as long as the grid's.
    before: Vec<Vec<u8>>,
    /// The same after a step.
    after: Vec<Vec<u8>>,
}

impl Mosaic {
    /// A grid of some element type, and what a step with some weights makes of it.
    pub fn new(points: Points, element: Element, grid: Grid, coefficients: Coefficients) -> Self {
        let tile = match points {
            Points::Five => Grid::plane(61, 127),
            Points::TwentySeven => Grid { planes: 7, rows: 31, cols: 61 },
        };
        let cells: Vec<f64> = (0..tile.cells()).map(cell).collect();
        let mut stepped = cells.clone();
        let weights = Coefficients(coefficients.0.map(|weight| decode(element, &encode(element, weight))));
        reference::step(points, tile, Borders::all(Border::Periodic), weights, &cells, &mut stepped);
        let row = |row: &[f64]| -> Vec<u8> {
            row.iter().cycle().take(grid.cols as usize).flat_map(|&cell| encode(element, cell)).collect()
        };
        let before: Vec<_> = cells.chunks_exact(tile.cols as usize).map(row).collect();
        let mut after: Vec<_> = stepped.chunks_exact(tile.cols as usize).map(row).collect();
        let size = element.size() as usize;
        for (after, before) in after.iter_mut().zip(&before) {
            after[..size].copy_from_slice(&before[..size]);
            let last = before.len() - size;
            after[last..].copy_from_slice(&before[last..]);
        }
        Mosaic { points, grid, tile, before, after }
    }

    /// The bytes of all rows, plane by plane, before the step.
    pub fn before(&self) -> impl Iterator<Item = &[u8]> {
        self.places().map(|(place, _)| &self.before[place][..])
    }

    /// The same after it.
    pub fn after(&self) -> impl Iterator<Item = &[u8]> {
        self.places().map(|(place, fixed)| &(if fixed { &self.before } else { &self.after })[place][..])
    }

    /// Of every row of the grid: its place among the tile's rows, and whether all of it is fixed.
    fn places(&self) -> impl Iterator<Item = (usize, bool)> {
        let Grid { planes, rows, .. } = self.grid;
        let deep = self.points == Points::TwentySeven;
        let at_end = |at: u32, length: u32| at == 0 || at + 1 == length;
        (0..planes).flat_map(move |plane| {
            (0..rows).map(move |row| {
                let place = plane % self.tile.planes * self.tile.rows + row % self.tile.rows;
                (place as usize, at_end(row, rows) || deep && at_end(plane, planes))
            })
        })
    }
}

/// A pseudo-random whole number from 1 to 8.
fn cell(index: u64) -> f64 {
    (1 + (scramble(index) >> 61)) as f64
}

fn encode(element: Element, cell: f64) -> Vec<u8> {
    match element {
        Element::F16 => half::f16::from_f64(cell).to_ne_bytes().to_vec(),
        Element::F64 => cell.to_ne_bytes().to_vec(),
        _ => (cell as f32).to_ne_bytes().to_vec(),
    }
}

fn decode(element: Element, bytes: &[u8]) -> f64 {
    match element {
        Element::F16 => bytemuck::pod_read_unaligned::<half::f16>(bytes).to_f64(),
        Element::F64 => bytemuck::pod_read_unaligned(bytes),
        _ => f64::from(bytemuck::pod_read_unaligned::<f32>(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mosaic_steps_as_the_whole_grid_does() {
        for (points, grid) in [
            (Points::Five, Grid::plane(130, 300)),
            (Points::Five, Grid::plane(1, 5)),
            (Points::TwentySeven, Grid { planes: 16, rows: 65, cols: 130 }),
            (Points::TwentySeven, Grid { planes: 2, rows: 3, cols: 1 }),
        ] {
            let weights = Coefficients::usual(points);
            let mosaic = Mosaic::new(points, Element::F64, grid, weights);
            let cells: Vec<f64> = bytemuck::pod_collect_to_vec(&mosaic.before().collect::<Vec<_>>().concat());
            let got: Vec<f64> = bytemuck::pod_collect_to_vec(&mosaic.after().collect::<Vec<_>>().concat());
            let mut expected = vec![f64::NAN; cells.len()];
            reference::step(points, grid, Borders::default(), weights, &cells, &mut expected);
            assert_eq!(got, expected, "{grid}");
            assert!(cells.iter().all(|cell| (1.0..=8.0).contains(cell)), "{grid}");
        }
    }

    #[test]
    fn one_weight_is_rounded_as_the_element_rounds_it() {
        let points = Points::Five;
        let mosaic = Mosaic::new(points, Element::F32, Grid::plane(3, 3), Coefficients::usual(points));
        let before: Vec<f32> = bytemuck::pod_collect_to_vec(&mosaic.before().collect::<Vec<_>>().concat());
        let after: Vec<f32> = bytemuck::pod_collect_to_vec(&mosaic.after().collect::<Vec<_>>().concat());
        assert_eq!(after[4], 0.2 * [1, 3, 4, 5, 7].map(|at: usize| before[at]).iter().sum::<f32>());
        assert_eq!((after[0], after[5]), (before[0], before[5]), "borders stay");
    }
}
