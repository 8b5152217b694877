//! Order statistics of whole files: the elements with the ranks that NumPy's methods name, and what lies between them; the largest elements.

use std::time::Instant;

use halofold::rank::Method;
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Value};

use super::check::Check;
use super::file::{self, Work};
use super::layout::Layout;
use super::op::{self, Asked};
use super::ranked::{self, Lines};
use super::report::{self, Array, Row};
use super::results::Results;
use super::totals::{OperatorResults, Wanted};
use super::{AnyAdapters, ReduceArgs, request, top};
use crate::failure::Failure;
use crate::file_errors::FileErrors;
use crate::files::Stored;
use crate::gpu::{self, Gpu};
use crate::histogram::edges::between;
use crate::passes::Passes;
use crate::reserved::Reserved;
use crate::transport::Transport;

/// The quantiles where none are named: the quartiles.
const QUARTILES: [f64; 3] = [0.25, 0.5, 0.75];

/// Reads a quantile.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "quantiles are numbers from 0 to 1, as in 0.05,0.95".to_owned())
}

/// True if a request has medians, quantiles or largest elements, or options for them.
pub fn are_wanted(args: &ReduceArgs) -> bool {
    let has_options = args.shares.is_some() || args.method.is_some() || args.k.is_some() || args.smallest;
    has_options || args.op.iter().any(|op| op.reduction().is_none())
}

/// Runs a request with medians, quantiles or largest elements; its reductions have a pass of their own.
pub fn run(
    args: &ReduceArgs,
    transport: &impl Transport,
    open: impl FnOnce(&AnyAdapters, Option<u64>) -> Result<Vec<Gpu>, Failure>,
) -> Result<(), Failure> {
    transport.agree(check(args, transport.is_alone()))?;
    let mut errors = FileErrors::new(args.files.len() > 1);
    let works = file::survey(&args.files, args, &mut errors, |work| request::check(args, None, work, true))?;
    if works.is_empty() {
        return errors.finish();
    }
    let array =
        args.output.as_deref().map(|path| Reserved::open_apart("-o", path, &args.files)).transpose()?;
    let gpus = open(&args.adapters, file::bytes(&works))?;
    let mut rows = Vec::new();
    let mut stored = None;
    for work in works {
        if let Some((more, array)) = errors.report(of_file(args, work, &gpus))? {
            rows.extend(more);
            stored = array;
        }
    }
    if let Some((file, results)) = array.zip(stored) {
        file.write_with(|file| results.write(file))?;
    }
    report::deliver(&rows, args).and(errors.finish())
}

/// Checks that a request has only options that medians, quantiles and largest elements take.
fn check(args: &ReduceArgs, is_alone: bool) -> Result<(), Failure> {
    if (args.shares.is_some() || args.method.is_some()) && !args.op.contains(&Asked::Quantile) {
        return Err(Failure::usage("--q and --method go with --op quantile"));
    }
    let has_top = args.op.contains(&Asked::Top);
    if (args.k.is_some() || args.smallest) && !has_top {
        return Err(Failure::usage("--k and --smallest go with --op top"));
    }
    if args.skip_nan && has_top {
        return Err(Failure::usage(
            "--skip-nan: top takes NaN for the largest; leave it out, or ask for --smallest",
        ));
    }
    let refused = [
        (args.together, "--together"),
        (args.mask.is_some(), "--where"),
        (args.with.is_some(), "--with"),
        (args.state.is_some(), "--state"),
        (args.merge, "--merge"),
        (args.verify, "--verify"),
        (!is_alone, "ranks of an MPI run"),
    ];
    if let Some((_, option)) = refused.iter().find(|(has, _)| *has) {
        return Err(Failure::Usage(format!(
            "{option}: median, quantile and top are of the elements of one file each, as they are; leave it out"
        )));
    }
    request::check_options(args)
}

