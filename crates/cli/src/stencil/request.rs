//! The request for a grid, checked as far as that needs no GPU.

use std::path::Path;

use halofold::Element;
use halofold::FeatureError;
use halofold::reduce::Accuracy;
use halofold::stencil::{Border, Borders, Config, Dims, Grid, Norm, Stencil, Until, Variant, Weights};

use crate::failure::Failure;
use crate::files::Source;
use crate::files::npy::{self, tuple};
use crate::gpu::{self, Gpu};
use crate::stencil::{StencilArgs, calibration};

use halofold_fleet::MOST_STEPS;

use super::cells::FileCells;
use super::weights::{self, GivenWeights};

const USUAL_MOST: u32 = 100_000;

const USUAL_EVERY: u32 = 10;

pub struct Request {
    pub source: Source,
    pub rhs: Option<Source>,
    pub config: Config,
    pub weights: Weights,
    pub steps: u32,
    pub until: Option<Until>,
    pub plane: u32,
}

impl Request {
    /// Opens the file and checks the options against its shape and type.
    pub fn new(args: &StencilArgs) -> Result<Self, Failure> {
        let path = args.grid.as_path();
        if path == Path::new("-") && args.rhs.as_deref() == Some(path) {
            return Err(Failure::usage("--rhs -: standard input is the grid"));
        }
        let source = Source::open(path, None).map_err(Failure::usage)?;
        let file = match &args.weights {
            Some(GivenWeights::File(path)) => Some(weights::read(path)?),
            _ => None,
        };
        let (stencil, grid) = shape(args, file.as_ref().map(|(stencil, _)| *stencil), &source)?;
        let of_file = source.element();
        let element = args.element.unwrap_or(if of_file.is_float() { of_file } else { Element::F32 });
        let usual = match args.variant.as_str() {
            "auto" if args.block.is_some() => Config::new(stencil, single_step(args, stencil), element, grid),
            "auto" => Config::fastest(stencil, element, grid),
            name => {
                let variant = Variant::named(stencil, name).map_err(Failure::usage)?;
                Config::new(stencil, variant, element, grid)
            }
        };
        let usual = usual.with_borders(Borders::all(args.boundary));
        let config = args.block.map_or(usual, |block| usual.with_block(block));
        let rhs = args.rhs.as_deref().map(|name| right_hand_side(name, &source)).transpose()?;
        let config = if rhs.is_some() { config.with_rhs() } else { config };
        let until = until(args)?;
        let steps = args.steps.or(until.map(|_| USUAL_MOST));
        let steps = steps.ok_or_else(|| {
            Failure::usage("give --steps N, or --until EPS to stop once a step changes no cell by EPS")
        })?;
        Ok(Request {
            rhs,
            config,
            weights: file.map_or_else(|| weights::listed(args, stencil), |(_, weights)| Ok(weights))?,
            steps,
            until,
            plane: plane(args, stencil, grid)?,
            source,
        })
    }

    pub fn tell_conversion(&self, args: &StencilArgs) {
        if args.element.is_none() && self.source.element() != self.config.element {
            eprintln!("{}: integers become {}", self.source.name(), self.config.element);
        }
    }

    pub fn header(&self) -> Result<Vec<u8>, Failure> {
        npy::file(&npy::floats(self.config.element), self.source.shape(), &[])
    }

    /// Fills the options that were not given with the adapter's choice. The adapter must have the element type.
    pub fn choose(&mut self, gpu: &Gpu) -> Result<(), Failure> {
        self.config = self.chosen(gpu)?;
        Ok(())
    }

    pub fn cells(&self) -> Result<(FileCells<'_>, Option<FileCells<'_>>), Failure> {
        let element = self.config.element;
        let cells = FileCells::new(&self.source, element)?;
        let rhs = self.rhs.as_ref().map(|source| FileCells::new(source, element)).transpose()?;
        Ok((cells, rhs))
    }

    fn fits(&self, gpu: &Gpu) -> bool {
        self.config.bytes() <= gpu.device.limits().max_buffer_size
    }

    /// Leaves the kernel to the first of several adapters, and its tuning to each. All must have the type.
    pub fn choose_together(&mut self, gpus: &[Gpu]) -> Result<(), Failure> {
        let chosen: Vec<_> = gpus.iter().map(|gpu| self.chosen(gpu)).collect::<Result<_, _>>()?;
        // For a grid that is too large for one adapter, the kernel is chosen for the parts.
        if let Some((chosen, _)) = chosen.iter().zip(gpus).next().filter(|(_, gpu)| self.fits(gpu)) {
            self.config = self.config.with_kernel_of(chosen);
        }
        Ok(())
    }

