//! A grid from a file, stepped on the GPU and written to a file.
//!
//! Everything that can be wrong with the request is found before the first step: the file's header and the options
//! first, then the paths of the results, then the adapter's limits and features.

mod batch_size;
pub mod calibration;
pub mod cells;
pub mod frames;
pub mod grid_state;
pub mod output;
mod picture;
pub mod report;
pub mod request;
mod streamed;
mod team_state;
mod weights;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use halofold::Element;
use halofold::stencil::{BOXES, Block, Border, Dims, Norm, STENCILS, Stencil};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{self, AnyAdapters, Gpu};
use crate::joined::joined;
use crate::progress;
use crate::transport::{Alone, Transport};
use batch_size::BatchSize;
use cells::Cells;
use frames::FrameWriter;
use grid_state::{GridState, OneGpu};
use output::Outputs;
use picture::{Picture, Scale};
use report::{Report, Stepped, Together};
use request::Request;
pub use streamed::StreamArgs;
use weights::GivenWeights;

/// Options of a grid from a file.
#[derive(clap::Args)]
pub struct GridArgs {
    /// The grid: a .npy array of shape (rows, columns) or (planes, rows, columns); `-` is standard input, of one process.
    #[arg(value_name = "GRID.npy")]
    pub grid: Option<PathBuf>,
    #[arg(long, alias = "points", value_name = "POINTS", help = stencils())]
    pub stencil: Option<&'static Stencil>,
    /// Number of steps: 1 by default; 0 copies the grid. With --until the most steps: 100000 by default. With --preset how many
    /// steps the fastest rows and the thesis's own rows run for.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX))]
    pub steps: Option<u32>,
    /// The kernel, by name. auto is the fastest here for a grid of this size: time-pipeline for large ones in 2D, plane-sums
    /// in 3D. time-planes takes several steps per pass in 3D.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub variant: String,
    /// The shape of a workgroup, instead of the variant's own.
    #[arg(long, value_name = "ROWSxCOLS")]
    pub block: Option<Block>,
    /// Borders of the grid: fixed leaves the outermost cells as they are, as many as the stencil reaches. The others are SciPy's: reflect
    /// (beyond a b c is a b c, from the side outward), mirror (b c, without the outermost cell), wrap (the grid repeats), constant=C (cells of one
    /// value; constant is 0).
    #[arg(long, value_name = "fixed|reflect|mirror|wrap|constant=C", default_value = "fixed")]
    pub boundary: Border,
    /// Stop once a step changes no cell by this much.
    #[arg(long, value_name = "EPS", value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// The change that --until looks at: max, the largest change, or l2, the root of the sum of all squared changes.
    #[arg(long, value_name = "max|l2", default_value = "max", requires = "until")]
    pub norm: Norm,
    /// Add up squared changes without rounding in every check, which then takes twice as long. With --norm l2 it is always so, and the last
    /// check always is: any number of GPUs stops at the same step and prints the same residual_l2.
    #[arg(long, requires = "until")]
    pub exact: bool,
    /// The weights: first of the centre, then of the cells around it from the nearest to the farthest. 5
    /// points: centre and sides, or one for all; by default 0.2. 27 points: centre, 6 faces, 12 edges, 8 corners, by default 1/8,
    /// 1/16, 1/32, 1/64, as decimals. Or a file with a weight for each cell around the new one: an array of 3 x 3, 5 x 5 or 3 x 3 x 3, as
    /// SciPy's correlate takes it.
    #[arg(
        long,
        alias = "coefficients",
        value_name = "A,B,…|FILE.npy",
        value_parser = GivenWeights::parse,
        allow_hyphen_values = true
    )]
    pub weights: Option<GivenWeights>,
    /// A right-hand side: an array of the grid's shape, which is added to every new cell. It becomes the grid's type.
    #[arg(long, value_name = "RHS.npy")]
    pub rhs: Option<PathBuf>,
    /// The type to compute with and to write: f32, f64 or f16. By default the file's float type; integers become f32.
    #[arg(long = "type", value_name = "TYPE")]
    pub element: Option<Element>,
    /// File of the result: an array in the file's shape (little-endian, in C order), or a picture of it.
    #[arg(short, long, value_name = "OUT.npy|OUT.png")]
    pub output: Option<PathBuf>,
    /// Draw the grid every few steps: DIR/frame-000000.png and so on, by the number of the step; always the last step, too.
    ///
    /// Colours go from the lowest to the highest value of the first frame; NaN is red.
    #[arg(long, value_name = "DIR")]
    pub frames: Option<PathBuf>,
    /// Steps between two frames, and between two checks of --until: 10 by default.
    #[arg(long, value_name = "M", value_parser = counts(1, u32::MAX))]
    pub every: Option<u32>,
    /// The plane that pictures of a 3D grid show. By default the middle one.
    #[arg(long, value_name = "K", value_parser = counts(0, u32::MAX))]
    pub slice: Option<u32>,
    #[command(flatten)]
    pub stream: StreamArgs,
    /// With --adapters the grid in slabs on several of them, or on one where several are slower. Its bits are those of one adapter that runs the same kernel.
    #[command(flatten)]
    pub adapters: AnyAdapters,
    /// The steps between two exchanges of faces, of slabs on several adapters or ranks, all of which are used. By default as many as measured times say.
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["stream", "slab", "depth", "resume"], value_parser = counts(1, u32::MAX))]
    pub halo: Option<u32>,
    /// Print one JSON object, or an array of a preset's rows, instead of text.
    ///
    /// The object's keys: file, variant, points, grid, block, boundary, steps (done), type, gpu_ms_median (of one step, null without
    /// timestamps), wall_ms (from opening the file to the written result), gcells_per_s, residual_max and
    /// residual_l2 (the largest change of a cell in the last step that was checked, and the root of the sum of all squared changes; null
    /// without --until; NaN and infinity are the strings "NaN" and "inf"), converged, output, adapter, backend. With --adapters
    /// also layers (of each slab), halo (steps between two exchanges, at the end) and setup_ms (before the first step). Streamed runs also have passes (over the file), slabs (of a
    /// pass), bytes_read and bytes_written (without those of before --resume).
    #[arg(long)]
    pub json: bool,
}

