//! The stencils, as data: the cells that a new cell is computed from, and which of them share a weight.

use std::ops::Index;
use std::str::FromStr;

use crate::gpu::error::Error;
use crate::stencil::catalogue::{VARIANTS, Variant};

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

/// The weights of a stencil, one per class, in order. Weights after the last class are ignored; those that are not given are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights([f64; Weights::MOST]);

impl Weights {
    /// The most classes of a stencil: one for each cell of a box of 3 × 3 × 3.
    pub const MOST: usize = 27;

    /// Makes weights from a list of up to [`Weights::MOST`].
    ///
    /// # Panics
    ///
    /// If there are more.
    pub const fn new(list: &[f64]) -> Self {
        assert!(list.len() <= Self::MOST, "a stencil has at most 27 weights");
        let mut weights = [0.0; Self::MOST];
        let (head, _) = weights.split_at_mut(list.len());
        head.copy_from_slice(list);
        Weights(weights)
    }

    /// Makes the weights of a stencil from a list: one per class. An empty list gives the usual weights. A stencil with a centre and one class around
    /// it also takes one weight for all cells. A list of any other length gives `None`.
    pub fn of(stencil: &Stencil, given: &[f64]) -> Option<Self> {
        match given {
            [] => Some(stencil.usual),
            [all] if stencil.is_star() => Some(Weights::new(&[*all; Self::MOST])),
            _ => (given.len() == stencil.classes.len()).then(|| Weights::new(given)),
        }
    }

    /// The weights of a stencil's classes.
    pub fn of_classes(&self, stencil: &Stencil) -> &[f64] {
        &self.0[..stencil.classes.len()]
    }

    /// The weights that kernels are given: of four classes, if there are fewer.
    pub(super) fn of_kernel(&self, stencil: &Stencil) -> &[f64] {
        &self.0[..stencil.classes.len().max(4)]
    }

    /// The factor by which one step may enlarge the largest value: the sum of the magnitudes of all cells' weights.
    pub fn gain(self, stencil: &Stencil) -> f64 {
        stencil.classes.iter().zip(self.0).map(|(cells, weight)| weight.abs() * cells.len() as f64).sum()
    }
}

impl Index<usize> for Weights {
    type Output = f64;

    /// The weight of a class.
    fn index(&self, class: usize) -> &f64 {
        &self.0[class]
    }
}

/// The cells that a new cell is computed from: `u' = Σ weight · (sum of a class)`, plus a right-hand side if there is one.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Stencil {
    /// Its name: `5-point`.
    pub name: &'static str,
    /// The dimensions of its grids.
    pub dims: Dims,
    /// Its cells, in a class for each weight: the offsets of a class from the new cell, in columns, rows and planes. First comes the centre
    /// alone, then the others from the nearest to the farthest; of [`BOXES`] row by row.
    pub classes: &'static [&'static [[i32; 3]]],
    /// The default weights. They sum to one.
    pub usual: Weights,
    /// Weights that are powers of two. If the cells are small integers, the first steps are exact in any order of additions.
    pub dyadic: Weights,
    /// The WGSL file with the sum for the general kernel, if a sum written out from the classes would have other bits.
    pub(crate) formula: Option<&'static str>,
}

const CENTRE: &[[i32; 3]] = &[[0, 0, 0]];
/// The four cells beside it in its plane.
const SIDES: &[[i32; 3]] = &[[0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0]];
/// The six cells that share a face with it.
const FACES: &[[i32; 3]] = &[[0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1]];

/// The twelve cells that share an edge with it.
#[rustfmt::skip]
const EDGES: &[[i32; 3]] = &[
    [-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0],
    [0, -1, -1], [0, 1, -1], [-1, 0, -1], [1, 0, -1],
    [0, -1, 1], [0, 1, 1], [-1, 0, 1], [1, 0, 1],
];
/// The eight cells that share a corner with it.
#[rustfmt::skip]
const CORNERS: &[[i32; 3]] = &[
    [-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1],
    [-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1],
];

/// 2D: the cell and the four beside it, `c · centre + n · (north + south + west + east)`. With equal weights
/// kernels compute `c · (centre + north + south + west + east)`, as the thesis does.
pub static FIVE_POINT: Stencil = Stencil {
    name: "5-point",
    dims: Dims::Two,
    classes: &[CENTRE, SIDES],
    usual: Weights::new(&[0.2, 0.2, 0.0, 0.0]),
    dyadic: Weights::new(&[0.25, 0.25, 0.0, 0.0]),
    formula: Some("star5"),
};

/// 2D: the cell and all eight around it, `c · centre + s · 4 sides + d · 4 diagonals`.
pub static NINE_POINT: Stencil = Stencil {
    name: "9-point",
    dims: Dims::Two,
    classes: &[CENTRE, SIDES, &[[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0]]],
    usual: Weights::new(&[0.25, 0.125, 0.0625, 0.0]),
    dyadic: Weights::new(&[0.25, 0.125, 0.0625, 0.0]),
    formula: Some("box9"),
};

