//! A grid from a file, stepped on the GPU and written to a file.
//!
//! Everything that can be wrong with the request is found before the first step: the file's header and the options
//! first, then the places of the results, then what the adapter can do.

mod batch_size;
mod cells;
mod frames;
mod grid_state;
mod output;
mod picture;
mod report;
mod request;
mod streamed;
mod team_state;

use std::path::Path;
use std::time::Instant;

use halofold::stencil::Config;

use super::StencilArgs;
use crate::failure::Failure;
use crate::gpu::{self, Gpu};
use crate::output::{print, print_json};
use crate::progress;
use batch_size::BatchSize;
use cells::Cells;
use frames::FrameWriter;
use grid_state::{GridState, OneGpu};
use output::Outputs;
use picture::{Picture, Scale};
use report::{Report, Together};
use request::Request;
pub use streamed::StreamArgs;
use team_state::TeamState;

/// Steps the grid of a file.
pub fn run(args: &StencilArgs, path: &Path) -> Result<(), Failure> {
    let start = Instant::now();
    let mut request = Request::new(args, path)?;
    let mut outputs = Outputs::reserve(args)?;
    let gpus = args.adapters.open()?;
    let one = if gpus.is_empty() { Some(args.adapter.open()?) } else { None };
    if let Some(gpu) = &one {
        request.choose(gpu)?;
        if streamed::is_wanted(args, &request, gpu) {
            // Its result is written in another way.
            drop(outputs);
            return streamed::run(args, request, gpu, start);
        }
        request.check(gpu)?;
    } else {
        request.choose_together(&gpus)?;
    }

    let cells = read(&mut request, args)?;
    let Config { element, grid, .. } = request.config;
    let rhs = request.rhs.as_mut().map(|source| Cells::read(source, element, grid)).transpose()?;
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
    let (mut state, together): (Box<dyn GridState + '_>, _) = match &one {
        Some(gpu) => (Box::new(OneGpu::new(gpu, config, weights, until, cells.bytes(), rhs)?), None),
        None => {
            let team = TeamState::new(&gpus, (config, weights), until, (cells.bytes(), rhs), args.halo)?;
            (request.config.variant, request.config.tuning) = (team.config().variant, team.config().tuning);
            let together = Together { layers: team.layers(), halo: team.halo() };
            (Box::new(team), Some(together))
        }
    };
    let depth = together.as_ref().map_or(config.steps_per_pass(), |together| together.halo);
    let batch = run_steps(&mut *state, &request, depth, frames.as_ref())?;
    if outputs.wants_result() {
        let all = 0..cells.bytes().len() as u64;
        let cells = cells.with_bytes(state.read(all)?);
        let picture = frames.map_or_else(|| picture(&cells), |frames| frames.picture);
        outputs.write(&cells, request.source.shape(), picture)?;
    }

    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    let gpus: Vec<&Gpu> = one.iter().chain(&gpus).collect();
    let report = Report { together, ..report(args, &request, &gpus, &*state, &batch, wall_ms) };
    if args.json { print_json(&report) } else { print(&report.text()) }
}

/// Reads the cells, and says so if they become something else.
fn read(request: &mut Request, args: &StencilArgs) -> Result<Cells, Failure> {
    let source = &mut request.source;
    if args.element.is_none() && source.element() != request.config.element {
        eprintln!("{}: integers become {}", source.name(), request.config.element);
    }
    Cells::read(source, request.config.element, request.config.grid)
}

/// Does the steps, as many at a time as the GPU does in a fraction of a second, and draws frames on the way.
fn run_steps(
    state: &mut dyn GridState,
    request: &Request,
    depth: u32,
    frames: Option<&FrameWriter>,
) -> Result<BatchSize, Failure> {
    let steps = request.steps;
    let bar = progress::bar(steps.into());
    bar.set_message("steps");
    // Every batch ends with a check: where there is one must not depend on the speed.
    // Without one, a time-blocked kernel likes an even number of full passes, and several adapters full rounds.
    let unit = if depth > 1 { depth.saturating_mul(2) } else { 1 };
    let mut batch = BatchSize::new(request.until.map_or(unit, |until| until.every));
    let mut over = steps == 0;
    while !over {
        let done = state.done();
        let left = frames.map_or(u32::MAX, |frames| frames.until_next(done)).min(steps - done);
        let submitted = Instant::now();
        let gpu_ms = state.advance(batch.next(left))?;
        batch.learn(state.done() - done, submitted.elapsed(), gpu_ms);
        over = state.done() == steps || state.outcome().is_some_and(|outcome| outcome.converged);
        if let Some(frames) = frames {
            frames.draw(state, state.done(), over)?;
        }
        bar.set_position(state.done().into());
    }
    bar.finish_and_clear();
    Ok(batch)
}

/// The report of the run.
fn report(
    args: &StencilArgs,
    request: &Request,
    gpus: &[&Gpu],
    state: &dyn GridState,
    batch: &BatchSize,
    wall_ms: f64,
) -> Report {
    let Config { stencil, variant, element, grid, tuning, .. } = request.config;
    Report {
        file: request.source.name().to_owned(),
        variant: variant.name,
        points: stencil.points(),
        grid: request.source.shape().to_vec(),
        block: tuning.block.to_string(),
        boundary: args.boundary.name(),
        steps: state.done(),
        element: element.name(),
        gpu_ms_median: batch.gpu_ms_median(),
        wall_ms,
        gcells_per_s: batch.ms_of_a_step().map(|ms| grid.cells() as f64 / ms / 1e6),
        residual_max: state.outcome().map(|outcome| outcome.max),
        residual_l2: state.outcome().map(|outcome| outcome.l2),
        converged: state.outcome().map(|outcome| outcome.converged),
        output: args.output.as_ref().map(|path| path.display().to_string()),
        adapter: gpu::names(gpus.iter().copied()),
        backend: gpus[0].info.backend.to_string(),
        norm: args.norm,
        has_frames: args.frames.is_some(),
        together: None,
        streamed: None,
    }
}
