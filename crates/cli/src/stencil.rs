//! `halofold stencil`: Jacobi steps of a grid from a file.
//!
//! Everything that can be wrong with the request is found before the first step: the file's header and the options
//! first, then the paths of the results, then the adapter's limits and features.

pub mod calibration;
pub mod cells;
pub mod output;
mod picture;
pub mod report;
pub mod request;
mod weights;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use halofold::Element;
use halofold::stencil::{BOXES, Block, Border, Dims, Norm, STENCILS, Stencil};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{self, AnyAdapters, Gpu};
use crate::named;
use crate::output::ms_since;
use crate::progress;
use crate::transport::{Alone, Transport};
use halofold_fleet::{Cells, GridState, OneGpu, Record, StepError, Team};
use output::Outputs;
use report::{Report, Stepped};
use request::Request;
use weights::GivenWeights;

#[derive(clap::Args)]
#[command(after_help = crate::examples::STENCIL)]
pub struct StencilArgs {
    /// Grid: a .npy array of shape (rows, columns) or (planes, rows, columns); `-` is standard input, for one process.
    #[arg(value_name = "GRID.npy")]
    pub grid: PathBuf,
    #[arg(long, alias = "points", value_name = "POINTS", value_parser = named::stencil(), hide_possible_values = true, help = stencils(), help_heading = "Stencil")]
    pub stencil: Option<&'static Stencil>,
    /// Number of steps; 0 copies the grid. With --until the maximum: 100000 by default.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX), help_heading = "Steps")]
    pub steps: Option<u32>,
    /// Kernel, by name. auto chooses the fastest for this GPU and grid.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = named::variant(), hide_possible_values = true, help_heading = "Kernel")]
    pub variant: String,
    /// Shape of a workgroup. Default: the variant's own.
    #[arg(long, value_name = "ROWSxCOLS", help_heading = "Kernel")]
    pub block: Option<Block>,
    /// Borders. fixed: steps never write the outermost R layers, for a stencil of radius R. The others are SciPy's: reflect (a b c continues
    /// as c b a), mirror (b a: without the outermost cell), wrap (the grid repeats), constant=C (cells of value C; constant
    /// is 0).
    #[arg(
        long,
        value_name = "fixed|reflect|mirror|wrap|constant=C",
        default_value = "fixed",
        value_parser = named::border(),
        hide_possible_values = true,
        help_heading = "Stencil"
    )]
    pub boundary: Border,
    /// Stop once a step changes no cell by this much. The exit status is 3 if that does not happen, or if a change is NaN; the result is
    /// written all the same.
    #[arg(long, value_name = "EPS", value_parser = parse_epsilon, allow_negative_numbers = true, help_heading = "Steps")]
    pub until: Option<f64>,
    /// Change that --until compares: max, the largest change, or l2, the root of the sum of squared changes.
    #[arg(long, value_name = "max|l2", default_value = "max", requires = "until", help_heading = "Steps")]
    pub norm: Norm,
    /// Add squared changes without rounding in every check, which then takes twice as long. --norm l2 always does, and so does the last
    /// check: any number of GPUs stops at the same step with the same residual_l2.
    #[arg(long, requires = "until", help_heading = "Steps")]
    pub exact: bool,
    /// Weights, from the centre outward, one per class of cells. 5 points: centre and sides, or one for all; 0.2 by default. 27 points:
    /// centre, 6 faces, 12 edges, 8 corners; by default 1/8, 1/16, 1/32, 1/64, written as decimals. Or a .npy file with one weight per cell,
    /// as for SciPy's correlate: 3 x 3, 5 x 5 or
    /// 3 x 3 x 3.
    #[arg(long, alias = "coefficients", value_name = "A,B,…|FILE.npy", value_parser = GivenWeights::parse, allow_hyphen_values = true, help_heading = "Stencil")]
    pub weights: Option<GivenWeights>,
    /// Right-hand side: an array of the grid's shape, converted to its type and added to every new cell.
    #[arg(long, value_name = "RHS.npy", help_heading = "Stencil")]
    pub rhs: Option<PathBuf>,
    /// Type to compute with and to write: f32, f64 or f16. Default: the file's float type; integers become f32.
    #[arg(long = "type", value_name = "TYPE", value_parser = named::float(), hide_possible_values = true, help_heading = "Kernel")]
    pub element: Option<Element>,
    /// Result: an array in the file's shape (little-endian, C order), or a picture with colours from the lowest to the
    /// highest value; NaN is red.
    #[arg(short, long, value_name = "OUT.npy|OUT.png", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Steps between checks of --until: 10 by default.
    #[arg(long, value_name = "M", value_parser = counts(1, u32::MAX), requires = "until", help_heading = "Steps")]
    pub every: Option<u32>,
    /// Plane to draw of a 3D grid. Default: the middle one.
    #[arg(long, value_name = "K", value_parser = counts(0, u32::MAX), help_heading = "Output")]
    pub slice: Option<u32>,
    /// With --adapters, equal slabs of the grid on all of them. The bits are those of one adapter with the same kernel.
    #[command(flatten)]
    pub adapters: AnyAdapters,
    /// Steps between two exchanges of faces, with several adapters or ranks. Default: by a formula.
    #[arg(long, value_name = "STEPS", value_parser = counts(1, u32::MAX), help_heading = "Several GPUs")]
    pub halo: Option<u32>,
    /// Print one JSON object instead of text.
    ///
    /// Keys: file, variant, points, grid, block, boundary, steps (done), type, gpu_ms_median (of one step, null without timestamps), wall_ms
    /// (from opening the file to the written result), gcells_per_s, residual_max and residual_l2 (of the last checked step: the largest change of
    /// a cell, and the root of the sum of squared changes; null without --until; NaN and infinity are the strings "NaN" and "inf"),
    /// converged, output, adapter, backend. --adapters adds layers (of each slab), halo (steps between two exchanges) and setup_ms
    /// (compiling and uploading).
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

