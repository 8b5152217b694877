//! A grid that is stepped from file to file, because it does not fit the GPU or because that was asked for.

mod input;
mod options;

use std::fs;
use std::time::{Duration, Instant};

use halofold::stencil::Config;
use halofold::wgpu;
use serde_json::Value;

use super::report::{Report, Streamed};
use super::request::Request;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::npy;
use crate::output::{print, print_json};
use crate::progress;
use crate::reserved;
use crate::stencil::StencilArgs;
use halofold_fleet::stream::{self, Bounds, Identity, Outcome, Place, Progress, Run, Settings, StreamError};
use input::FileCells;
pub use options::StreamArgs;

/// A grid of fewer bytes is not tried on the GPU first.
const SMALL: u64 = 256 << 20;

/// Whether a grid is to be streamed.
pub fn is_wanted(args: &StencilArgs, request: &Request, gpu: &Gpu) -> bool {
    let (grid, copies) = (request.config.bytes(), 2 + u64::from(request.config.rhs));
    args.stream.is_asked_for()
        || grid > gpu.device.limits().max_buffer_size
        || args.stream.memory.is_some_and(|memory| grid.saturating_mul(copies) > memory)
        || (grid > SMALL && !has_room(gpu, grid, copies))
}

/// Whether the GPU has memory for some buffers.
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
pub fn run(args: &StencilArgs, request: Request, gpu: &Gpu, start: Instant) -> Result<(), Failure> {
    if let Some(reason) = refusal(args, &request) {
        return Err(refused(args, &request, gpu, &reason));
    }
    let Some(output) = &args.output else { return Ok(()) };
    let output = fs::canonicalize(output).unwrap_or_else(|_| output.clone());
    let identity = identity(args, &request, gpu)?;
    let bounds = Bounds::new(&request.config, request.steps, args.stream.memory(), &gpu.device.limits());
    let bounds = request.until.map_or(bounds, |until| bounds.with_until(&until));
    let Request { source, rhs, config, weights, until, .. } = request;
    let Config { element, grid, .. } = config;
    if args.element.is_none() && source.element() != element {
        eprintln!("{}: integers become {element}", source.name());
    }
    let mut header = Vec::new();
    let descr = format!("{}f{}", npy::NATIVE, element.size());
    npy::write(&mut header, &descr, source.shape(), false, &[]).map_err(Failure::usage)?;
    let run =
        Run::open(Place::new(output, header), identity, bounds, args.stream.wishes(), args.stream.resume)
            .map_err(failure)?;

    let (name, shape) = (source.name().to_owned(), source.shape().to_vec());
    let mut input = FileCells::new(source, element);
    let mut rhs = rhs.map(|rhs| FileCells::new(rhs, element));
    let plan = *run.plan();
    let bar = progress::cells(u64::from(plan.all_steps()) * grid.cells());
    let computing = Instant::now();
    let begin = cells_done(&plan, run.start(), grid.cells());
    let show = |progress: Progress| {
        bar.set_message(format!(
            "pass {} of {}, slab {} of {}",
            progress.pass + 1,
            plan.passes(),
            progress.slabs,
            plan.slabs()
        ));
        bar.set_position(cells_done(&plan, progress, grid.cells()));
    };
    show(run.start());
    bar.reset_eta();
    let done = gpu.attempt(|| {
        let settings = Settings {
            device: &gpu.device,
            queue: &gpu.queue,
            config,
            weights,
            until,
            input: &mut input,
            rhs: rhs.as_mut().map(|rhs| rhs as &mut dyn stream::Cells),
            every: Duration::from_secs_f64(args.stream.checkpoint),
            stop: reserved::leave_interrupts_to_work(),
        };
        run.steps(settings, show).map_err(failure)
    });
    bar.finish_and_clear();
    let done = done?;
    let took = computing.elapsed().as_secs_f64();
    run.finish(done.passes).map_err(failure)?;

    let steps = plan.steps_before(done.passes);
    let outcome =
        done.outcome.or(until.map(|_| Outcome { max: f64::INFINITY, l2: f64::INFINITY, converged: false }));
    let updates = u64::from(steps) * grid.cells() - begin;
    let report = Report {
        file: name,
        variant: config.variant.name,
        points: config.stencil.points(),
        grid: shape,
        block: config.tuning.block.to_string(),
        boundary: args.boundary.name(),
        steps,
        element: element.name(),
        gpu_ms_median: None,
        wall_ms: start.elapsed().as_secs_f64() * 1e3,
        gcells_per_s: (updates > 0).then_some(updates as f64 / took / 1e9),
        residual_max: outcome.map(|outcome| outcome.max),
        residual_l2: outcome.map(|outcome| outcome.l2),
        converged: outcome.map(|outcome| outcome.converged),
        output: args.output.as_ref().map(|path| path.display().to_string()),
        adapter: gpu.info.name.clone(),
        backend: gpu.info.backend.to_string(),
        together: None,
        streamed: Some(Streamed {
            passes: done.passes,
            slabs: plan.slabs(),
            bytes_read: done.read,
            bytes_written: done.written,
        }),
    };
    if args.json { print_json(&report) } else { print(&report.text()) }
}

