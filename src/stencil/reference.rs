//! The CPU reference of stencils: plain loops in 64-bit floats, cell by cell. It knows nothing of GPUs.

use crate::stencil::config::Config;
use crate::stencil::shape::{Border, Borders, Grid};
use crate::stencil::stencils::{Stencil, Weights};
use crate::stencil::until::{Norm, Outcome, Until};

/// Everything that the result depends on, except the cells.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Problem<'a> {
    /// The stencil.
    pub stencil: &'static Stencil,
    /// Its weights.
    pub weights: Weights,
    /// The grid.
    pub grid: Grid,
    /// The borders on its sides.
    pub borders: Borders,
    /// The right-hand side, which is added to each new cell.
    pub rhs: Option<&'a [f64]>,
}

impl<'a> Problem<'a> {
    /// A stencil over a grid, without a right-hand side.
    pub const fn new(stencil: &'static Stencil, weights: Weights, grid: Grid, borders: Borders) -> Self {
        Problem { stencil, weights, grid, borders, rhs: None }
    }

    /// The problem that a kernel solves, without its right-hand side.
    pub const fn of(config: &Config, weights: Weights) -> Self {
        Problem::new(config.stencil, weights, config.grid, config.borders)
    }

    /// Returns this problem with a right-hand side, which has as many cells as the grid.
    pub const fn with_rhs(self, rhs: &'a [f64]) -> Self {
        Problem { rhs: Some(rhs), ..self }
    }

    /// One Jacobi step: reads `source`, writes every cell of `target` (fixed border cells are copied).
    ///
    /// # Panics
    ///
    /// If the number of cells in a slice differs from that of the grid.
    pub fn step(&self, source: &[f64], target: &mut [f64]) {
        let grid = self.grid;
        assert_eq!(source.len() as u64, grid.cells());
        assert_eq!(target.len() as u64, grid.cells());
        for plane in 0..grid.planes {
            for row in 0..grid.rows {
                for col in 0..grid.cols {
                    let at = [col, row, plane];
                    let own = index(grid, at);
                    target[own] = if self.is_fixed(at) {
                        source[own]
                    } else {
                        self.cell(source, at) + self.rhs.map_or(0.0, |rhs| rhs[own])
                    };
                }
            }
        }
    }

    /// Returns true if a cell lies in a fixed border, which is as wide as the stencil reaches.
    fn is_fixed(&self, at: [u32; 3]) -> bool {
        let (sides, lengths, radius) = (self.borders.pairs(), self.lengths(), self.stencil.radius());
        (0..self.stencil.dims.count()).any(|d| {
            let (low, high) = sides[d];
            (at[d] < radius && low == Border::Fixed)
                || (at[d] + radius >= lengths[d] && high == Border::Fixed)
        })
    }

    /// A cell's new value: the sum of each class of cells, by its weight.
    fn cell(&self, source: &[f64], at: [u32; 3]) -> f64 {
        let (sides, lengths) = (self.borders.pairs(), self.lengths());
        let read = |offset: &[i32; 3]| {
            let mut there = [0; 3];
            for d in 0..3 {
                match neighbour(at[d], offset[d], lengths[d], sides[d]) {
                    Ok(place) => there[d] = place,
                    Err(constant) => return constant,
                }
            }
            source[index(self.grid, there)]
        };
        let classes = self.stencil.classes.iter().enumerate();
        classes.map(|(class, cells)| self.weights[class] * cells.iter().map(read).sum::<f64>()).sum()
    }

    fn lengths(&self) -> [u32; 3] {
        [self.grid.cols, self.grid.rows, self.grid.planes]
    }

    /// Takes at most `steps` steps, until a check finds the residual below epsilon. Returns the cells and the outcome.
    ///
    /// # Panics
    ///
    /// See [`Problem::step`]; also if [`Until::every`] is zero.
    pub fn until(&self, cells: &[f64], steps: u32, until: Until) -> (Vec<f64>, Outcome) {
        let (mut source, mut target) = (cells.to_vec(), cells.to_vec());
        let mut outcome = Outcome::NONE;
        while outcome.steps < steps && !outcome.converged {
            self.step(&source, &mut target);
            outcome.steps += 1;
            if outcome.steps.is_multiple_of(until.every) || outcome.steps == steps {
                (outcome.max, outcome.l2) = residual(&source, &target);
                // Changes that are NaN are never small.
                outcome.converged =
                    outcome.max < until.epsilon && (until.norm == Norm::Max || outcome.l2 < until.epsilon);
            }
            std::mem::swap(&mut source, &mut target);
        }
        (source, outcome)
    }
}

