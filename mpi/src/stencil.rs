//! `halofold-mpi stencil`: the request of `halofold stencil`, each rank reads, steps and writes its own layers of the grid.

mod output;

use std::path::Path;
use std::time::Instant;

use halofold_fleet::{part_of_layers, unit_of_layers};
use halofold_mpi::{Field, GlobalGrid, Gpu, Ranks};
use halofold_run::failure;
use halofold_run::files::npy;
use halofold_run::grid::GridArgs;
use halofold_run::grid::cells::Cells;
use halofold_run::grid::report::{Report, Together, gcells_per_s};
use halofold_run::grid::request::Request;
use halofold_run::transport::refuse_stream;

use crate::Failure;
use crate::reduce::refuse_adapters;
use output::Output;

/// Runs the subcommand.
pub fn run(args: &GridArgs, ranks: &Ranks) -> Result<(), Failure> {
    let start = Instant::now();
    let request = ranks.agree(file_of(args).and_then(|path| Request::new(args, path)));
    if ranks.is_first() {
        request.tell_conversion(args);
    }
    let Request { source, rhs, config, weights, until, steps, .. } = request;
    let mut sources = [Some(&source), rhs.as_ref()].into_iter().flatten();
    let stream = sources.find(|source| source.file().is_none());
    ranks.agree(stream.map_or(Ok(()), |stream| Err(refuse_stream(stream.name()))));
    let shape = source.shape().to_vec();
    let inputs = args.grid.iter().chain(&args.rhs);
    let output = args.output.as_deref();
    let output = output
        .map(|path| Output::new(path, inputs, &npy::floats(config.element), &shape, config.bytes(), ranks));
    let gpu = ranks.agree(Gpu::open(ranks));
    let adapters = ranks.gather(&gpu.info.name).unwrap_or_default().join(" + ");

    let own = |rank| part_of_layers(config.layers(), unit_of_layers(&config), rank, ranks.count());
    let layers = own(ranks.rank());
    let part = config.with_layers(layers.len() as u32);
    let layers = u64::from(layers.start)..u64::from(layers.end);
    let grid = ranks.agree(GlobalGrid::with_halo(ranks, &gpu.device, part, args.halo));
    let read = |source| Cells::read_layers(source, &config, layers.clone());
    let (cells, rhs) = (ranks.agree(read(&source)), ranks.agree(rhs.as_ref().map(read).transpose()));
    let mut field =
        ranks.agree(Field::new(&grid, &gpu, weights, cells.bytes(), rhs.as_ref().map(Cells::bytes)));
    drop((cells, rhs));
    let computing = Instant::now();
    match &until {
        Some(until) => drop(field.steps_until(steps, until)?),
        None => field.steps(steps)?,
    }
    let took = computing.elapsed();
    if let Some(output) = &output {
        output.write(layers.start * config.layer_bytes(), ranks, |sink| field.read(sink))?;
    }
    if !ranks.is_first() {
        return Ok(());
    }
    let updates = u64::from(field.done()) * config.grid.cells();
    let report = Report {
        steps: field.done(),
        wall_ms: start.elapsed().as_secs_f64() * 1e3,
        gcells_per_s: gcells_per_s(updates, took),
        adapter: adapters,
        backend: gpu.info.backend.to_string(),
        together: Some(Together {
            layers: (0..ranks.count()).map(|rank| own(rank).len() as u32).collect(),
            halo: grid.slab().depth(),
        }),
        ..Report::new(args, (source.name(), &shape), &grid.config())
    };
    let printed = report.with_outcome(until.map(|_| field.outcome())).print(args.json);
    printed.map_err(|failure| failure.to_string().into())
}

/// The grid's file. Options that ranks have no use for are refused.
fn file_of(args: &GridArgs) -> Result<&Path, failure::Failure> {
    refuse_adapters(&args.adapters)?;
    let refused = if args.frames.is_some() {
        Some("--frames: ranks draw no pictures; write the grid with -o OUT.npy")
    } else if args.slice.is_some() {
        Some("--slice: ranks draw no pictures")
    } else if args.stream.asked_by().is_some() || args.stream.memory.is_some() {
        Some(
            "--stream, --memory, --slab, --depth, --resume and --checkpoint are of one process: ranks hold the grid",
        )
    } else {
        None
    };
    match (&args.grid, refused) {
        (_, Some(why)) => Err(failure::Failure::usage(why)),
        (None, _) => Err(failure::Failure::usage("name the grid to step: a .npy file")),
        (Some(path), None) => Ok(path),
    }
}
