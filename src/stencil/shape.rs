//! Grids, their borders, and the blocks into which kernels divide them.

use crate::gpu::error::Error;

use std::fmt;
use std::str::FromStr;

/// The size of a grid: rows and columns, and in 3D planes. It is stored row by row; the column index changes fastest.
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

/// The sides in a text like `3x4`; `None` if one is no number above 0.
fn sides(text: &str) -> Option<Vec<u32>> {
    text.split(['x', 'X']).map(|side| side.parse().ok().filter(|side| *side > 0)).collect()
}

impl FromStr for Grid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match sides(text).as_deref() {
            Some(&[rows, cols]) => Ok(Grid::plane(rows, cols)),
            Some(&[planes, rows, cols]) => Ok(Grid { planes, rows, cols }),
            _ => Err(Error::setting(
                "name",
                format!(
                    "`{text}` is not a grid; write rows x columns, like 8192x8192, or planes x rows x columns, like 256x512x512"
                ),
            )),
        }
    }
}

/// The border on one side of a grid, by SciPy's names: what lies beyond the cells `a b c d` at that side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Border {
    /// The outermost cells are given, as many as the stencil reaches. Steps read them and never write them (Dirichlet, as in the thesis).
    #[default]
    Fixed,
    /// The mirror image, which begins with the outermost cell: `d c b a | a b c d` (Neumann; NumPy's `symmetric`).
    Reflect,
    /// The mirror image without the outermost cell: `d c b | a b c d` (NumPy's `reflect`).
    Mirror,
    /// The cells of the opposite side: `a b c d | a b c d`. Both sides of a direction must wrap.
    Wrap,
    /// Cells of one value. Beyond a corner columns decide, then rows.
    Constant(f64),
}

impl Border {
    /// The name on the command line, without the value of a constant.
    pub const fn name(self) -> &'static str {
        match self {
            Border::Fixed => "fixed",
            Border::Reflect => "reflect",
            Border::Mirror => "mirror",
            Border::Wrap => "wrap",
            Border::Constant(_) => "constant",
        }
    }

    /// The number of its kind in kernels: see `shaders/stencil/shared/params.wgsl`, which has 3 for a cut.
    pub(super) const fn code(self) -> u32 {
        match self {
            Border::Fixed => 0,
            Border::Reflect => 1,
            Border::Wrap => 2,
            Border::Mirror => 4,
            Border::Constant(_) => 5,
        }
    }
}

impl fmt::Display for Border {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Border::Constant(value) => write!(f, "constant={value}"),
            border => f.write_str(border.name()),
        }
    }
}

impl FromStr for Border {
    type Err = Error;

    /// Reads a name, or `constant=C`. `periodic` is `wrap`, and `constant` is one of 0.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let value = if text == "constant" { Some("0") } else { text.strip_prefix("constant=") };
        let constant = value.and_then(|value| value.parse().ok()).filter(|value: &f64| value.is_finite());
        let plain = [Border::Fixed, Border::Reflect, Border::Mirror, Border::Wrap];
        let name = if text == "periodic" { "wrap" } else { text };
        let named = plain.into_iter().find(|border| border.name() == name);
        named.or(constant.map(Border::Constant)).ok_or_else(|| {
            Error::setting(
                "name",
                format!(
                    "unknown boundary `{text}`; the boundaries are fixed, reflect, mirror, wrap, constant=C"
                ),
            )
        })
    }
}

/// The borders of a grid, one per side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

    /// The two sides of each direction, columns first.
    pub const fn pairs(self) -> [(Border, Border); 3] {
        [(self.west, self.east), (self.north, self.south), (self.near, self.far)]
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
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match sides(text).as_deref() {
            Some(&[rows, cols]) => Ok(Block { rows, cols }),
            _ => Err(Error::setting(
                "name",
                format!("`{text}` is not a block; write rows x columns, like 8x32"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_and_blocks_are_read() {
        assert_eq!("3x4".parse::<Grid>().unwrap(), Grid::plane(3, 4));
        assert_eq!("2x3x4".parse::<Grid>().unwrap(), Grid { planes: 2, rows: 3, cols: 4 });
        assert_eq!("8x32".parse::<Block>().unwrap(), Block { rows: 8, cols: 32 });
        assert!("8x32x2".parse::<Block>().is_err());
        for wrong in ["", "8", "8x", "0x4", "-1x4", "1x2x3x4", "99999999999x1"] {
            assert!(wrong.parse::<Grid>().is_err() && wrong.parse::<Block>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn borders_are_read_as_they_are_written() {
        for border in [Border::Fixed, Border::Reflect, Border::Mirror, Border::Wrap, Border::Constant(-0.125)]
        {
            assert_eq!(border.to_string().parse::<Border>().unwrap(), border);
        }
        assert_eq!("constant".parse::<Border>().unwrap(), Border::Constant(0.0));
        assert_eq!("periodic".parse::<Border>().unwrap(), Border::Wrap);
        for wrong in ["", "open", "constant=", "constant=nan", "fixed=1"] {
            assert!(wrong.parse::<Border>().is_err(), "{wrong}");
        }
    }
}
