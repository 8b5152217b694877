//! What a stencil is applied to: points, grids, borders, coefficients, blocks.

use std::fmt;
use std::str::FromStr;

/// Which neighbours a cell looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Points {
    /// 2D: the cell and its four neighbours, `C0 · (centre + north + south + west + east)`.
    Five,
    /// 3D: the cell and all 26 around it, `α · centre + β · 6 faces + γ · 12 edges + δ · 8 corners`.
    TwentySeven,
}

impl Points {
    /// Both stencils.
    pub const ALL: [Points; 2] = [Points::Five, Points::TwentySeven];

    /// Dimensions of the grid.
    pub const fn dimensions(self) -> usize {
        match self {
            Points::Five => 2,
            Points::TwentySeven => 3,
        }
    }

    /// How many cells a new one is made of.
    pub const fn count(self) -> u32 {
        match self {
            Points::Five => 5,
            Points::TwentySeven => 27,
        }
    }

    /// Floating-point operations of one cell, as the thesis counts them.
    pub const fn flops(self) -> u32 {
        match self {
            Points::Five => 5,
            Points::TwentySeven => 30,
        }
    }
}

/// How many cells a grid has: rows of columns, and planes of rows in 3D. Stored row after row, columns fastest.
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

    /// Cells in all, or the largest number there is.
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

/// What lies beyond one side of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Border {
    /// The outermost cells are given: read, never written (Dirichlet, as in the thesis).
    #[default]
    Fixed,
    /// The mirror image across the outer edge of the outermost cells: the cell beyond equals the cell before it (Neumann).
    Mirror,
    /// The opposite side. Both sides of a direction must be periodic.
    Periodic,
}

impl Border {
    /// The name it has on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Border::Fixed => "fixed",
            Border::Mirror => "mirror",
            Border::Periodic => "periodic",
        }
    }
}

/// A name that is no border.
#[derive(Clone, Debug, thiserror::Error)]
#[error("unknown boundary `{0}`; the boundaries are fixed, mirror, periodic")]
pub struct UnknownBorder(String);

impl FromStr for Border {
    type Err = UnknownBorder;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Border::Fixed, Border::Mirror, Border::Periodic]
            .into_iter()
            .find(|border| border.name() == name)
            .ok_or_else(|| UnknownBorder(name.to_owned()))
    }
}

/// The borders of a grid, side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Borders {
    /// Before column 0.
    pub west: Border,
    /// Behind the last column.
    pub east: Border,
    /// Before row 0.
    pub north: Border,
    /// Behind the last row.
    pub south: Border,
    /// Before plane 0.
    pub near: Border,
    /// Behind the last plane.
    pub far: Border,
}

impl Borders {
    /// The same on every side.
    pub const fn all(border: Border) -> Self {
        Borders { west: border, east: border, north: border, south: border, near: border, far: border }
    }

    /// Whether all sides are fixed.
    pub fn are_fixed(self) -> bool {
        self == Borders::all(Border::Fixed)
    }

    /// The two sides of each direction, columns first.
    pub const fn pairs(self) -> [(Border, Border); 3] {
        [(self.west, self.east), (self.north, self.south), (self.near, self.far)]
    }

    /// Whether every direction that is periodic on one side is so on the other.
    pub fn are_consistent(self) -> bool {
        self.pairs().iter().all(|(low, high)| (*low == Border::Periodic) == (*high == Border::Periodic))
    }
}

/// The weights of a stencil: `[C0, -, -, -]` for five points, `[α, β, γ, δ]` for 27.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients(pub [f64; 4]);

impl Coefficients {
    /// Averages, in numbers that binary floats hold exactly where they can: 0.2 for five points, and
    /// 1/8, 1/16, 1/32, 1/64 for 27, which sum to one.
    pub const fn usual(points: Points) -> Self {
        match points {
            Points::Five => Coefficients([0.2, 0.0, 0.0, 0.0]),
            Points::TwentySeven => Coefficients([0.125, 0.0625, 0.03125, 0.015_625]),
        }
    }

    /// The sum of all weights' magnitudes: by how much one step may enlarge the largest value.
    pub fn gain(self, points: Points) -> f64 {
        let [a, b, c, d] = self.0.map(f64::abs);
        match points {
            Points::Five => 5.0 * a,
            Points::TwentySeven => a + 6.0 * b + 12.0 * c + 8.0 * d,
        }
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

/// A text that is no block shape.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{0}` is no block; write rows x columns, like 8x32")]
pub struct BadBlock(String);

impl FromStr for Block {
    type Err = BadBlock;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sides = text
            .split_once(['x', 'X'])
            .and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
        match sides {
            Some((rows, cols)) if rows > 0 && cols > 0 => Ok(Block { rows, cols }),
            _ => Err(BadBlock(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_weights_sum_to_one() {
        for points in Points::ALL {
            assert_eq!(Coefficients::usual(points).gain(points), 1.0);
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