/// The largest change and the square root of the sum of squared changes; NaN if any change is NaN.
fn residual(old: &[f64], new: &[f64]) -> (f64, f64) {
    let changes = || old.iter().zip(new).map(|(old, new)| (new - old).abs());
    let l2 = changes().map(|change| change * change).sum::<f64>().sqrt();
    (if l2.is_nan() { l2 } else { changes().fold(0.0, f64::max) }, l2)
}

fn index(grid: Grid, [col, row, plane]: [u32; 3]) -> usize {
    ((u64::from(plane) * u64::from(grid.rows) + u64::from(row)) * u64::from(grid.cols) + u64::from(col))
        as usize
}

/// The coordinate of the cell that stands for `at + offset`: walks there cell by cell, and at a side goes on as the border says. A value,
/// if it ends beyond a side with a constant.
fn neighbour(at: u32, offset: i32, length: u32, (low, high): (Border, Border)) -> Result<u32, f64> {
    let (mut at, mut ahead) = (at, offset > 0);
    let next = |at: u32, ahead: bool| if ahead { at + 1 } else { at - 1 };
    for _ in 0..offset.unsigned_abs() {
        let (side, is_last) = if ahead { (high, at + 1 == length) } else { (low, at == 0) };
        match side {
            _ if !is_last => at = next(at, ahead),
            Border::Wrap => at = length - 1 - at,
            // The image begins with the cell at the side, and runs the other way.
            Border::Reflect => ahead = !ahead,
            // A single cell is its own image.
            Border::Mirror if length == 1 => {}
            Border::Mirror => {
                ahead = !ahead;
                at = next(at, ahead);
            }
            Border::Constant(value) => return Err(value),
            Border::Fixed => unreachable!("a computed cell reaches no farther than a fixed side"),
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::stencils::{BOXES, Dims, STENCILS};

    #[test]
    fn positions_beyond_a_side_are_scipys() {
        let places = |border: Border, length: u32, at: u32| {
            (-4_i32..=7)
                .map(|to| neighbour(at, to - at as i32, length, (border, border)).ok())
                .collect::<Vec<_>>()
        };
        for (border, expected) in [
            (Border::Reflect, [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]),
            (Border::Mirror, [0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1]),
            (Border::Wrap, [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]),
        ] {
            for at in 0..3 {
                assert_eq!(places(border, 3, at), expected.map(Some), "{border:?} from {at}");
            }
            assert_eq!(places(border, 1, 0), [Some(0); 12], "{border:?}");
        }
        let constant = places(Border::Constant(2.0), 3, 1);
        assert_eq!(constant[4..7], [Some(0), Some(1), Some(2)]);
        assert!(constant[..4].iter().chain(&constant[7..]).all(Option::is_none));
    }

    #[test]
    fn an_impulse_shows_the_weights() {
        let weights = Weights::new(&std::array::from_fn::<_, { Weights::MOST }, _>(|nth| nth as f64 + 2.0));
        for stencil in STENCILS.iter().chain(BOXES) {
            let grid = Grid { planes: if stencil.dims == Dims::Two { 1 } else { 13 }, rows: 13, cols: 13 };
            let middle = [6, 6, grid.planes / 2];
            let mut cells = vec![0.0; grid.cells() as usize];
            cells[index(grid, middle)] = 1.0;
            let mut target = vec![0.0; cells.len()];
            Problem::new(stencil, weights, grid, Borders::default()).step(&cells, &mut target);
            for (class, cells) in stencil.classes.iter().enumerate() {
                for offset in *cells {
                    let at = [0, 1, 2].map(|d| middle[d].wrapping_add_signed(-offset[d]));
                    assert_eq!(std::mem::take(&mut target[index(grid, at)]), weights[class]);
                }
            }
            assert!(target.iter().all(|cell| *cell == 0.0), "{}", stencil.name);
        }
    }
}