/// 3D: the cell and all 26 around it, `α · centre + β · 6 faces + γ · 12 edges + δ · 8 corners`.
pub static TWENTY_SEVEN_POINT: Stencil = Stencil {
    name: "27-point",
    dims: Dims::Three,
    classes: &[CENTRE, FACES, EDGES, CORNERS],
    usual: Weights::new(&[0.125, 0.0625, 0.03125, 0.015_625]),
    dyadic: Weights::new(&[0.125, 0.0625, 0.03125, 0.015_625]),
    formula: Some("box27"),
};

/// 3D: the cell and the six that share a face with it, `c · centre + n · faces`.
pub static SEVEN_POINT: Stencil = Stencil {
    name: "7-point",
    dims: Dims::Three,
    classes: &[CENTRE, FACES],
    usual: Weights::new(&[0.25, 0.125, 0.0, 0.0]),
    dyadic: Weights::new(&[0.25, 0.125, 0.0, 0.0]),
    formula: Some("star7"),
};

/// 2D: a star that reaches three cells, `c · centre + n · 4 beside it + m · 4 two away + f · 4 three away`.
pub static THIRTEEN_POINT: Stencil = Stencil {
    name: "13-point",
    dims: Dims::Two,
    classes: &[
        CENTRE,
        SIDES,
        &[[0, -2, 0], [0, 2, 0], [-2, 0, 0], [2, 0, 0]],
        &[[0, -3, 0], [0, 3, 0], [-3, 0, 0], [3, 0, 0]],
    ],
    usual: Weights::new(&[0.25, 0.125, 0.03125, 0.03125]),
    dyadic: Weights::new(&[0.25, 0.125, 0.0625, 0.03125]),
    formula: None,
};

/// 3D: a star that reaches two cells, `c · centre + n · 6 faces + m · 6 two away`.
pub static THIRTEEN_POINT_3D: Stencil = Stencil {
    name: "13-point-3d",
    dims: Dims::Three,
    classes: &[CENTRE, FACES, &[[0, -2, 0], [0, 2, 0], [-2, 0, 0], [2, 0, 0], [0, 0, -2], [0, 0, 2]]],
    usual: Weights::new(&[0.0625, 0.125, 0.03125]),
    dyadic: Weights::new(&[0.25, 0.125, 0.03125]),
    formula: None,
};

/// All stencils. For each number of dimensions, the first is the default.
pub static STENCILS: &[&Stencil] =
    &[&FIVE_POINT, &NINE_POINT, &TWENTY_SEVEN_POINT, &SEVEN_POINT, &THIRTEEN_POINT, &THIRTEEN_POINT_3D];

/// The cells of a box row by row, plane by plane, each by itself.
const fn cells_of_box<const N: usize>(side: i32, planes: i32) -> [[[i32; 3]; 1]; N] {
    let mut cells = [[[0; 3]]; N];
    let mut nth = 0;
    while nth < N {
        let at = nth as i32;
        cells[nth] = [[at % side - side / 2, at / side % side - side / 2, at / side / side - planes / 2]];
        nth += 1;
    }
    cells
}

/// A class for each of these cells.
const fn classes_of_box<const N: usize>(cells: &'static [[[i32; 3]; 1]; N]) -> [&'static [[i32; 3]]; N] {
    let mut classes: [&[[i32; 3]]; N] = [&[]; N];
    let mut nth = 0;
    while nth < N {
        classes[nth] = &cells[nth];
        nth += 1;
    }
    classes
}

/// Products of a row, a column and a line of binomial coefficients, over their sum.
const fn binomial(side: usize, planes: usize) -> Weights {
    let row: &[f64] = if side == 3 { &[0.25, 0.5, 0.25] } else { &[0.0625, 0.25, 0.375, 0.25, 0.0625] };
    let mut weights = [0.0; Weights::MOST];
    let mut nth = 0;
    while nth < side * side * planes {
        let line = if planes == 1 { 1.0 } else { row[nth / side / side] };
        weights[nth] = row[nth % side] * row[nth / side % side] * line;
        nth += 1;
    }
    Weights(weights)
}

/// Different powers of two, again and again.
const fn powers_of_two(count: usize) -> Weights {
    let mut weights = [0.0; Weights::MOST];
    let mut nth = 0;
    while nth < count {
        weights[nth] = [0.25, 0.0625, 0.125, 0.03125][nth % 4];
        nth += 1;
    }
    Weights(weights)
}

macro_rules! box_stencil {
    ($name:literal, $dims:ident, $side:literal, $planes:literal) => {
        Stencil {
            name: $name,
            dims: Dims::$dims,
            classes: {
                const CELLS: usize = $side * $side * $planes;
                static CLASSES: [&[[i32; 3]]; CELLS] =
                    classes_of_box(const { &cells_of_box::<CELLS>($side, $planes) });
                &CLASSES
            },
            usual: binomial($side, $planes),
            dyadic: powers_of_two($side * $side * $planes),
            formula: None,
        }
    };
}

/// 2D: the nine cells around and in the middle, each with a weight of its own, row by row from north-west to south-east. The default
/// weights are binomial: a blur. With those of an array of 3 × 3 this is SciPy's `correlate`.
pub static BOX_3X3: Stencil = box_stencil!("3x3", Two, 3, 1);

