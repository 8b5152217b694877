//! Grids to verify stencils with: a small tile repeats, so the result is known on a grid of any size.
//!
//! The tile repeats in every direction, and so do the results of steps, except near the borders. A small grid has all distinct
//! cells of a large one if it is longer than a tile plus the reach of both borders, and ends at the same position in the tile. So
//! the CPU steps the small grid, and every cell of the large grid equals one of its cells.
//! The sides of the tile are primes. A kernel that reads or writes a cell one block or strip off then finds another
//! value there.

use halofold::Element;
use halofold::stencil::reference::Problem;
use halofold::stencil::{Config, Dims, Grid};

use crate::test_data::scramble;

/// A grid before and after Jacobi steps with the weights [`Stencil::dyadic`](halofold::stencil::Stencil::dyadic). The right-hand side is the
/// grid before the steps.
///
/// Cells are integers from -4 to 4, so every order of additions gives the same bits in every float type.
#[derive(Clone, Debug)]
pub(super) struct PeriodicGrid {
    grid: Grid,
    /// Maps the large grid's rows and planes to the small grid's.
    rows: Fold,
    planes: Fold,
    /// The small grid's rows, extended to the large grid's length.
    before: Vec<Vec<u8>>,
    /// The same rows after the steps.
    after: Vec<Vec<u8>>,
    /// True if the steps change anything.
    pub(super) changes: bool,
}

impl PeriodicGrid {
    /// Makes the grid of a configuration, with its element type and borders, and the same grid after `steps` steps.
    pub(super) fn new(config: &Config, steps: u32) -> Self {
        let Config { stencil, grid, element, .. } = *config;
        let tile = match stencil.dims {
            Dims::Three => Grid { planes: 7, rows: 31, cols: 61 },
            _ => Grid::plane(61, 127),
        };
        let reach = steps * stencil.radius();
        let cols = Fold::new(grid.cols, tile.cols, reach);
        let rows = Fold::new(grid.rows, tile.rows, reach);
        let planes = Fold::new(grid.planes, tile.planes, reach);
        let small = Grid { planes: planes.small, rows: rows.small, cols: cols.small };
        let cells = tiled(small, tile);
        let (mut source, mut target) = (cells.clone(), cells.clone());
        let problem = Problem::new(stencil, stencil.dyadic, small, config.borders);
        let problem = if config.rhs { problem.with_rhs(&cells) } else { problem };
        for _ in 0..steps {
            problem.step(&source, &mut target);
            std::mem::swap(&mut source, &mut target);
        }
        let lengthened = |cells: &[f64]| -> Vec<Vec<u8>> {
            cells.chunks_exact(small.cols as usize).map(|row| cols.lengthened(row, element)).collect()
        };
        let (before, after) = (lengthened(&cells), lengthened(&source));
        PeriodicGrid { grid, rows, planes, before, after, changes: cells != source }
    }

    /// Returns the bytes of all rows before the steps, plane by plane.
    pub(super) fn before(&self) -> impl Iterator<Item = &[u8]> {
        self.places().map(|place| &self.before[place][..])
    }

    /// Returns the bytes of all rows after the steps.
    pub(super) fn after(&self) -> impl Iterator<Item = &[u8]> {
        self.places().map(|place| &self.after[place][..])
    }

    /// Returns the index of the small grid's row that each row equals.
    fn places(&self) -> impl Iterator<Item = usize> {
        let rows = move |plane: u32| (0..self.grid.rows).map(move |row| (plane, row));
        (0..self.grid.planes).flat_map(rows).map(move |(plane, row)| {
            (self.planes.place(plane) * self.rows.small + self.rows.place(row)) as usize
        })
    }
}

/// Makes a grid of pseudo-random integers, equal in every tile.
fn tiled(grid: Grid, tile: Grid) -> Vec<f64> {
    let cell = move |plane: u32, row: u32, col: u32| {
        let row_of_tile = plane % tile.planes * tile.rows + row % tile.rows;
        let index = u64::from(row_of_tile) * u64::from(tile.cols) + u64::from(col % tile.cols);
        ((scramble(index) >> 40) % 9) as f64 - 4.0
    };
    let row = move |plane: u32, row: u32| (0..grid.cols).map(move |col| cell(plane, row, col));
    (0..grid.planes).flat_map(|plane| (0..grid.rows).flat_map(move |at| row(plane, at))).collect()
}

/// Maps a side of the large grid to the small one's.
#[derive(Clone, Copy, Debug)]
struct Fold {
    large: u32,
    small: u32,
    period: u32,
    /// Number of cells from a border that may differ from cells in the middle.
    reach: u32,
}

impl Fold {
    /// Returns the shortest side that has both borders of the large one and a period between them.
    fn new(large: u32, period: u32, reach: u32) -> Self {
        let least = period + 2 * reach;
        let small = if large <= least { large } else { least + (large - least) % period };
        Fold { large, small, period, reach }
    }

    /// Returns the position in the small side that equals a position in the large one.
    fn place(self, at: u32) -> u32 {
        let Fold { large, small, period, reach } = self;
        if large == small || at < reach {
            at
        } else if at >= large - reach {
            at - (large - small)
        } else {
            reach + (at - reach) % period
        }
    }

    /// Extends a row of the small grid to the large grid's length, in bytes.
    fn lengthened(self, row: &[f64], element: Element) -> Vec<u8> {
        let row: Vec<_> = (0..self.large).map(|at| row[self.place(at) as usize]).collect();
        match element {
            Element::F16 => row.iter().flat_map(|x| half::f16::from_f64(*x).to_ne_bytes()).collect(),
            Element::F64 => bytemuck::cast_slice(&row).to_vec(),
            _ => row.iter().flat_map(|x| (*x as f32).to_ne_bytes()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halofold::stencil::{BOX_5X5, Border, Borders, FIVE_POINT, TWENTY_SEVEN_POINT};

    /// Encodes rows of 64-bit floats as cells.
    fn cells<'a>(rows: impl Iterator<Item = &'a [u8]>) -> Vec<f64> {
        bytemuck::pod_collect_to_vec(&rows.collect::<Vec<_>>().concat())
    }

    #[test]
    fn a_mosaic_steps_as_the_whole_grid_does() {
        let mixed = Borders { north: Border::Reflect, ..Borders::default() };
        for (stencil, grid) in [
            (&FIVE_POINT, Grid::plane(130, 300)),
            (&FIVE_POINT, Grid::plane(66, 131)),
            (&FIVE_POINT, Grid::plane(1, 5)),
            (&BOX_5X5, Grid::plane(130, 300)),
            (&TWENTY_SEVEN_POINT, Grid { planes: 16, rows: 65, cols: 130 }),
            (&TWENTY_SEVEN_POINT, Grid { planes: 2, rows: 3, cols: 1 }),
        ] {
            for borders in
                [Borders::default(), Borders::all(Border::Reflect), Borders::all(Border::Wrap), mixed]
            {
                let config =
                    Config::new(stencil, stencil.fastest(), Element::F64, grid).with_borders(borders);
                for steps in 1..3 {
                    let periodic = PeriodicGrid::new(&config, steps);
                    let before = cells(periodic.before());
                    let (mut source, mut target) = (before.clone(), before.clone());
                    for _ in 0..steps {
                        Problem::of(&config, stencil.dyadic).step(&source, &mut target);
                        std::mem::swap(&mut source, &mut target);
                    }
                    assert_eq!(cells(periodic.after()), source, "{grid}, {borders:?}, {steps} steps");
                    assert_eq!(periodic.changes, before != source, "{grid}, {borders:?}");
                }
            }
        }
    }
}
