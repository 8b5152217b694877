//! `halofold scan`: the results of all elements up to each, as an array in a file.
//!
//! Pieces take the road of `halofold reduce`, by one GPU and in turn: their results go to the file as they come. A piece has whole lines, or a part of
//! one; such parts go on where others have ended, by an accumulator that stays on the GPU. Elements of lines that lie apart are put next to each
//! other by the GPU, and the host puts their results back.

mod kernel;
mod reference;
mod results;

use std::io::Write as _;
use std::path::PathBuf;
use std::slice;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use halofold::Element;
use halofold::reduce::{Accuracy, Op};

use crate::count::counts;
use crate::failure::Failure;
use crate::files::{BareArgs, npy};
use crate::gpu::{self, AdapterArgs, Gpu};
use crate::passes::Passes;
use crate::reduce::axes::Axes;
use crate::reduce::check::Check;
use crate::reduce::file::Work;
use crate::reduce::ranked::{Lines, refused};
use crate::reduce::report::{self, Array, Row};
use crate::reduce::results::Tree;
use crate::reduce::{op, parts, request};
use crate::reserved::{Reserved, failure};
use kernel::Prefixes;
use reference::Reference;
use results::Results;

/// Elements that the host looks at together, or their results.
const AT_ONCE: u64 = 4096;

/// Options of `halofold scan`.
#[derive(clap::Args)]
pub struct ScanArgs {
    /// The file: a .npy array, an array of a .npz archive by FILE.npz:NAME (FILE.npz if there is one), or with --raw bare elements; `-` is
    /// standard input.
    file: PathBuf,
    #[command(flatten)]
    raw: BareArgs,
    /// The operator.
    ///
    /// Results are those of NumPy's cumsum, cumprod, minimum.accumulate and maximum.accumulate, and have the types of `halofold reduce`: sums and
    /// products of integers of up to 32 bits are 64 bits wide, those of 64-bit integers wrap; 16-bit floats give 32-bit results; minima and
    /// maxima of integers keep the type. A NaN stays.
    #[arg(long, value_name = "OP", default_value = "sum", value_parser = PossibleValuesParser::new(["sum", "product", "min", "max"]).try_map(|name| name.parse::<Op>()))]
    op: Op,
    /// Leave each element out of its own result, which is that of all before it.
    ///
    /// The first sum is 0, the first product 1, the first minimum the largest number of the type, and the first maximum the smallest; of floats
    /// these are infinite.
    #[arg(long)]
    exclusive: bool,
    /// Scan along an axis of an array: counted from 0, or from the end if negative.
    ///
    /// As NumPy's `axis=K`: the result has the shape of the array. Without it all elements are scanned in C order, and the result has one dimension.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    axis: Option<i64>,
    /// Write the results as a .npy array.
    #[arg(short, long, value_name = "OUT.npy")]
    output: PathBuf,
    /// Round each sum of 32-bit or 16-bit floats once, at its end: the same bits on every GPU, however the file is cut.
    ///
    /// Of 16-bit floats on GPUs that keep subnormal ones, as --verify finds out.
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    adapter: AdapterArgs,
    /// Print one JSON array of {file, op, type, n, axis, shape, dtype, output, value, bits, index, gpu_ms, wall_ms, adapter}, as `halofold reduce` does.
    #[arg(long)]
    json: bool,
    /// Print nothing, and draw no progress.
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// Compute everything on the CPU too; exit status 1 if the GPU is wrong.
    ///
    /// The file is read a second time. The line ends in `verified`, `WRONG`, or `undecided` (a result overflows in some orders of its elements and not
    /// in others).
    #[arg(long)]
    verify: bool,
    /// Read the file in pieces of at most this many bytes; Booleans and integers of 8 and 16 bits count as the 32-bit ones they become.
    #[arg(long, value_name = "BYTES", default_value = "64Mi", value_parser = counts(8u64, 1 << 30))]
    piece: u64,
}