/// Updates of cells that are done.
fn cells_done(plan: &stream::Plan, Progress { pass, slabs }: Progress, cells: u64) -> u64 {
    let before = u64::from(plan.steps_before(pass)) * cells;
    let now = u64::from(plan.steps(pass)) * cells;
    before + (now as f64 * f64::from(slabs) / f64::from(plan.slabs())) as u64
}

/// Why a grid cannot be streamed, in a few words.
fn refusal(args: &StencilArgs, request: &Request) -> Option<String> {
    let output = args.output.as_deref();
    let is_array = |path: &std::path::Path| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
    };
    let is_special = |path: &std::path::Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
    let sources = [Some(&request.source), request.rhs.as_ref()];
    let unfit = |source: &&&crate::input::Source| source.file().is_none() || source.is_fortran();
    let reason = if args.frames.is_some() {
        "--frames is not for streamed grids".to_owned()
    } else if !output.is_some_and(is_array) || output.is_some_and(is_special) {
        "-o must name a .npy file, beside which there is room for two grids".to_owned()
    } else {
        let source = sources.into_iter().flatten().collect::<Vec<_>>();
        let source = source.iter().find(unfit)?;
        let name = source.name();
        match source.is_fortran() {
            true => format!(
                "{name} is in Fortran's order: write it again by numpy.save(…, numpy.ascontiguousarray(…))"
            ),
            false => format!("{name} is no regular file, and streamed grids are read in slabs that overlap"),
        }
    };
    Some(reason)
}

/// The error for a grid that cannot be streamed.
fn refused(args: &StencilArgs, request: &Request, gpu: &Gpu, reason: &str) -> Failure {
    if args.stream.is_asked_for() {
        return Failure::Usage(format!("--{}: {reason}", args.stream.name()));
    }
    let Config { grid, element, .. } = request.config;
    Failure::Usage(format!(
        "{}: a grid of {grid} {element} does not fit this adapter (its largest buffer has {} bytes, max_buffer_size), and it cannot be \
         streamed: {reason}",
        request.source.name(),
        gpu.device.limits().max_buffer_size
    ))
}

/// All that the result depends on.
fn identity(args: &StencilArgs, request: &Request, gpu: &Gpu) -> Result<Identity, Failure> {
    let Config { stencil, variant, element, grid, .. } = request.config;
    let file = |source: &crate::input::Source| match source.file().map(fs::File::metadata) {
        Some(Ok(found)) => {
            let modified =
                found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
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
        .with("weights", request.weights.0[..stencil.classes.len()].to_vec())
        .with("boundary", args.boundary.name())
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
            Failure::Usage(format!("{error} (--resume)"))
        }
        StreamError::Room { .. } | StreamError::Thin { .. } | StreamError::Memory { .. } => {
            Failure::Usage(format!("{error} (--memory, --slab, --depth)"))
        }
        error => Failure::usage(error),
    }
}