/// Steps the grid of a file.
///
/// # Errors
///
/// Names the fault of the request, of the files or of the machine.
pub fn run(args: &GridArgs, path: &Path) -> Result<(), Failure> {
    let start = Instant::now();
    let mut request = Request::new(args, path)?;
    let mut outputs = Outputs::reserve(args)?;
    let is_shared = !args.adapters.several().adapters.is_empty();
    if !is_shared && args.halo.is_some() {
        return Err(Failure::usage("--halo goes with --adapters"));
    }
    let adapters = args.adapters.found()?;
    // A cut that is given uses all. Else the first one is asked if there is time for the others.
    let (first, others) = adapters.split_at(if args.halo.is_some() { adapters.len() } else { 1 });
    let mut gpus = Gpu::open_all(first)?;
    if others.is_empty() && args.halo.is_none() {
        request.choose(&gpus[0])?;
        if streamed::is_wanted(args, &request, &gpus[0]) {
            // Its result is written in another way.
            drop(outputs);
            return streamed::run(args, request, &gpus[0], start);
        }
        request.check(&gpus[0])?;
    }
    request.tell_conversion(args);
    let is_short = if others.is_empty() { None } else { Some(request.shortness(&gpus[0], adapters.len())?) };
    // Cells are read meanwhile: that needs no GPU.
    let (read, is_short) = thread::scope(|scope| {
        let asked = is_short.map(|is_short| scope.spawn(is_short));
        (request.read(), asked.map(joined))
    });
    let (cells, rhs) = read?;
    if is_short == Some(false) {
        gpus.extend(Gpu::open_all(others)?);
    }
    let one = gpus.first().filter(|_| args.halo.is_none() && is_short != Some(false));
    match one {
        None => request.choose_together(&gpus)?,
        Some(_) if is_short.is_none() => {}
        Some(gpu) => {
            request.choose(gpu)?;
            request.check(gpu)?;
        }
    }
    let picture = |cells: &Cells| Picture {
        element: cells.element,
        grid: cells.grid,
        plane: request.plane,
        scale: Scale::of(cells),
    };
    let begin = |folder| FrameWriter::begin(folder, request.every, picture(&cells), &cells);
    let frames = outputs.frames.take().map(begin).transpose()?;
    let Request { config, weights, until, .. } = request;
    let rhs = rhs.as_ref().map(Cells::bytes);
    let set_up = Instant::now();
    let mut state: Box<dyn GridState + '_> = match one {
        Some(gpu) => Box::new(OneGpu::new(gpu, config, weights, until, cells.bytes(), rhs)?),
        None => {
            let run = (request.steps, args.halo);
            let team = team_state::team(&gpus, (config, weights), (cells.bytes(), rhs), run)?;
            // The kernel is that of the first adapter's slab.
            let slab = team.workers()[0].stencil();
            (request.config.variant, request.config.tuning) = (slab.variant, slab.tuning);
            Box::new(team)
        }
    };
    let setup_ms = set_up.elapsed().as_secs_f64() * 1e3;
    let stepped = run_steps(&mut *state, &request, &Alone, frames.as_ref())?;
    if outputs.wants_result() {
        let all = 0..cells.bytes().len() as u64;
        let cells = cells.with_bytes(state.read(all)?);
        let picture = frames.map_or_else(|| picture(&cells), |frames| frames.picture);
        outputs.write(&cells, request.source.shape(), picture)?;
    }

    let alone = || Together { layers: vec![config.layers()], halo: state.depth(), used: vec![0] };
    let together = state.together().unwrap_or_else(alone);
    let used: Vec<&Gpu> = together.used.iter().map(|nth| &gpus[*nth]).collect();
    let idle = adapters.len() - used.len();
    let adapters = (gpu::names(used.iter().copied()), used[0].info.backend);
    let (together, setup_ms) = is_shared.then_some((together, setup_ms)).unzip();
    Report { together, setup_ms, idle, ..Report::new(args, &request, adapters, stepped, start) }
        .print(args.json)
}