/// Runs the subcommand.
///
/// # Errors
///
/// Names the fault of the request, of the machine, or of a result.
pub fn run(args: &ScanArgs) -> Result<(), Failure> {
    let start = Instant::now();
    request::check_name(&args.output)?;
    let work = Work::whole(&args.file, args.raw.bare().as_ref())?;
    let n = check(args, &work)?;
    let along = Along::new(args, &work, n)?;
    let mut file = Reserved::open_apart("-o", &args.output, slice::from_ref(&args.file))?;
    let gpus = [args.adapter.open()?];
    let (path, stored) = (work.path.clone(), work.stored);
    let dtype = op::dtype(args.op, stored);
    let failed = |error| failure("-o", &args.output, &error);
    npy::write(file.file(), &dtype.descr(), &along.shape, along.fortran, &[]).map_err(failed)?;
    let (check, gpu_ms) =
        scanned(args, (work, n), &along, &gpus, |bytes| file.file().write_all(bytes).map_err(failed))?;
    file.finish()?;
    let array = Array {
        axis: along.axis.map_or(Tree::List(Vec::new()), Tree::Leaf),
        shape: along.shape,
        dtype: dtype.numpy().to_owned(),
        output: Some(args.output.display().to_string()),
    };
    let row = Row {
        file: path,
        op: args.op.name().to_owned(),
        q: None,
        key: None,
        element: stored.name(),
        n,
        skipped: None,
        array: Some(array),
        value: None,
        bits: None,
        index: None,
        gpu_ms,
        wall_ms: start.elapsed().as_secs_f64() * 1e3,
        adapter: Some(gpu::names(&gpus)),
        check,
    };
    report::deliver_array(row, args.json, args.quiet)
}

/// Passes the results of a file of `n` elements to `take`, as they are to lie in the other file, and returns the CPU's verdict on them and the
/// time on the GPU.
fn scanned(
    args: &ScanArgs,
    (mut work, n): (Work, u64),
    along: &Along,
    gpus: &[Gpu; 1],
    mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(Check, Option<f64>), Failure> {
    let accuracy = if args.exact { Accuracy::Exact } else { Accuracy::Fast };
    // Integers of 32 bits have sums and products of their own.
    let part = parts::of(args.op, work.stored.element(), accuracy)[0];
    let prefixes = Prefixes::new(part, args.exclusive, along.lines.len)?;
    let reference = args.verify.then(|| Reference::new(args, &work, along, part)).transpose()?;
    let dtype = op::dtype(args.op, work.stored);
    let mut results = Results::new(&prefixes, dtype, along.places().to_vec(), reference);
    work.layout = along.lines.rows();
    let mut passes = Passes::new(gpus, work, args.raw.bare(), args.piece);
    (passes.is_quiet, passes.in_turn, passes.gpu_ms) = (args.quiet, true, Some(0.0));
    passes.result = prefixes.size();
    if !along.lines.places.is_empty() {
        passes.make_room(&along.lines);
        passes.work.take_lines(Some(along.lines.clone()));
    }
    if n > 0 {
        let limits = gpus[0].device.limits();
        let kernel = |gpu: &Gpu, work: &Work| prefixes.kernel(gpu, work);
        passes.through(kernel, |share, left| take(&results.next(share, &left[0].states, &limits)?))?;
    }
    Ok((results.check(), passes.gpu_ms))
}

/// Checks a request against the file, and returns the number of its elements.
fn check(args: &ScanArgs, work: &Work) -> Result<u64, Failure> {
    let (op, element) = (args.op, work.stored.element());
    let rounds = element.is_float() && matches!(op, Op::Sum | Op::Product);
    if args.exact && !rounds {
        let why = format!("`{op}` of {} rounds nothing as it is; leave out --exact", work.stored);
        return Err(refused(work, why));
    }
    if args.exact && (op != Op::Sum || element == Element::F64) {
        let why = format!("`{op}` of {} has no exact prefixes: sum of f32 and f16 has", work.stored);
        return Err(refused(work, why));
    }
    if args.verify && work.passes_once() {
        return Err(refused(
            work,
            "--verify reads the elements a second time, and a stream passes once: save it as a file",
        ));
    }
    work.len.ok_or_else(|| {
        refused(work, "the length of bare elements from a stream is not known: name it with --shape")
    })
}

/// The lines along which elements are scanned.
struct Along {
    lines: Lines,
    /// The number of their axis; `None` if all elements are one line, in C order.
    axis: Option<usize>,
    /// The dimensions of the results, and whether the first of them runs fastest.
    shape: Vec<u64>,
    fortran: bool,
}

impl Along {
    /// Those that a request names, in a file of `n` elements.
    fn new(args: &ScanArgs, work: &Work, n: u64) -> Result<Self, Failure> {
        let shape = if args.raw.is_run() { vec![n] } else { work.shape.clone() };
        let Some(axis) = args.axis else {
            let all: Vec<_> = (0..shape.len()).collect();
            return Ok(Along { lines: work.lines_along(&all), axis: None, shape: vec![n], fortran: false });
        };
        let numbers = Axes::Named(vec![axis]).of(shape.len()).map_err(|why| refused(work, why))?;
        let (lines, axis) = (work.lines_along(&numbers), numbers.first().copied());
        Ok(Along { lines, axis, shape, fortran: work.fortran })
    }

    /// The places of a block's results in the order of the lines, if they are to lie as their elements do.
    fn places(&self) -> &[[u64; 2]] {
        if self.axis.is_some() { &self.lines.places } else { &[] }
    }
}
