//! What is asked for, checked as far as that needs no GPU.

use halofold::stencil::{Borders, Config, Dims, Grid, Stencil, Until, Variant, Weights};
use halofold_run::files::Source;

use super::StencilArgs;

/// Steps from one check to the next where nobody says.
const USUAL_EVERY: u32 = 10;

/// A grid in a file, and what is to be done with it.
pub struct Request {
    /// The grid.
    pub source: Source,
    /// The right-hand side.
    pub rhs: Option<Source>,
    /// The kernel, the whole grid and its borders.
    pub config: Config,
    /// The weights.
    pub weights: Weights,
    /// When to stop before all steps are made.
    pub until: Option<Until>,
}

impl Request {
    /// Opens the files and holds the options against them.
    pub fn new(args: &StencilArgs) -> Result<Self, String> {
        let source = open(&args.grid)?;
        let element = source.element();
        let (stencil, grid) = shape(args, source.shape()).map_err(|why| format!("{}: {why}", args.grid))?;
        let config = match args.variant.as_str() {
            "auto" => Config::fastest(stencil, element, grid),
            variant => {
                let variant = Variant::named(stencil, variant).map_err(|error| error.to_string())?;
                Config::new(stencil, variant, element, grid)
            }
        };
        let config = config.with_borders(Borders::all(args.boundary));
        let rhs = args.rhs.as_ref().map(|path| right_hand_side(path, &source)).transpose()?;
        let config = if rhs.is_some() { config.with_rhs() } else { config };
        let are_finite = args.weights.iter().all(|weight| weight.is_finite());
        let weights = Weights::of(stencil, &args.weights).filter(|_| are_finite).ok_or_else(|| {
            format!("--weights: {} points take {} numbers, or none", stencil.points(), stencil.classes.len())
        })?;
        let every = args.every.unwrap_or(USUAL_EVERY);
        let until = args.until.map(|epsilon| Until::new(epsilon).with_every(every).with_norm(args.norm));
        Ok(Request { source, rhs, config, weights, until })
    }
}

/// Opens a grid whose layers lie in one piece each.
fn open(path: &str) -> Result<Source, String> {
    let source = Source::open(path).map_err(|error| error.to_string())?;
    let element = source.element();
    if !element.is_float() {
        return Err(format!(
            "{path}: holds {element}, and stencils work on f32, f64 and f16: convert it, array.astype('f4')"
        ));
    }
    if source.is_fortran() {
        return Err(format!(
            "{path}: is in Fortran's order, in which no layer lies in one piece: save it in C's order"
        ));
    }
    Ok(source)
}

/// Opens the right-hand side of a grid.
fn right_hand_side(path: &str, grid: &Source) -> Result<Source, String> {
    let rhs = open(path)?;
    let of = |source: &Source| format!("{:?} {}", source.shape(), source.element());
    if of(&rhs) == of(grid) {
        Ok(rhs)
    } else {
        Err(format!("--rhs {path}: is {}, and the grid {}", of(&rhs), of(grid)))
    }
}

/// The stencil and the grid that a file's dimensions mean.
fn shape(args: &StencilArgs, shape: &[u64]) -> Result<(&'static Stencil, Grid), String> {
    let dims = match shape.len() {
        2 => Dims::Two,
        3 => Dims::Three,
        _ => {
            return Err(format!(
                "shape {shape:?}: a grid has two dimensions (rows, columns) or three (planes, rows, columns)"
            ));
        }
    };
    let stencil = args.stencil.unwrap_or(Stencil::usual_in(dims));
    if stencil.dims != dims {
        return Err(format!(
            "shape {shape:?}: --stencil {} takes another number of dimensions",
            stencil.points()
        ));
    }
    let sides: Vec<u32> =
        shape.iter().filter_map(|side| u32::try_from(*side).ok()).filter(|side| *side > 0).collect();
    match sides[..] {
        [rows, cols] if dims == Dims::Two => Ok((stencil, Grid::plane(rows, cols))),
        [planes, rows, cols] => Ok((stencil, Grid { planes, rows, cols })),
        _ => Err(format!("shape {shape:?}: a grid has 1 to 2^32 - 1 cells on a side")),
    }
}

/// Reads what a step may change.
pub fn parse_epsilon(text: &str) -> Result<f64, String> {
    let epsilon = text.parse().ok().filter(|epsilon: &f64| epsilon.is_finite() && *epsilon >= 0.0);
    epsilon.ok_or_else(|| format!("`{text}` is not a threshold: write a number from 0 up, such as 1e-6"))
}