/// Does the steps, as many at a time as the GPU does in a fraction of a second, and draws frames on the way. All processes call this
/// together, with their layers of a grid.
///
/// # Errors
///
/// Names the fault of the machine or of a frame's file.
pub fn run_steps(
    state: &mut dyn GridState,
    request: &Request,
    processes: &impl Transport,
    frames: Option<&FrameWriter>,
) -> Result<Stepped, Failure> {
    let Request { steps, until, config, .. } = request;
    let (steps, cells) = (*steps, config.grid.cells());
    let bar = progress::bar_of(processes, steps.into());
    bar.set_message("steps");
    // Every batch ends with a check: where there is one must not depend on the speed.
    // Without one, a time-blocked kernel likes an even number of full passes, and several adapters full rounds.
    let unit = |state: &dyn GridState| match (until, state.depth()) {
        (Some(until), _) => until.every,
        (None, 1) => 1,
        (None, depth) => depth.saturating_mul(2),
    };
    let mut batch = BatchSize::new(unit(state));
    let mut outcome = state.outcome();
    while outcome.steps < steps && !outcome.converged {
        let done = outcome.steps;
        let left = frames.map_or(u32::MAX, |frames| frames.until_next(done)).min(steps - done);
        let submitted = Instant::now();
        let gpu_ms = state.advance(batch.next(left, unit(state)), until.as_ref())?;
        outcome = state.outcome();
        batch.learn(outcome.steps - done, state.took(submitted.elapsed()), gpu_ms);
        if let Some(frames) = frames {
            frames.draw(state, outcome.steps, outcome.steps == steps || outcome.converged)?;
        }
        bar.set_position(outcome.steps.into());
    }
    bar.finish_and_clear();
    if until.is_some() {
        state.end()?;
        outcome = state.outcome();
    }
    let gcells_per_s = batch.ms_of_a_step().map(|ms| cells as f64 / ms / 1e6);
    Ok(Stepped { outcome, gpu_ms_median: batch.gpu_ms_median(), gcells_per_s })
}

/// The stencils, for the help of the option.
fn stencils() -> String {
    let of = |dims| {
        let names = STENCILS.iter().chain(BOXES).filter(|stencil| stencil.dims == dims);
        names.map(|stencil| stencil.short_name()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "The stencil, by the number of its points: {} in 2D, {} in 3D; by default the first. Those named after a box have a weight for each of \
         its cells. With --tune only this one instead of all",
        of(Dims::Two),
        of(Dims::Three)
    )
}

/// Reads a bound on the change of a step.
fn parse_epsilon(text: &str) -> Result<f64, String> {
    let epsilon = text.parse().ok().filter(|epsilon: &f64| epsilon.is_finite() && *epsilon >= 0.0);
    epsilon.ok_or_else(|| format!("`{text}` is not a threshold: write a number from 0 up, such as 1e-6"))
}