    fn chosen(&self, gpu: &Gpu) -> Result<Config, Failure> {
        let Config { element, .. } = self.config;
        let feature = element.feature() - gpu.device.features();
        if !feature.is_empty() {
            let error = FeatureError { what: format!("a grid of {element}"), features: feature };
            let name = self.source.name();
            return Err(Failure::usage(format!("{name}: {error}: convert it with --type f32")));
        }
        Ok(self.config.on_calibrated(&gpu.device, &calibration::samples(gpu)))
    }

    /// Checks the request against the adapter, for a grid that stays there as a whole.
    pub fn check(&self, gpu: &Gpu) -> Result<(), Failure> {
        let name = self.source.name();
        if !self.fits(gpu) {
            let (bytes, most) = (self.config.bytes(), gpu.device.limits().max_buffer_size);
            let needed = usize::try_from(bytes.div_ceil(most)).unwrap_or(usize::MAX);
            let remedy = match gpu::adapters().is_ok_and(|all| gpu::combined(&all).len() > needed) {
                true => "use several GPUs: --adapters all",
                false => "use more GPUs, or ranks of halofold-mpi",
            };
            return Err(refusal!(
                "{name}: {} {} takes {bytes} bytes, and a buffer of {} holds {most}; {remedy}",
                self.config.grid,
                self.config.element,
                gpu.info.name
            ));
        }
        let planned = self.config.plan(gpu.device.features(), &gpu.device.limits());
        planned.map(drop).map_err(|error| Failure::usage(format!("{name}: {error}")))
    }
}

fn shape(
    args: &StencilArgs,
    weighted: Option<&'static Stencil>,
    source: &Source,
) -> Result<(&'static Stencil, Grid), Failure> {
    let shape = source.shape();
    let refused = |what: &str| Err(refusal!("{}: shape {}: {what}", source.name(), tuple(shape)));
    let dims = match shape.len() {
        2 => Dims::Two,
        3 => Dims::Three,
        _ => return refused("a grid has two dimensions (rows, columns) or three (planes, rows, columns)"),
    };
    if let (Some(asked), Some(weighted)) = (args.stencil, weighted)
        && asked != weighted
    {
        return Err(refusal!(
            "--stencil {}: the file of --weights is for {}; leave one of them out",
            asked.name,
            weighted.name
        ));
    }
    let stencil = weighted.or(args.stencil).unwrap_or(Stencil::usual_in(dims));
    if stencil.dims != dims {
        let sides = if stencil.dims == Dims::Two { "(rows, columns)" } else { "(planes, rows, columns)" };
        return refused(&format!("the stencil {} takes a grid of {sides}", stencil.name));
    }
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
    Ok((stencil, grid))
}

fn single_step(args: &StencilArgs, stencil: &'static Stencil) -> &'static Variant {
    match args.boundary {
        Border::Mirror | Border::Constant(_) => stencil.general(),
        _ => stencil.fastest_step(),
    }
}

/// Opens the file of the right-hand side, which must have the grid's shape.
fn right_hand_side(name: &Path, grid: &Source) -> Result<Source, Failure> {
    let rhs = Source::open(name, None).map_err(Failure::usage)?;
    if rhs.shape() != grid.shape() {
        return Err(refusal!(
            "--rhs {}: shape {}: the grid has {}",
            rhs.name(),
            tuple(rhs.shape()),
            tuple(grid.shape())
        ));
    }
    Ok(rhs)
}

fn until(args: &StencilArgs) -> Result<Option<Until>, Failure> {
    let Some(epsilon) = args.until else { return Ok(None) };
    let every = args.every.unwrap_or(USUAL_EVERY);
    if every > MOST_STEPS {
        return Err(refusal!("--every {every}: with --until at most {}", MOST_STEPS));
    }
    // Slabs add up exactly whatever is requested, and the decision must not depend on their number.
    let accuracy = if args.exact || args.norm == Norm::L2 { Accuracy::Exact } else { Accuracy::Fast };
    Ok(Some(Until::new(epsilon).with_every(every).with_norm(args.norm).with_accuracy(accuracy)))
}

fn plane(args: &StencilArgs, stencil: &Stencil, grid: Grid) -> Result<u32, Failure> {
    match args.slice {
        None => Ok(grid.planes / 2),
        Some(_) if stencil.dims == Dims::Two => Err(Failure::usage("--slice: a grid in 2D has no planes")),
        Some(plane) if plane < grid.planes => Ok(plane),
        Some(plane) => {
            Err(refusal!("--slice {plane}: the grid has {} planes, 0 to {}", grid.planes, grid.planes - 1))
        }
    }
}