/// A median or a quantile.
#[derive(Clone, Copy)]
struct Quantile {
    /// The share of elements below; none of a median.
    q: Option<f64>,
    method: Method,
}

impl Quantile {
    /// Those that an operator asks for; none of reductions.
    fn of(op: Asked, args: &ReduceArgs) -> Vec<Self> {
        let method = args.method.unwrap_or_default();
        let shares = args.shares.as_deref().unwrap_or(&QUARTILES);
        match op {
            Asked::Reduction(_) | Asked::Top => Vec::new(),
            Asked::Median => vec![Quantile { q: None, method: Method::Linear }],
            Asked::Quantile => shares.iter().map(|q| Quantile { q: Some(*q), method }).collect(),
        }
    }

    /// Its position among `n` elements.
    fn position(self, n: u64) -> (u64, u64, f64) {
        self.method.position(self.q.unwrap_or(0.5), n)
    }

    /// The type of the result: medians are means, and other results that are no elements have 64 bits.
    fn dtype(self, stored: Stored) -> Stored {
        match self.q {
            None => op::dtype(Op::Mean, stored),
            Some(_) if self.method.is_discrete() => op::dtype(Op::Min, stored),
            Some(_) => Element::F64.into(),
        }
    }

    /// The result, made of two elements.
    fn value(self, stored: Stored, ends: [Value; 2], gamma: f64) -> Value {
        let is_discrete = self.q.is_some() && self.method.is_discrete();
        match (self.dtype(stored), self.q) {
            _ if is_discrete => ends[0],
            (_, Some(_)) => Value::F64(between(stored, ends, gamma)),
            (dtype, None) => {
                let middle = ends[0].as_f64().midpoint(ends[1].as_f64());
                if dtype == Element::F32.into() { Value::F32(middle as f32) } else { Value::F64(middle) }
            }
        }
    }
}

/// An operator that asks for quantiles, and its results.
struct Answers {
    op: Asked,
    quantiles: Vec<(Quantile, Results)>,
    /// All quantiles of each line, as an array.
    array: Results,
}

impl Answers {
    /// None yet, of elements of a type.
    fn new(op: Asked, args: &ReduceArgs, stored: Stored, layout: &Layout) -> Option<Self> {
        let quantiles = Quantile::of(op, args);
        let first = quantiles.first()?;
        let (name, dtype) = (if first.q.is_some() { "quantile" } else { "median" }, first.dtype(stored));
        let results = |is_stored| Results::named(name, vec![dtype], layout, is_stored);
        let array = results(args.output.is_some());
        let array = if first.q.is_some() { array.with_several(quantiles.len() as u64, true) } else { array };
        Some(Answers {
            op,
            quantiles: quantiles.into_iter().map(|each| (each, results(false))).collect(),
            array,
        })
    }

    /// Adds those of a line of so many elements, given the one of each rank.
    fn push(&mut self, stored: Stored, len: u64, nth: &impl Fn(u64) -> Value) -> Result<(), Failure> {
        for (quantile, results) in &mut self.quantiles {
            let answer = (len > 0).then(|| {
                let (lower, upper, gamma) = quantile.position(len);
                Scalar::One(quantile.value(stored, [nth(lower), nth(upper)], gamma))
            });
            results.push(answer)?;
            self.array.push(answer)?;
        }
        Ok(())
    }

    /// The ranks that they ask for, among so many elements.
    fn ranks(all: &[Answers], len: u64) -> impl Iterator<Item = u64> {
        let quantiles = all.iter().flat_map(|answers| &answers.quantiles).filter(move |_| len > 0);
        quantiles.flat_map(move |(quantile, _)| {
            let (lower, upper, _) = quantile.position(len);
            [lower, upper]
        })
    }
}

