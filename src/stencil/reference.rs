//! The CPU's word on a stencil: plain loops in 64-bit floats, cell by cell. Knows nothing of GPUs.

use crate::stencil::shape::{Border, Borders, Coefficients, Grid, Points};
use crate::stencil::until::{Outcome, Until};

/// One Jacobi step: reads `source`, writes every cell of `target` (fixed border cells are copied).
///
/// # Panics
///
/// If a slice does not hold as many cells as the grid has.
pub fn step(
    points: Points,
    grid: Grid,
    borders: Borders,
    coefficients: Coefficients,
    source: &[f64],
    target: &mut [f64],
) {
    assert_eq!(source.len() as u64, grid.cells());
    assert_eq!(target.len() as u64, grid.cells());
    let sides = borders.pairs();
    let lengths = [grid.cols, grid.rows, grid.planes];
    let deep = points == Points::TwentySeven;
    for plane in 0..grid.planes {
        for row in 0..grid.rows {
            for col in 0..grid.cols {
                let at = [col, row, plane];
                let own = index(grid, at);
                let directions = if deep { 3 } else { 2 };
                let frozen = (0..directions).any(|d| is_frozen(at[d], lengths[d], sides[d]));
                target[own] = if frozen {
                    source[own]
                } else {
                    cell(points, coefficients, |offsets| {
                        let mut there = at;
                        for d in 0..directions {
                            there[d] = neighbour(at[d], offsets[d], lengths[d], sides[d]);
                        }
                        source[index(grid, there)]
                    })
                };
            }
        }
    }
}

/// Steps until a check finds the residual below epsilon, `steps` times at most: the cells then, and how it ended.
///
/// # Panics
///
/// As [`step`], and if [`Until::every`] is zero.
pub fn until(
    points: Points,
    grid: Grid,
    borders: Borders,
    coefficients: Coefficients,
    cells: &[f64],
    steps: u32,
    until: Until,
) -> (Vec<f64>, Outcome) {
    let (mut source, mut target) = (cells.to_vec(), cells.to_vec());
    let mut outcome = Outcome::NONE;
    while outcome.steps < steps && !outcome.converged {
        step(points, grid, borders, coefficients, &source, &mut target);
        outcome.steps += 1;
        if outcome.steps.is_multiple_of(until.every) || outcome.steps == steps {
            (outcome.max, outcome.l2) = residual(&source, &target);
            outcome.converged = until.is_met(outcome.max, outcome.l2);
        }
        std::mem::swap(&mut source, &mut target);
    }
    (source, outcome)
}

/// The largest change and the root of the sum of squared changes; NaN if any change is.
fn residual(old: &[f64], new: &[f64]) -> (f64, f64) {
    let changes = || old.iter().zip(new).map(|(old, new)| (new - old).abs());
    let l2 = changes().map(|change| change * change).sum::<f64>().sqrt();
    (if l2.is_nan() { l2 } else { changes().fold(0.0, f64::max) }, l2)
}

fn index(grid: Grid, [col, row, plane]: [u32; 3]) -> usize {
    ((u64::from(plane) * u64::from(grid.rows) + u64::from(row)) * u64::from(grid.cols) + u64::from(col))
        as usize
}

/// Whether a coordinate lies in a fixed border.
fn is_frozen(at: u32, length: u32, (low, high): (Border, Border)) -> bool {
    (at == 0 && low == Border::Fixed) || (at + 1 == length && high == Border::Fixed)
}

/// The coordinate that stands for `at + offset`.
fn neighbour(at: u32, offset: i32, length: u32, (low, high): (Border, Border)) -> u32 {
    match (offset, at) {
        (-1, 0) => {
            if low == Border::Periodic {
                length - 1
            } else {
                0
            }
        }
        (1, at) if at + 1 == length => {
            if high == Border::Periodic {
                0
            } else {
                at
            }
        }
        (offset, at) => at.wrapping_add_signed(offset),
    }
}

/// A cell's new value from its neighbours, which `read` finds by their offsets in columns, rows and planes.
fn cell(points: Points, Coefficients(weights): Coefficients, read: impl Fn([i32; 3]) -> f64) -> f64 {
    match points {
        Points::Five => {
            let around = read([0, -1, 0]) + read([0, 1, 0]) + read([-1, 0, 0]) + read([1, 0, 0]);
            weights[0] * (read([0, 0, 0]) + around)
        }
        Points::TwentySeven => {
            let mut shells = [0.0; 4];
            for z in -1i32..=1 {
                for y in -1i32..=1 {
                    for x in -1i32..=1 {
                        shells[(x.abs() + y.abs() + z.abs()) as usize] += read([x, y, z]);
                    }
                }
            }
            shells.iter().zip(weights).map(|(sum, weight)| sum * weight).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stepped(points: Points, grid: Grid, border: Border, cells: &[f64]) -> Vec<f64> {
        let mut target = vec![f64::NAN; cells.len()];
        step(points, grid, Borders::all(border), Coefficients::usual(points), cells, &mut target);
        target
    }

    #[test]
    fn constants_stay() {
        for points in Points::ALL {
            let grid = Grid { planes: if points == Points::Five { 1 } else { 3 }, rows: 4, cols: 5 };
            for border in [Border::Fixed, Border::Mirror, Border::Periodic] {
                let cells = vec![8.0; grid.cells() as usize];
                for cell in stepped(points, grid, border, &cells) {
                    assert!((cell - 8.0).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn an_impulse_spreads_to_its_neighbours() {
        let grid = Grid::plane(5, 5);
        let mut cells = vec![0.0; 25];
        cells[12] = 5.0;
        let target = stepped(Points::Five, grid, Border::Fixed, &cells);
        for (index, cell) in target.iter().enumerate() {
            let near = [7, 11, 12, 13, 17].contains(&index);
            assert_eq!(*cell, if near { 1.0 } else { 0.0 }, "{index}");
        }
    }

    #[test]
    fn periodic_sides_meet() {
        let grid = Grid::plane(1, 4);
        let target = stepped(Points::Five, grid, Border::Periodic, &[5.0, 0.0, 0.0, 0.0]);
        // One row is its own neighbour to the north and south.
        assert_eq!(target, [3.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn mirrors_keep_the_sum() {
        let grid = Grid { planes: 2, rows: 3, cols: 4 };
        let cells: Vec<f64> = (0..24).map(|x| f64::from(x * x % 17)).collect();
        let target = stepped(Points::TwentySeven, grid, Border::Mirror, &cells);
        assert!((target.iter().sum::<f64>() - cells.iter().sum::<f64>()).abs() < 1e-9);
    }
}
