//! What is asked for, checked as far as that needs no GPU.

use halofold::Element;
use halofold::stencil::{
    Borders, Coefficients, Grid, Job, Norm, Points, StencilError, Tuning, Until, Variant,
};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::input::Source;
use crate::stencil::StencilArgs;

use super::pace;

/// Steps where none are asked for.
const USUAL_STEPS: u32 = 1;

/// The same with a condition to stop.
const USUAL_MOST: u32 = 100_000;

/// Steps from one frame or check to the next where none are asked for.
const USUAL_EVERY: u32 = 10;

/// A grid file and what to do with it.
pub struct Request {
    /// The file, opened.
    pub source: Source,
    /// The kernel, the grid and its borders.
    pub job: Job,
    /// The weights.
    pub coefficients: Coefficients,
    /// Steps to do, at most.
    pub steps: u32,
    /// When to stop before.
    pub until: Option<Until>,
    /// Steps from one frame to the next.
    pub every: u32,
    /// The plane that pictures show.
    pub plane: u32,
}

impl Request {
    /// Opens the file and holds the options against its shape and type.
    pub fn new(args: &StencilArgs, path: &str) -> Result<Self, Failure> {
        let source = Source::open_widening(path).map_err(Failure::usage)?;
        let (points, grid) = shape(args, &source)?;
        let variant = match args.variant.as_str() {
            "auto" => fastest(points),
            name => Variant::named(points, name).map_err(Failure::usage)?,
        };
        let usual = Tuning::of(variant);
        let job = Job {
            variant,
            element: element(args, source.element())?,
            grid,
            borders: Borders::all(args.boundary),
            tuning: args.block.map_or(usual, |block| usual.with_block(block)),
        };
        let until = until(args)?;
        let usual_steps = if until.is_some() { USUAL_MOST } else { USUAL_STEPS };
        Ok(Request {
            job,
            coefficients: coefficients(args, points)?,
            steps: args.steps.unwrap_or(usual_steps),
            until,
            every: args.every.unwrap_or(USUAL_EVERY),
            plane: plane(args, points, grid)?,
            source,
        })
    }

    /// Holds the job against the adapter.
    pub fn check(&self, gpu: &Gpu) -> Result<(), Failure> {
        let Job { grid, element, .. } = self.job;
        let name = self.source.name();
        let limits = gpu.device.limits();
        if grid.cells() > limits.max_buffer_size / element.size() {
            return Err(Failure::Usage(format!(
                "{name}: a grid of {grid} {element}: the largest buffer of this adapter has {} bytes (max_buffer_size)",
                limits.max_buffer_size
            )));
        }
        let planned = self.job.plan(gpu.device.features(), &limits);
        planned.map(drop).map_err(|error| match error {
            StencilError::MissingFeature { .. } => {
                Failure::Usage(format!("{name}: {error}: convert it with --type f32"))
            }
            error => Failure::Usage(format!("{name}: {error}")),
        })
    }
}

/// The kernel behind `auto`.
fn fastest(points: Points) -> &'static Variant {
    let name = match points {
        Points::Five => "register-rows",
        Points::TwentySeven => "plane-sums",
    };
    Variant::named(points, name).expect("the fastest kernels are in the catalogue")
}

/// The stencil and the grid that a file's dimensions mean.
fn shape(args: &StencilArgs, source: &Source) -> Result<(Points, Grid), Failure> {
    let shape = source.shape();
    let refused =
        |what: &str| Err(Failure::Usage(format!("{}: shape {}: {what}", source.name(), tuple(shape))));
    let points = match (shape.len(), args.points) {
        (2, None | Some(Points::Five)) => Points::Five,
        (3, None | Some(Points::TwentySeven)) => Points::TwentySeven,
        (_, None) => {
            return refused("a grid has two dimensions (rows, columns) or three (planes, rows, columns)");
        }
        (_, Some(Points::Five)) => return refused("--points 5 takes a grid of (rows, columns)"),
        (_, Some(Points::TwentySeven)) => {
            return refused("--points 27 takes a grid of (planes, rows, columns)");
        }
    };
    if shape.contains(&0) {
        return refused("there is no cell to step");
    }
    let Ok(sides) = shape.iter().map(|side| u32::try_from(*side)).collect::<Result<Vec<_>, _>>() else {
        return refused("a grid has fewer than 2^32 cells on a side");
    };
    let grid = match sides[..] {
        [planes, rows, cols] => Grid { planes, rows, cols },
        _ => Grid::plane(sides[0], sides[1]),
    };
    Ok((points, grid))
}

/// A shape as Python writes it.
fn tuple(shape: &[u64]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// What to compute with.
fn element(args: &StencilArgs, of_file: Element) -> Result<Element, Failure> {
    match args.element {
        Some(element) if !element.is_float() => {
            Err(Failure::Usage(format!("--type {element}: stencils work on f32, f64 and f16")))
        }
        Some(element) => Ok(element),
        None if of_file.is_float() => Ok(of_file),
        None => Ok(Element::F32),
    }
}

/// The weights asked for, or the usual ones.
fn coefficients(args: &StencilArgs, points: Points) -> Result<Coefficients, Failure> {
    if let Some(weight) = args.coefficients.iter().find(|weight| !weight.is_finite()) {
        return Err(Failure::Usage(format!("--coefficients: {weight} is no weight")));
    }
    match (points, &args.coefficients[..]) {
        (_, []) => Ok(Coefficients::usual(points)),
        (Points::Five, &[all]) => Ok(Coefficients([all, 0.0, 0.0, 0.0])),
        (Points::TwentySeven, &[centre, faces, edges, corners]) => {
            Ok(Coefficients([centre, faces, edges, corners]))
        }
        (Points::Five, given) => Err(Failure::Usage(format!(
            "--coefficients: {} given, 5 points take one: that of every cell",
            given.len()
        ))),
        (Points::TwentySeven, given) => Err(Failure::Usage(format!(
            "--coefficients: {} given, 27 points take four: of the centre, the faces, the edges, the corners",
            given.len()
        ))),
    }
}

/// The condition to stop.
fn until(args: &StencilArgs) -> Result<Option<Until>, Failure> {
    let Some(epsilon) = args.until else { return Ok(None) };
    let every = args.every.unwrap_or(USUAL_EVERY);
    if every > pace::MOST {
        return Err(Failure::Usage(format!("--every {every}: with --until at most {}", pace::MOST)));
    }
    Ok(Some(Until { epsilon, norm: Norm::Max, every }))
}

/// The plane to draw.
fn plane(args: &StencilArgs, points: Points, grid: Grid) -> Result<u32, Failure> {
    match args.slice {
        None => Ok(grid.planes / 2),
        Some(_) if points == Points::Five => Err(Failure::usage("--slice: a grid in 2D has no planes")),
        Some(plane) if plane < grid.planes => Ok(plane),
        Some(plane) => Err(Failure::Usage(format!(
            "--slice {plane}: the grid has {} planes, 0 to {}",
            grid.planes,
            grid.planes - 1
        ))),
    }
}