/// The same of 5 × 5 cells.
pub static BOX_5X5: Stencil = box_stencil!("5x5", Two, 5, 1);

/// The same in 3D, of 3 × 3 × 3 cells, plane by plane.
pub static BOX_3X3X3: Stencil = box_stencil!("3x3x3", Three, 3, 3);

/// The stencils whose cells have a weight each: any weights in an array of their shape.
pub static BOXES: &[&Stencil] = &[&BOX_3X3, &BOX_5X5, &BOX_3X3X3];

impl Stencil {
    /// The stencil with a weight for each cell of an array of this shape.
    pub fn with_weights_of_shape(shape: &[usize]) -> Option<&'static Stencil> {
        match shape {
            [3, 3] => Some(&BOX_3X3),
            [5, 5] => Some(&BOX_5X5),
            [3, 3, 3] => Some(&BOX_3X3X3),
            _ => None,
        }
    }

    /// Its name without the word that all have in common: `5`.
    pub fn short_name(&self) -> String {
        self.name.replacen("-point", "", 1)
    }

    /// The number of cells that a new cell is computed from.
    pub fn points(&self) -> u32 {
        self.classes.iter().map(|cells| cells.len() as u32).sum()
    }

    /// The farthest that a cell lies from the new one, in any direction: a step reads this many layers of its neighbours.
    pub fn radius(&self) -> u32 {
        let sides = self.classes.iter().copied().flatten().flatten();
        sides.map(|side| side.unsigned_abs()).max().unwrap_or(0)
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

    /// The variant that supports every stencil of these dimensions, with every border.
    pub fn general(&self) -> &'static Variant {
        let general = self.variants().find(|variant| variant.is_general());
        general.expect("there is one for each number of dimensions")
    }

    /// The variant that is fastest if every step is a separate sweep over memory.
    pub fn fastest_step(&self) -> &'static Variant {
        let steps = self.variants().filter(|variant| !variant.is_blocked());
        steps.last().expect("a general kernel serves every stencil")
    }

    /// Returns true if it has a centre and one class around it.
    pub(crate) const fn is_star(&self) -> bool {
        self.classes.len() == 2
    }
}

impl FromStr for &'static Stencil {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = || STENCILS.iter().chain(BOXES);
        let is_named = |stencil: &&&'static Stencil| stencil.name == text || stencil.short_name() == text;
        all().find(is_named).copied().ok_or_else(|| {
            let names: Vec<_> = all().map(|stencil| stencil.short_name()).collect();
            Error::setting("name", format!("unknown stencil `{text}`; the stencils are {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn usual_weights_sum_to_one() {
        for stencil in STENCILS.iter().chain(BOXES) {
            assert_eq!(stencil.usual.gain(stencil), 1.0, "{}", stencil.name);
        }
    }

    #[test]
    fn names_tell_the_points_and_are_read() {
        for &stencil in STENCILS {
            assert!(stencil.name.starts_with(&format!("{}-point", stencil.points())));
        }
        for &stencil in STENCILS.iter().chain(BOXES) {
            for name in [stencil.name, &stencil.short_name()] {
                assert_eq!(name.parse::<&Stencil>().unwrap(), stencil);
            }
        }
        let message = "6".parse::<&Stencil>().unwrap_err().to_string();
        assert!(message.contains("`6`") && message.contains("27, 7") && message.contains("5x5"), "{message}");
    }

    #[test]
    fn boxes_have_a_class_for_each_cell() {
        for (stencil, shape) in BOXES.iter().zip([&[3, 3][..], &[5, 5], &[3, 3, 3]]) {
            assert_eq!(Stencil::with_weights_of_shape(shape), Some(*stencil));
            assert_eq!((shape.len(), stencil.radius() as usize), (stencil.dims.count(), shape[0] / 2));
            let cells: Vec<_> = stencil.classes.iter().copied().flatten().collect();
            // By planes, then rows, then columns.
            assert!(cells.is_sorted_by_key(|[col, row, plane]| (plane, row, col)));
            assert_eq!(cells.iter().copied().collect::<HashSet<_>>().len(), shape.iter().product::<usize>());
        }
        assert_eq!(Stencil::with_weights_of_shape(&[3, 5]), None);
    }

    #[test]
    fn cells_are_told_apart_and_symmetric() {
        for stencil in STENCILS {
            assert_eq!(stencil.classes[0], CENTRE, "{}", stencil.name);
            let distinct: HashSet<_> = stencil.classes.iter().copied().flatten().collect();
            assert_eq!(distinct.len() as u32, stencil.points(), "{}", stencil.name);
            for cells in stencil.classes {
                assert!(cells.iter().all(|at| cells.contains(&at.map(|side| -side))));
            }
            assert!(stencil.classes.len() <= Weights::MOST && stencil.radius() > 0);
            let is_general = stencil.variants().count() == 1;
            assert!(
                is_general || stencil.radius() == 1,
                "only the general kernels reach farther than one cell"
            );
            assert!(stencil.dims == Dims::Three || distinct.iter().all(|at| at[2] == 0));
        }
    }
}
