//! Grids, their borders, and the blocks into which kernels divide them.

use crate::parse::{self, ParseError};
use std::fmt;
use std::str::FromStr;

/// The size of a grid: rows and columns, and in 3D planes. It is stored row by row; the column index changes
/// fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Planes; 1 in 2D.
    pub planes: u32,
    /// Rows of one plane.
    pub rows: u32,
    /// Cells of one row.
    pub cols: u32,
}

impl Grid {
    /// A grid in two dimensions.
    pub const fn plane(rows: u32, cols: u32) -> Self {
        Grid { planes: 1, rows, cols }
    }

    /// The number of cells, saturated at `u64::MAX`.
    pub const fn cells(self) -> u64 {
        (self.rows as u64 * self.cols as u64).saturating_mul(self.planes as u64)
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.planes {
            1 => write!(f, "{} × {}", self.rows, self.cols),
            planes => write!(f, "{planes} × {} × {}", self.rows, self.cols),
        }
    }
}

impl FromStr for Grid {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sides: Option<Vec<u32>> =
            text.split(['x', 'X']).map(|side| side.parse().ok().filter(|side| *side > 0)).collect();
        match sides.as_deref() {
            Some(&[rows, cols]) => Ok(Grid::plane(rows, cols)),
            Some(&[planes, rows, cols]) => Ok(Grid { planes, rows, cols }),
            _ => Err(ParseError(format!(
                "`{text}` is not a grid; write rows x columns, like 8192x8192, or planes x rows x columns, like 256x512x512"
            ))),
        }
    }
}

/// The border on one side of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Border {
    /// The outermost cells are given. Steps read them and never write them (Dirichlet, as in the thesis).
    #[default]
    Fixed,
    /// The mirror image across the outer edge of the outermost cells: the cell beyond equals the cell before
    /// it (Neumann).
    Mirror,
    /// The cells of the opposite side. Both sides of a direction must be periodic.
    Periodic,
}

impl Border {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Border::Fixed => "fixed",
            Border::Mirror => "mirror",
            Border::Periodic => "periodic",
        }
    }
}

impl FromStr for Border {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let all = [Border::Fixed, Border::Mirror, Border::Periodic];
        parse::named(("boundary", "boundaries"), all, Border::name, name)
    }
}

/// The borders of a grid, one per side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Borders {
    /// Before column 0.
    pub west: Border,
    /// After the last column.
    pub east: Border,
    /// Before row 0.
    pub north: Border,
    /// After the last row.
    pub south: Border,
    /// Before plane 0.
    pub near: Border,
    /// After the last plane.
    pub far: Border,
}

impl Borders {
    /// The same border on every side.
    pub const fn all(border: Border) -> Self {
        Borders { west: border, east: border, north: border, south: border, near: border, far: border }
    }

    /// Returns true if all sides are fixed.
    pub fn are_fixed(self) -> bool {
        self == Borders::all(Border::Fixed)
    }

    /// The two sides of each direction, columns first.
    pub const fn pairs(self) -> [(Border, Border); 3] {
        [(self.west, self.east), (self.north, self.south), (self.near, self.far)]
    }

    /// Returns true if every direction is periodic on both sides or on none.
    pub fn are_consistent(self) -> bool {
        self.pairs().iter().all(|(low, high)| (*low == Border::Periodic) == (*high == Border::Periodic))
    }
}

/// The invocations of one workgroup: rows × columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Rows: 4 to 32 in the thesis.
    pub rows: u32,
    /// Columns: 16 or 32 in the thesis.
    pub cols: u32,
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl FromStr for Block {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sides = text
            .split_once(['x', 'X'])
            .and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
        match sides {
            Some((rows, cols)) if rows > 0 && cols > 0 => Ok(Block { rows, cols }),
            _ => Err(ParseError(format!("`{text}` is not a block; write rows x columns, like 8x32"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_read() {
        assert_eq!("3x4".parse::<Grid>().unwrap(), Grid::plane(3, 4));
        assert_eq!("2x3x4".parse::<Grid>().unwrap(), Grid { planes: 2, rows: 3, cols: 4 });
        for wrong in ["", "8", "8x", "0x4", "1x2x3x4", "99999999999x1"] {
            assert!(wrong.parse::<Grid>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn blocks_are_read() {
        assert_eq!("8x32".parse::<Block>().unwrap(), Block { rows: 8, cols: 32 });
        for wrong in ["8", "8x", "0x4", "-1x4", "8x32x2"] {
            assert!(wrong.parse::<Block>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn periodic_sides_come_in_pairs() {
        assert!(Borders::all(Border::Periodic).are_consistent());
        assert!(!Borders { west: Border::Periodic, ..Borders::default() }.are_consistent());
    }
}