pub fn run(args: &StencilArgs) -> Result<(), Failure> {
    let start = Instant::now();
    let mut request = Request::new(args)?;
    let outputs = Outputs::reserve(args)?;
    let is_shared = args.adapters.are_listed();
    if !is_shared && args.halo.is_some() {
        return Err(Failure::usage("--halo goes with --adapters"));
    }
    let gpus = Gpu::open_all(&args.adapters.found()?)?;
    if is_shared {
        request.choose_together(&gpus)?;
    } else {
        request.choose(&gpus[0])?;
        request.check(&gpus[0])?;
    }
    request.tell_conversion(args);
    let set_up = Instant::now();
    let submit = |record: Record<'_>| -> Result<Option<f64>, StepError> {
        Ok(gpus[0].attempt(|| gpus[0].timer.once(&record).map_err(Failure::usage))?)
    };
    let Request { config, weights, until, .. } = request;
    let mut state: Box<dyn GridState + '_> = {
        let (cells, rhs) = request.cells()?;
        let rhs = rhs.as_ref().map(|rhs| |start: u64, into: &mut [u8]| rhs.fill(start, into));
        let (cells, rhs) =
            (|start: u64, into: &mut [u8]| cells.fill(start, into), rhs.as_ref().map(|rhs| rhs as Cells<'_>));
        if is_shared {
            let members: Vec<_> = gpus.iter().map(Gpu::member).collect();
            Box::new(Team::new(&members, config, weights, (&cells, rhs), args.halo).map_err(Failure::usage)?)
        } else {
            let of_run = (config, weights, until);
            let one = OneGpu::new(gpus[0].member(), &submit, of_run, (&cells, rhs));
            Box::new(one.map_err(Failure::usage)?)
        }
    };
    let setup_ms = ms_since(set_up);
    // The kernel is that of the first adapter's slab.
    (request.config.variant, request.config.tuning) = state.kernel();
    let stepped = run_steps(&mut *state, &request, &Alone)?;
    outputs.write(&*state, &request)?;
    gpus.iter().try_for_each(Gpu::check)?;
    let cut = state.cut();
    let adapters = (gpu::names(&gpus), gpus[0].info.backend);
    let mut report = Report::new(args, &request, adapters, stepped, start);
    (report.cut, report.setup_ms) = (cut, Some(setup_ms));
    report.print(args.json)
}

/// Makes the steps, in submissions of a fraction of a second each. All processes call this together, each with its layers of the
/// grid.
pub fn run_steps(
    state: &mut dyn GridState,
    request: &Request,
    processes: &impl Transport,
) -> Result<Stepped, Failure> {
    let Request { steps, until, config, .. } = request;
    let (steps, batch) = (*steps, state.batch(until.as_ref()));
    let bar = progress::bar_of(processes, steps.into());
    bar.set_message("steps");
    let mut outcome = state.outcome();
    let (mut took, mut gpu_ms) = (Duration::ZERO, Some(Vec::new()));
    while outcome.steps < steps && !outcome.converged && !outcome.is_nan() {
        let done = outcome.steps;
        let submitted = Instant::now();
        let ms = state.advance(batch.min(steps - done), until.as_ref())?;
        took += submitted.elapsed();
        outcome = state.outcome();
        let of_a_step = ms.map(|ms| ms / f64::from(outcome.steps - done));
        gpu_ms = gpu_ms.zip(of_a_step).map(|(times, ms)| [times, vec![ms]].concat());
        bar.set_position(outcome.steps.into());
    }
    bar.finish_and_clear();
    let waiting = Instant::now();
    state.end()?;
    took += waiting.elapsed();
    let mut times = gpu_ms.unwrap_or_default();
    times.sort_by(f64::total_cmp);
    let gpu_ms_median = times.get(times.len() / 2).copied();
    let ms = gpu_ms_median.unwrap_or(took.as_secs_f64() * 1e3 / f64::from(outcome.steps));
    let gcells_per_s = (outcome.steps > 0).then(|| config.grid.cells() as f64 / ms / 1e6);
    Ok(Stepped { outcome: state.outcome(), gpu_ms_median, gcells_per_s })
}

fn stencils() -> String {
    let of = |dims| {
        let names = STENCILS.iter().chain(BOXES).filter(|stencil| stencil.dims == dims);
        names.map(|stencil| stencil.short_name()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "Stencil, by number of points: {} in 2D, {} in 3D; the first by default. Boxes such as 3x3 have a weight per cell",
        of(Dims::Two),
        of(Dims::Three)
    )
}

fn parse_epsilon(text: &str) -> Result<f64, String> {
    let epsilon = text.parse().ok().filter(|epsilon: &f64| epsilon.is_finite() && *epsilon >= 0.0);
    epsilon.ok_or_else(|| format!("`{text}` is not a threshold: write a number from 0 up, such as 1e-6"))
}
