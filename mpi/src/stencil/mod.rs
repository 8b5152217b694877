//! `halofold-mpi stencil`: each rank reads, steps and writes its own layers of a grid.

mod output;
mod request;

use std::ops::Range;
use std::path::PathBuf;

use halofold::Element;
use halofold::stencil::{Border, Config, Norm, Stencil};
use halofold_mpi::{Field, GlobalGrid, Gpu, Ranks, part};
use halofold_run::files::{Source, npy};

use crate::Failure;
use output::Output;
use request::{Request, parse_epsilon};

/// Steps where none are asked for, and with a condition to stop.
const USUAL_STEPS: [u32; 2] = [1, 100_000];

/// What `halofold-mpi stencil` takes.
#[derive(clap::Args)]
pub struct StencilArgs {
    /// The grid, which all ranks can read: a .npy array of floats, in C order, of shape (rows, columns) or (planes, rows, columns).
    #[arg(value_name = "GRID.npy")]
    grid: String,
    /// The stencil, by the number of its points: 5 (the default) or 9 in 2D, 7 or 27 (the default) in 3D.
    #[arg(long, value_name = "POINTS")]
    stencil: Option<&'static Stencil>,
    /// How many steps: 1 by default. With --until the most steps: 100000 by default.
    #[arg(long, value_name = "N")]
    steps: Option<u32>,
    /// The kernel, by its name in `halofold stencil --help`. auto is what the ranks' GPUs take for a grid of this size; where they differ,
    /// name one.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    variant: String,
    /// What lies beyond the grid: fixed keeps the outermost cells, mirror reflects the grid, periodic repeats it.
    #[arg(long, value_name = "fixed|mirror|periodic", default_value = "fixed")]
    boundary: Border,
    /// Stop once a step changes no cell of the whole grid by this much.
    #[arg(long, value_name = "EPS", value_parser = parse_epsilon, allow_negative_numbers = true)]
    until: Option<f64>,
    /// What --until looks at: max, the largest change, or l2, the root of the exact sum of all squared changes.
    #[arg(long, value_name = "max|l2", default_value = "max", requires = "until")]
    norm: Norm,
    /// Steps between two checks of --until: 10 by default.
    #[arg(long, value_name = "M", requires = "until", value_parser = clap::value_parser!(u32).range(1..))]
    every: Option<u32>,
    /// The weights: first of the centre, then of the cells around it from the nearest to the farthest.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', allow_hyphen_values = true)]
    weights: Vec<f64>,
    /// A right-hand side: an array of the grid's shape and type, which is added to every new cell.
    #[arg(long, value_name = "RHS.npy")]
    rhs: Option<String>,
    /// Layers of a halo, which are also the steps from one exchange of faces to the next.
    #[arg(long, value_name = "LAYERS", value_parser = clap::value_parser!(u32).range(1..))]
    halo: Option<u32>,
    /// Where to write the result: an array of the file's shape and type.
    #[arg(short, long, value_name = "OUT.npy")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &StencilArgs, ranks: &Ranks) -> Result<(), Failure> {
    let Request { source, rhs, config, weights, until } = ranks.agree(Request::new(args));
    let (shape, element) = (source.shape().to_vec(), config.element);
    let descr = format!("{}f{}", npy::NATIVE, element.size());
    let inputs = [Some(&args.grid), args.rhs.as_ref()].into_iter().flatten();
    let output = args.output.as_deref();
    let output = output.map(|path| Output::new(path, inputs, &descr, &shape, config.bytes(), ranks));
    let gpu = ranks.agree(Gpu::open(ranks));

    let own = own(&config, ranks);
    let layer = config.layer_bytes();
    let bytes = own.start * layer..own.end * layer;
    let part = config.with_layers((own.end - own.start) as u32);
    let grid = ranks.agree(GlobalGrid::with_halo(ranks, &gpu.device, part, args.halo));
    let read = |source| read(source, bytes.start / element.size()..bytes.end / element.size());
    let (cells, rhs) = (read(source)?, rhs.map(read).transpose()?);
    let mut field = ranks.agree(Field::new(&grid, &gpu, weights, &cells, rhs.as_deref()));
    drop((cells, rhs));
    let steps = args.steps.unwrap_or(USUAL_STEPS[usize::from(until.is_some())]);
    match &until {
        Some(until) => drop(field.steps_until(steps, until)?),
        None => field.steps(steps)?,
    }
    if let Some(output) = &output {
        output.write(bytes.start, ranks, |sink| field.read(sink))?;
    }
    if ranks.is_first() {
        print!("{}", report(args, &shape, &grid, &field, until.is_some()));
    }
    Ok(())
}

/// The layers that are a rank's. Faces of 16-bit cells are whole words: then layers go by twos.
fn own(config: &Config, ranks: &Ranks) -> Range<u64> {
    let (all, unit) = (u64::from(config.layers()), if config.element == Element::F16 { 2 } else { 1 });
    let Range { start, end } = part(all.div_ceil(unit), ranks.rank(), ranks.count());
    start * unit..(end * unit).min(all)
}

/// Reads some of a file's cells.
fn read(source: Source, range: Range<u64>) -> Result<Vec<u8>, Failure> {
    let size = source.element().size() as usize;
    let mut bytes = vec![0; (range.end - range.start) as usize * size];
    let mut source = source.part(range)?;
    let mut filled = 0;
    while filled < bytes.len() {
        filled += source.read(&mut bytes[filled..])? * size;
    }
    Ok(bytes)
}

/// What is said about a run.
fn report(
    args: &StencilArgs,
    shape: &[u64],
    grid: &GlobalGrid<'_>,
    field: &Field<'_>,
    has_condition: bool,
) -> String {
    let sides: Vec<_> = shape.iter().map(u64::to_string).collect();
    let Config { stencil, variant, element, .. } = grid.config();
    let mut text = format!(
        "{}: {} {element}, {} points by {}, {} borders\n{} ranks with halos of {}\n{} steps\n",
        args.grid,
        sides.join(" × "),
        stencil.points(),
        variant.name,
        args.boundary.name(),
        grid.ranks().count(),
        grid.slab().depth(),
        field.done(),
    );
    if has_condition {
        let outcome = field.outcome();
        let verdict = if outcome.converged { "converged" } else { "not converged" };
        text += &format!(
            "{verdict}: the last step that was checked changed a cell by {:e} at most, all by {:e} (l2)\n",
            outcome.max, outcome.l2
        );
    }
    if let Some(output) = &args.output {
        text += &format!("written: {}\n", output.display());
    }
    text
}
