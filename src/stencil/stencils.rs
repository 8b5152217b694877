//! The stencils, as data: the cells that a new cell is computed from, and which of them share a weight.

use std::fmt;
use std::str::FromStr;

use crate::stencil::catalogue::{VARIANTS, Variant};
use crate::stencil::shape::Grid;

/// The dimensions of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dims {
    /// Rows and columns.
    Two,
    /// Planes, rows and columns.
    Three,
}

impl Dims {
    /// The number of dimensions.
    pub const fn count(self) -> usize {
        match self {
            Dims::Two => 2,
            Dims::Three => 3,
        }
    }
}

/// Cells that share a weight.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Class {
    /// The index of their weight in [`Weights`].
    pub weight: usize,
    /// Their offsets from the new cell: columns, rows and planes, each -1, 0 or 1.
    pub offsets: &'static [[i32; 3]],
}

/// The weights of a stencil, one per class, in order. Weights after the last class are ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights(pub [f64; 4]);

impl Weights {
    /// Makes the weights of a stencil from a list: one per class. An empty list gives the usual weights. A
    /// stencil with a centre and one class around it also takes one weight for all cells. A list of any other
    /// length gives `None`.
    pub fn of(stencil: &Stencil, given: &[f64]) -> Option<Self> {
        match given {
            [] => Some(stencil.usual),
            [all] if stencil.is_star() => Some(Weights([*all; 4])),
            _ if given.len() == stencil.classes.len() => {
                Some(Weights([0, 1, 2, 3].map(|class| given.get(class).copied().unwrap_or(0.0))))
            }
            _ => None,
        }
    }

    /// The factor by which one step may enlarge the largest value: the sum of the magnitudes of all cells'
    /// weights.
    pub fn gain(self, stencil: &Stencil) -> f64 {
        stencil.classes.iter().map(|class| self.0[class.weight].abs() * class.offsets.len() as f64).sum()
    }
}

/// The cells that a new cell is computed from: `u' = Σ weight · (sum of a class)`, plus a right-hand side if
/// there is one.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Stencil {
    /// Its name: `5-point`.
    pub name: &'static str,
    /// The dimensions of its grids.
    pub dims: Dims,
    /// Its cells: first the centre alone, then the others from the nearest to the farthest.
    pub classes: &'static [Class],
    /// The default weights. They sum to one.
    pub usual: Weights,
    /// Weights that are powers of two. If the cells are small integers, the first steps are exact in any
    /// order of additions.
    pub dyadic: Weights,
    /// The WGSL file with the sum, for kernels that read the grid cell by cell.
    pub(crate) formula: &'static str,
}

const CENTRE: Class = Class { weight: 0, offsets: &[[0, 0, 0]] };
/// The four cells beside it in its plane.
const SIDES: Class = Class { weight: 1, offsets: &[[0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0]] };
/// The six cells that share a face with it.
const FACES: Class =
    Class { weight: 1, offsets: &[[0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1]] };

/// 2D: the cell and the four beside it, `c · centre + n · (north + south + west + east)`. With equal weights
/// kernels compute `c · (centre + north + south + west + east)`, as the thesis does.
pub static FIVE_POINT: Stencil = Stencil {
    name: "5-point",
    dims: Dims::Two,
    classes: &[CENTRE, SIDES],
    usual: Weights([0.2, 0.2, 0.0, 0.0]),
    dyadic: Weights([0.25, 0.25, 0.0, 0.0]),
    formula: "stencil/points/star5",
};

/// 2D: the cell and all eight around it, `c · centre + s · 4 sides + d · 4 diagonals`.
pub static NINE_POINT: Stencil = Stencil {
    name: "9-point",
    dims: Dims::Two,
    classes: &[
        CENTRE,
        SIDES,
        Class { weight: 2, offsets: &[[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0]] },
    ],
    usual: Weights([0.25, 0.125, 0.0625, 0.0]),
    dyadic: Weights([0.25, 0.125, 0.0625, 0.0]),
    formula: "stencil/points/box9",
};

/// 3D: the cell and all 26 around it, `α · centre + β · 6 faces + γ · 12 edges + δ · 8 corners`.
pub static TWENTY_SEVEN_POINT: Stencil = Stencil {
    name: "27-point",
    dims: Dims::Three,
    classes: &[
        CENTRE,
        FACES,
        Class {
            weight: 2,
            #[rustfmt::skip]
            offsets: &[
                [-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0],
                [0, -1, -1], [0, 1, -1], [-1, 0, -1], [1, 0, -1],
                [0, -1, 1], [0, 1, 1], [-1, 0, 1], [1, 0, 1],
            ],
        },
        Class {
            weight: 3,
            #[rustfmt::skip]
            offsets: &[
                [-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1],
                [-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1],
            ],
        },
    ],
    usual: Weights([0.125, 0.0625, 0.03125, 0.015_625]),
    dyadic: Weights([0.125, 0.0625, 0.03125, 0.015_625]),
    formula: "stencil/points/box27",
};