/// Finds the quantiles of each line of an array, of which so many elements count: all, if none are named. Pieces have whole lines.
fn of_lines(answers: &mut [Answers], passes: &mut Passes<'_>, kept: &[u64]) -> Result<(), Failure> {
    let Some(Lines { len, count, .. }) = passes.work.lines else { return Ok(()) };
    let (stored, element) = (passes.work.stored, passes.work.stored.element());
    let of_line = |line: usize| kept.get(line).copied().unwrap_or(len);
    let mut lens: Vec<_> = if kept.is_empty() { vec![len] } else { kept.to_vec() };
    lens.sort_unstable();
    lens.dedup();
    let mut ranks: Vec<_> = lens.iter().flat_map(|len| Answers::ranks(answers, *len)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let mut line = 0;
    if ranks.is_empty() {
        return (0..count).try_for_each(|_| push(answers, stored, 0, &|_| Value::F64(f64::NAN)));
    }
    let kernels = |gpu: &Gpu, work: &Work| ranked::of_ranks((gpu, work), len, &ranks, !kept.is_empty());
    passes.through(kernels, |share, left| {
        for nth_line in 0..(share.elements() / len) as usize {
            let nth = |rank| {
                let place = ranks.binary_search(&rank).unwrap_or_default();
                ranked::value(
                    element,
                    left.iter().map(|left| &left.states[..]),
                    (nth_line, place),
                    ranks.len(),
                )
            };
            push(answers, stored, of_line(line), &nth)?;
            line += 1;
        }
        Ok(())
    })
}

fn push(
    answers: &mut [Answers],
    stored: Stored,
    len: u64,
    nth: &impl Fn(u64) -> Value,
) -> Result<(), Failure> {
    answers.iter_mut().try_for_each(|answers| answers.push(stored, len, nth))
}

/// Finds the quantiles of all elements of a file, in as many passes as their types need, and returns the number of those that count.
fn of_whole(answers: &mut [Answers], passes: &mut Passes<'_>, skips_nan: bool) -> Result<u64, Failure> {
    let stored = passes.work.stored;
    // A NaN is the result of all that have one.
    let usable = |kept: u64, n: u64| if kept < n && !skips_nan { 0 } else { kept };
    let (kept, found) = passes.at_ranks(|kept, n| Answers::ranks(answers, usable(kept, n)).collect())?;
    let n = passes.n;
    if usable(kept, n) < kept || kept == 0 && !skips_nan {
        push(answers, stored, n, &|_| Value::F64(f64::NAN))?;
    } else {
        push(answers, stored, kept, &|rank| found[&rank])?;
    }
    Ok(kept)
}

/// The rows of a file, and the results of the last operator that is no reduction as an array.
fn of_file(args: &ReduceArgs, work: Work, gpus: &[Gpu]) -> Result<(Vec<Row>, Option<Results>), Failure> {
    let start = Instant::now();
    let (path, stored, layout) = (work.path.clone(), work.stored, work.layout.clone());
    let ops = args.reductions();
    let mut answers: Vec<_> =
        args.op.iter().filter_map(|op| Answers::new(*op, args, stored, &layout)).collect();
    let has_top = args.op.contains(&Asked::Top);
    let skips_nan = args.skip_nan && stored.element().is_float();
    // Lines are found in the memory of a GPU, and so is a whole file that is a single piece; others are passed through histograms.
    let along = match &layout {
        Layout::Axis(axis) if !layout.is_one_line() => Some(work.lines_along(&axis.numbers)),
        _ => None,
    };
    let is_along = along.is_some();
    let is_piece = work.bytes().is_some_and(|bytes| bytes <= args.piece && stored.size() > 2 && bytes > 0);
    let is_held = !is_along && is_piece && !skips_nan;
    let passed = usize::from(!ops.is_empty()) + usize::from(has_top) + usize::from(!answers.is_empty());
    let is_once = passed <= 1 && (answers.is_empty() || stored.size() <= 2 || is_held);
    if work.passes_once() && !is_once {
        return Err(Failure::Usage(format!(
            "{path}: a stream passes once, and its elements would have to pass more often: save it as a file"
        )));
    }
    let wanted = args.wanted(&ops, None, &work, gpus);
    let mut passes = Passes::new(gpus, work, args.raw.bare(), args.piece);
    passes.is_quiet = args.quiet;
    let mut reduced = Vec::new();
    if !ops.is_empty() {
        reduced = passes.reduced(wanted, None, |failure| failure)?;
    }
    let in_c_order = passes.work.is_turned().then(|| passes.work.lines_along(&all_axes(&passes.work)));
    let lines = along.or(in_c_order);
    lines.iter().for_each(|lines| passes.make_room(lines));
    let mut kept = Vec::new();
    if is_along && skips_nan && !answers.is_empty() {
        let wanted = Wanted { ops: &[Op::Count], verify: false, is_stored: false, ..wanted };
        kept = passes.reduced(wanted, None, |failure| failure)?.remove(0).kept;
    }
    passes.work.take_lines(lines);
    let top = if has_top { Some(top::of(args, &mut passes, &layout)?) } else { None };
    let mut skipped = args.skip_nan.then_some(0);
    if !answers.is_empty() && (is_along || is_held) {
        if is_held {
            let len = passes.work.len.unwrap_or(0);
            passes.work.take_lines(Some(Lines::along(&[0], &[len], false)));
        }
        of_lines(&mut answers, &mut passes, &kept)?;
        skipped = skipped.map(|_| if kept.is_empty() { 0 } else { passes.n - kept.iter().sum::<u64>() });
    } else if !answers.is_empty() {
        passes.work.take_lines(None);
        let kept = of_whole(&mut answers, &mut passes, skips_nan)?;
        skipped = skipped.map(|_| passes.n - kept);
    }
    let n = passes.n;
    let output = args.output.as_deref();
    let row = |total: &OperatorResults, array: &Results, q| {
        let row = Row::of(&path, stored, n, total, Array::of(&layout, array, output));
        let adapter = Some(gpu::names(gpus));
        Row { q, wall_ms: start.elapsed().as_secs_f64() * 1e3, adapter, ..row }
    };
    let found = Found { reduced, answers, top, gpu_ms: passes.gpu_ms, skipped };
    Ok(found.rows(args, row))
}

/// The results of a file's operators: reductions, order statistics, and the largest elements.
struct Found {
    reduced: Vec<OperatorResults>,
    answers: Vec<Answers>,
    top: Option<OperatorResults>,
    gpu_ms: Option<f64>,
    skipped: Option<u64>,
}

impl Found {
    /// A row for each operator, and for each quantile, in the order in which they were asked for.
    fn rows(
        self,
        args: &ReduceArgs,
        row: impl Fn(&OperatorResults, &Results, Option<f64>) -> Row,
    ) -> (Vec<Row>, Option<Results>) {
        let Found { reduced, answers, top, gpu_ms, skipped } = self;
        let (mut reduced, mut answers) = (reduced.into_iter(), answers.into_iter().peekable());
        let mut top = top.into_iter();
        let (mut rows, mut array) = (Vec::new(), None);
        for op in &args.op {
            if let Some(Answers { quantiles, array: all, .. }) = answers.next_if(|answers| answers.op == *op)
            {
                for (quantile, results) in quantiles {
                    let check = Check::Unchecked;
                    let kept = Vec::new();
                    let total =
                        OperatorResults { op: None, results, gpu_ms, check, is_exact: false, skipped, kept };
                    let shown = if args.output.is_some() { &all } else { &total.results };
                    rows.push(row(&total, shown, quantile.q));
                }
                array = Some(all);
            } else if *op == Asked::Top {
                let found = top.next();
                rows.extend(found.iter().map(|total| row(total, &total.results, None)));
                array = found.map(|total| total.results);
            } else {
                rows.extend(reduced.next().map(|total| row(&total, &total.results, None)));
            }
        }
        (rows, array)
    }
}

fn all_axes(work: &Work) -> Vec<usize> {
    (0..work.shape.len()).collect()
}
