//! Order statistics of whole files: the elements with the ranks that NumPy's methods name, and what lies between them; the largest elements.

use std::time::Instant;

use halofold::rank::Method;
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Value};

use super::axes::Axes;
use super::check::Check;
use super::file::{self, Work};
use super::layout::{Axis, Layout};
use super::op::{self, Asked};
use super::report::{self, Row};
use super::results::{Results, Tree};
use super::totals::OperatorResults;
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
    open: impl FnOnce(&AnyAdapters) -> Result<Vec<Gpu>, Failure>,
) -> Result<(), Failure> {
    transport.agree(check(args, transport.is_alone()))?;
    let mut errors = FileErrors::new(args.files.len() > 1);
    let works = file::survey(&args.files, args, &mut errors, |work| request::check(args, None, work, true))?;
    if works.is_empty() {
        return errors.finish();
    }
    let array =
        args.output.as_deref().map(|path| Reserved::open_apart("-o", path, &args.files)).transpose()?;
    let gpus = open(&args.adapters)?;
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
    let is_along_axis = args.keepdims || args.axis.as_ref().is_some_and(|axes| *axes != Axes::All);
    let refused = [
        (is_along_axis, "--axis and --keepdims"),
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
            "{option}: median, quantile and top are of all elements of each file; leave it out"
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

/// The rows of a file, and the results of the last operator that is no reduction as an array.
fn of_file(args: &ReduceArgs, work: Work, gpus: &[Gpu]) -> Result<(Vec<Row>, Option<Results>), Failure> {
    let start = Instant::now();
    let (path, stored) = (work.path.clone(), work.stored);
    let ops = args.reductions();
    let quantiles: Vec<_> = args.op.iter().flat_map(|op| Quantile::of(*op, args)).collect();
    let has_top = args.op.contains(&Asked::Top);
    if work.passes_once() && (stored.size() > 2 || !ops.is_empty() || has_top) {
        return Err(Failure::Usage(format!(
            "{path}: a stream passes once, and its elements would have to pass more often: save it as a file"
        )));
    }
    let top = if has_top { Some(top::of(args, &work, &gpus[0])?) } else { None };
    let wanted = args.wanted(&ops, None, &work, gpus);
    let mut passes = Passes::new(gpus, work, args.bare(), args.piece);
    passes.is_quiet = args.quiet;
    let mut reduced = Vec::new();
    if !ops.is_empty() {
        let engine = passes.engine(wanted)?;
        reduced = passes.reduced(engine, wanted)?;
    }
    // A NaN is the result of all that have one.
    let usable = |kept: u64, n: u64| if kept < n && !args.skip_nan { 0 } else { kept };
    let ranks = |kept, n| {
        let taken = quantiles.iter().filter(|_| usable(kept, n) > 0);
        let positions = taken.map(|quantile| quantile.position(kept));
        positions.flat_map(|(lower, upper, _)| [lower, upper]).collect()
    };
    let (kept, found) = if quantiles.is_empty() { Default::default() } else { passes.at_ranks(ranks)? };
    let n = top.as_ref().map_or(passes.n, |top| top.n);
    let answer = |quantile: Quantile| match usable(kept, n) {
        0 if kept < n && !args.skip_nan => Some(Scalar::One(Value::F64(f64::NAN))),
        0 => None,
        kept => {
            let (lower, upper, gamma) = quantile.position(kept);
            Some(Scalar::One(quantile.value(stored, [found[&lower], found[&upper]], gamma)))
        }
    };
    let skipped = args.skip_nan.then_some(n - kept);
    let row = |total: &OperatorResults, q| {
        let row = Row::of(&path, stored, n, total, None);
        let adapter = Some(gpu::names(gpus));
        Row { q, wall_ms: start.elapsed().as_secs_f64() * 1e3, adapter, ..row }
    };
    let mut reduced = reduced.into_iter();
    let mut rows = Vec::new();
    let mut array = None;
    for op in &args.op {
        if let (Asked::Top, Some(top)) = (op, &top) {
            let index = top.found.iter().map(|(_, index)| Tree::Leaf(Some(u64::from(*index))));
            let total = top.total(args)?;
            rows.push(Row { index: Some(Tree::List(index.collect())), ..row(&total, None) });
            array = Some(total.results);
            continue;
        }
        let quantiles = Quantile::of(*op, args);
        let Some(first) = quantiles.first() else {
            rows.extend(reduced.next().map(|total| row(&total, None)));
            continue;
        };
        let (name, dtype) = (if first.q.is_some() { "quantile" } else { "median" }, first.dtype(stored));
        let results = |layout, is_stored| Results::named(name, vec![dtype], layout, is_stored);
        // Quantiles are an array of one dimension.
        let shape = Axis::new(Vec::new(), false, &[quantiles.len() as u64], false);
        let layout = first.q.map_or(Layout::Whole, |_| Layout::Axis(shape));
        let mut all = results(&layout, args.output.is_some());
        for quantile in quantiles {
            let mut results = results(&Layout::Whole, false);
            results.push(answer(quantile))?;
            all.push(answer(quantile))?;
            let (gpu_ms, check, op) = (passes.gpu_ms, Check::Unchecked, None);
            let total = OperatorResults { op, results, gpu_ms, check, is_exact: false, skipped };
            rows.push(row(&total, quantile.q));
        }
        array = Some(all);
    }
    Ok((rows, array))
}