/// 3D: the cell and the six that share a face with it, `c · centre + n · faces`.
pub static SEVEN_POINT: Stencil = Stencil {
    name: "7-point",
    dims: Dims::Three,
    classes: &[CENTRE, FACES],
    usual: Weights([0.25, 0.125, 0.0, 0.0]),
    dyadic: Weights([0.25, 0.125, 0.0, 0.0]),
    formula: "stencil/points/star7",
};

/// All stencils. For each number of dimensions, the first is the default.
pub static STENCILS: &[&Stencil] = &[&FIVE_POINT, &NINE_POINT, &TWENTY_SEVEN_POINT, &SEVEN_POINT];

impl Stencil {
    /// The number of cells that a new cell is computed from.
    pub fn points(&self) -> u32 {
        self.classes.iter().map(|class| class.offsets.len() as u32).sum()
    }

    /// The default stencil for grids of these dimensions.
    pub fn usual_in(dims: Dims) -> &'static Stencil {
        STENCILS
            .iter()
            .find(|stencil| stencil.dims == dims)
            .expect("there is a stencil for every kind of grid")
    }

    /// The variants that support it, in the catalogue's order.
    pub fn variants(&self) -> impl Iterator<Item = &'static Variant> {
        VARIANTS.iter().filter(|variant| variant.serves(self))
    }

    /// The variant that is fastest on a large GPU and a large grid, for many steps: the last in the
    /// catalogue. [`Config::fastest`](crate::stencil::Config::fastest) chooses by the device and the grid.
    pub fn fastest(&self) -> &'static Variant {
        self.variants().last().expect("a general kernel serves every stencil")
    }

    /// The variant that is fastest if every step is a separate pass over memory.
    pub fn fastest_step(&self) -> &'static Variant {
        let steps = self.variants().filter(|variant| !variant.is_blocked());
        steps.last().expect("a general kernel serves every stencil")
    }

    /// Returns true if its kernels multiply once: it has a centre and one class around it, both of one weight.
    pub fn is_one_weight(&self, Weights(weights): Weights) -> bool {
        self.is_star() && weights[0] == weights[1]
    }

    /// Returns true if it has a centre and one class around it.
    pub(crate) const fn is_star(&self) -> bool {
        self.classes.len() == 2
    }

    /// Returns true if a grid has its number of dimensions. A grid of one plane also counts as 3D.
    pub fn fits(&self, grid: Grid) -> bool {
        self.dims == Dims::Three || grid.planes == 1
    }
}

/// A text that is not the name of a stencil.
#[derive(Clone, Debug)]
pub struct UnknownStencil(String);

impl fmt::Display for UnknownStencil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |name: &'static str| name.strip_suffix("-point").unwrap_or(name);
        let names: Vec<_> = STENCILS.iter().map(|stencil| short(stencil.name)).collect();
        write!(f, "unknown stencil `{}`; the stencils are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownStencil {}

impl FromStr for &'static Stencil {
    type Err = UnknownStencil;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_named = |stencil: &&&'static Stencil| {
            stencil.name == text || stencil.name.strip_suffix("-point") == Some(text)
        };
        STENCILS.iter().find(is_named).copied().ok_or_else(|| UnknownStencil(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn usual_weights_sum_to_one() {
        for stencil in STENCILS {
            assert_eq!(stencil.usual.gain(stencil), 1.0, "{}", stencil.name);
        }
    }

    #[test]
    fn names_tell_the_points_and_are_read() {
        for &stencil in STENCILS {
            assert_eq!(stencil.name, format!("{}-point", stencil.points()));
            for name in [stencil.name, &stencil.points().to_string()] {
                assert_eq!(name.parse::<&Stencil>().unwrap(), stencil);
            }
        }
        let message = "6".parse::<&Stencil>().unwrap_err().to_string();
        assert!(message.contains("`6`") && message.contains("27, 7"), "{message}");
    }

    #[test]
    fn cells_are_told_apart_and_symmetric() {
        for stencil in STENCILS {
            assert_eq!(stencil.classes[0], CENTRE, "{}", stencil.name);
            let cells = stencil.classes.iter().flat_map(|class| class.offsets);
            let distinct: HashSet<_> = cells.clone().collect();
            assert_eq!(distinct.len() as u32, stencil.points(), "{}", stencil.name);
            for (index, class) in stencil.classes.iter().enumerate() {
                assert_eq!(class.weight, index, "{}", stencil.name);
                assert!(class.offsets.iter().all(|at| class.offsets.contains(&at.map(|side| -side))));
            }
            let farthest = cells.flatten().map(|side| side.abs()).max();
            assert_eq!(farthest, Some(1), "kernels, windows and halos reach one cell");
            assert!(stencil.dims == Dims::Three || distinct.iter().all(|at| at[2] == 0));
        }
    }
}
