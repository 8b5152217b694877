//! `halofold-mpi stencil`: the request of `halofold stencil`, each rank reads, steps and writes its own layers of the grid.

mod output;

use std::time::Instant;

use halofold_cli::failure::Failure;
use halofold_cli::files::npy;
use halofold_cli::reserved::Reserved;
use halofold_cli::stencil::output::Outputs;
use halofold_cli::stencil::report::Report;
use halofold_cli::stencil::request::Request;
use halofold_cli::stencil::{StencilArgs, run_steps};
use halofold_cli::transport::{Transport as _, refuse_stream};
use halofold_fleet::{Cells, GridState as _, part_of_layers, unit_of_layers};
use halofold_mpi::{Field, GlobalGrid, RankGpu, Ranks};

use crate::reduce::{ByMpi, refuse_adapters};

/// Runs the subcommand.
pub fn run(args: &StencilArgs, ranks: &Ranks) -> Result<(), Failure> {
    let start = Instant::now();
    let processes = ByMpi(ranks);
    let mut request = processes.agree(check(args).and_then(|()| Request::new(args)))?;
    if ranks.is_first() {
        request.tell_conversion(args);
    }
    processes.agree(no_stream(&request))?;
    // One rank opens the result.
    let output = if ranks.is_first() { Outputs::reserve(args).map(Outputs::file) } else { Ok(None) };
    let file = processes.agree(output.and_then(refuse_device))?;
    let gpu = processes.agree(RankGpu::open(ranks).map_err(Failure::usage))?;
    let adapters = ranks.gather(&gpu.info.name).unwrap_or_default().join(" + ");

    let config = request.config;
    let layers = part_of_layers(config.layers(), unit_of_layers(&config), ranks.rank(), ranks.count());
    let part = config.with_layers(layers.len() as u32);
    let set_up = Instant::now();
    let grid = GlobalGrid::with_halo(ranks, &gpu, part, args.halo).map_err(Failure::usage);
    let grid = processes.agree(grid)?;
    let weights = request.weights;
    let load = |request: &mut Request| {
        let (cells, rhs) = request.cells()?;
        let rhs = rhs.as_ref().map(|rhs| |start: u64, into: &mut [u8]| rhs.fill(start, into));
        let fill = |start: u64, into: &mut [u8]| cells.fill(start, into);
        let rhs = rhs.as_ref().map(|rhs| rhs as Cells<'_>);
        Field::load(&grid, &gpu, weights, &fill, rhs).map_err(Failure::usage)
    };
    let mut field = processes.agree(load(&mut request))?;
    let setup_ms = set_up.elapsed().as_secs_f64() * 1e3;
    (request.config.variant, request.config.tuning) = field.kernel();
    let stepped = run_steps(&mut field, &request, &processes)?;
    if let Some(path) = &args.output {
        let header = request.header()?;
        let size = header.len() as u64 + config.bytes();
        let own = [layers.start, layers.end].map(|layer| u64::from(layer) * config.layer_bytes());
        output::write(file, path, (&header, size), (&field, own[0]..own[1]), &processes)?;
    }
    let mut report = Report::new(args, &request, (adapters, gpu.info.backend), stepped, start);
    (report.cut, report.setup_ms) = (field.cut(), Some(setup_ms));
    if ranks.is_first() { report.print(args.json) } else { report.verdict() }
}

/// Refuses streams.
fn no_stream(request: &Request) -> Result<(), Failure> {
    let mut sources = [Some(&request.source), request.rhs.as_ref()].into_iter().flatten();
    let stream = sources.find(|source| source.is_stream());
    stream.map_or(Ok(()), |stream| Err(refuse_stream(stream.name())))
}

/// Refuses outputs that ranks cannot write together: a pipe or a device cannot be written at a position.
fn refuse_device(file: Option<Reserved>) -> Result<Option<Reserved>, Failure> {
    match file.as_ref().map(Reserved::place).filter(|place| !place.is_file()) {
        Some(place) => {
            Err(Failure::Usage(format!("-o {}: ranks write a file, no pipe or device", place.display())))
        }
        None => Ok(file),
    }
}

/// Refuses options that ranks cannot honour.
fn check(args: &StencilArgs) -> Result<(), Failure> {
    refuse_adapters(&args.adapters)?;
    let is_picture = args.output.as_deref().is_some_and(|path| !npy::is_named(path));
    let refused = [
        (args.slice.is_some(), "--slice: ranks draw no pictures"),
        (is_picture, "-o: the name must end in .npy: ranks draw no pictures"),
    ];
    let refused = refused.into_iter().find(|(is_given, _)| *is_given);
    refused.map_or(Ok(()), |(_, why)| Err(Failure::usage(why)))
}
