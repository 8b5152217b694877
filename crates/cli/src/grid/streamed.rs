//! A grid that is stepped from file to file, because it does not fit the GPU or because that was asked for.

mod input;
mod options;
mod refusal;

use std::fs;
use std::time::{Instant, UNIX_EPOCH};

use halofold::stencil::Config;
use halofold::wgpu;
use halofold_fleet::stream::{
    Bounds, Done, Identity, Progress, Run, RunFiles, Schedule, StreamError, StreamOptions, layer_seconds,
};
use serde_json::Value;

use super::report::{Report, Stepped, Streamed};
use super::request::Request;
use crate::failure::Failure;
use crate::files::Source;
use crate::gpu::Gpu;
use crate::grid::GridArgs;
use crate::progress;
use crate::reserved;
use input::FileCells;
pub use options::StreamArgs;

/// A grid of fewer bytes is not tried on the GPU first, nor is the GPU timed for it.
const SMALL: u64 = 256 << 20;

/// True if a grid is to be streamed.
pub fn is_wanted(args: &GridArgs, request: &Request, gpu: &Gpu) -> bool {
    let (grid, copies) = (request.config.bytes(), 2 + u64::from(request.config.rhs));
    args.stream.asked_by().is_some()
        || grid > gpu.device.limits().max_buffer_size
        || args.stream.memory.is_some_and(|memory| grid.saturating_mul(copies) > memory)
        || (grid > SMALL && !has_room(gpu, grid, copies))
}

/// True if the GPU has memory for some buffers.
fn has_room(gpu: &Gpu, bytes: u64, copies: u64) -> bool {
    let size = bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let tried = gpu.attempt(|| {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        drop((0..copies).map(|_| gpu.device.create_buffer(&buffer)).collect::<Vec<_>>());
        Ok(())
    });
    tried.is_ok()
}

/// Steps the grid of a file into another file.
pub fn run(args: &GridArgs, request: Request, gpu: &Gpu, start: Instant) -> Result<(), Failure> {
    refusal::check(args, &request, gpu)?;
    let run = open(args, &request, gpu)?;
    request.tell_conversion(args);
    let Request { source, rhs, config, weights, .. } = &request;
    let input = FileCells::new(source, config.element);
    let rhs = rhs.as_ref().map(|rhs| FileCells::new(rhs, config.element));
    let options = StreamOptions::new((&gpu.device, &gpu.queue), *config, *weights, &input)
        .with_checkpoints(args.stream.checkpoint())
        .with_stop(reserved::leave_interrupts_to_work());
    let options = match &rhs {
        Some(rhs) => options.with_rhs(rhs),
        None => options,
    };
    let computing = Instant::now();
    let cells = config.grid.cells();
    let done = compute(&run, options, cells, gpu)?;
    let took = computing.elapsed();
    let (schedule, begun) = (*run.schedule(), run.start());
    run.finish().map_err(failure)?;

    let updated = u64::from(done.outcome.steps) * cells - updates(&schedule, begun, cells);
    let gcells_per_s = (updated > 0).then_some(updated as f64 / took.as_secs_f64() / 1e9);
    let stepped = Stepped { outcome: done.outcome, gpu_ms_median: None, gcells_per_s };
    let streamed = Streamed {
        passes: done.passes,
        slabs: schedule.slabs(),
        bytes_read: done.read,
        bytes_written: done.written,
    };
    let adapter = (gpu.info.name.clone(), gpu.info.backend);
    let report = Report::new(args, &request, adapter, stepped, start);
    Report { streamed: Some(streamed), ..report }.print(args.json)
}

/// Begins the run, or finds where it was left.
fn open(args: &GridArgs, request: &Request, gpu: &Gpu) -> Result<Run, Failure> {
    let Request { config, steps, until, .. } = request;
    let output = args.output.clone().unwrap_or_default();
    let output = fs::canonicalize(&output).unwrap_or(output);
    let files = RunFiles::new(output, request.header()?);
    let identity = identity(args, request, gpu)?;
    let mut bounds = Bounds::new(config, *steps, args.stream.memory(), &gpu.device.limits());
    if args.stream.leaves_depth() && config.bytes() > SMALL {
        let member = gpu.member();
        bounds = bounds.with_speed(layer_seconds(&member, *config, request.weights).map_err(failure)?);
    }
    let bounds = until.map_or(bounds, |until| bounds.with_until(until));
    Run::open(files, identity, bounds, args.stream.sizes(), args.stream.resume).map_err(failure)
}

/// Does the steps, and shows how far they are.
fn compute(run: &Run, options: StreamOptions<'_>, cells: u64, gpu: &Gpu) -> Result<Done, Failure> {
    let schedule = *run.schedule();
    let bar = progress::cells(u64::from(schedule.all_steps()) * cells);
    let show = |progress: Progress| {
        let (pass, passes) = (progress.pass + 1, schedule.passes());
        bar.set_message(format!("pass {pass} of {passes}, slab {} of {}", progress.slabs, schedule.slabs()));
        bar.set_position(updates(&schedule, progress, cells));
    };
    show(run.start());
    // Work done before a resumption is no measure of speed.
    bar.reset_eta();
    // The run's own error says how much is kept. Errors that were only noted come after it.
    let done = run.steps(options, show).map_err(failure);
    bar.finish_and_clear();
    done.and_then(|done| gpu.check().map(|()| done))
}

/// Updates of cells that are done.
fn updates(schedule: &Schedule, progress: Progress, cells: u64) -> u64 {
    let before = u64::from(schedule.steps_before(progress.pass)) * cells;
    let now = u64::from(schedule.pass(progress.pass).steps) * cells;
    before + (now as f64 * f64::from(progress.slabs) / f64::from(schedule.slabs())) as u64
}

/// All that the result depends on.
fn identity(args: &GridArgs, request: &Request, gpu: &Gpu) -> Result<Identity, Failure> {
    let Config { stencil, variant, element, grid, .. } = request.config;
    let file = |source: &Source| match source.file().map(fs::File::metadata) {
        Some(Ok(found)) => {
            let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let modified = modified.unwrap_or_default().as_secs_f64();
            Ok(Value::from(format!("{} bytes, modified {modified:.6} s after 1970", found.len())))
        }
        Some(Err(error)) => Err(Failure::Usage(format!("{}: {error}", source.name()))),
        None => Ok(Value::Null),
    };
    let until = request
        .until
        .map(|until| format!("{} by {:?} after every {}", until.epsilon, until.norm, until.every));
    Ok(Identity::default()
        .with("grid", grid.to_string())
        .with("type", element.name())
        .with("stencil", stencil.name)
        .with("weights", request.weights.of_classes(stencil).to_vec())
        .with("boundary", args.boundary.to_string())
        .with("steps", request.steps)
        .with("until", until.map_or(Value::Null, Value::from))
        .with("variant", variant.name)
        .with("adapter", gpu.describe())
        .with("input", file(&request.source)?)
        .with("rhs", request.rhs.as_ref().map_or(Ok(Value::Null), file)?))
}

/// The error in the program's words.
fn failure(error: StreamError) -> Failure {
    match error {
        StreamError::Stopped { .. } => Failure::Interrupted(format!("{error} (--resume)")),
        StreamError::Unfinished { .. } | StreamError::Full { .. } | StreamError::Device(_) => {
            Failure::usage(format!("{error} (--resume)"))
        }
        StreamError::Room { .. }
        | StreamError::Thin { .. }
        | StreamError::Deep { .. }
        | StreamError::Memory { .. } => Failure::usage(format!("{error} (--memory, --slab, --depth)")),
        error => Failure::usage(error),
    }
}
