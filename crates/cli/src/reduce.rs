//! `halofold reduce`: the reductions of data files, one line for each file and operator.
//!
//! All files are opened and checked, all kernels compiled, before the first element is read. Then each file streams
//! through the GPU in pieces, every operator leaves the state of a piece while it is there, and the host merges
//! the states. Nothing is written before everything is done, so an error leaves no half of an answer behind. Of several
//! files, those that cannot be read are reported, and the others are reduced.

pub(crate) mod axes;
pub(crate) mod buffers;
mod by;
pub(crate) mod c_order;
pub(crate) mod check;
pub(crate) mod dtype;
pub(crate) mod engine;
pub(crate) mod file;
pub(crate) mod help;
pub(crate) mod kernels;
pub(crate) mod layout;
mod lines;
mod merge;
mod message;
mod number_format;
pub(crate) mod op;
mod own;
mod pace;
pub(crate) mod parts;
mod quantiles;
pub(crate) mod ranked;
mod read_ahead;
mod read_threads;
mod reader;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod results;
mod state_file;
pub(crate) mod steps;
mod top;
pub(crate) mod totals;
mod unpack;
mod worker;

use std::path::{Path, PathBuf};
use std::time::Instant;

use halofold::rank::Method;
use halofold::reduce::{Accuracy, Arity, Op};
use indicatif::ProgressBar;

use crate::count::counts;
use crate::failure::Failure;
use crate::file_errors::FileErrors;
use crate::files::{BareArgs, Source, Stored};
use crate::gpu::{AnyAdapters, Gpu};
use crate::reserved::Reserved;
use crate::transport::Transport;
use crate::{output, progress};
use axes::Axes;
use engine::Engine;
use file::Work;
use layout::{Axis, LONG_LINE, Layout, Share};
use number_format::NumberFormat;
use op::Asked;
use own::{Own, OwnMerger};
use report::{Array, Row};
use steps::{Reduced, Steps};
use totals::{Totals, Wanted};

/// Options of `halofold reduce`.
#[derive(clap::Args)]
pub struct ReduceArgs {
    /// The files: .npy arrays, arrays of .npz archives by FILE.npz:NAME (FILE.npz if there is one), or with --raw bare elements; `-` is
    /// standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    raw: BareArgs,
    /// Operators to compute, separated by commas.
    ///
    /// Results are NumPy's: sums and products of integers of up to 32 bits are 64 bits wide; those of 64-bit integers wrap (wide-sum does
    /// not), and so does dot of integers, in their own width; the mean of integers is an f64; a NaN anywhere makes min and max NaN;
    /// arg-min and arg-max find the first of equal elements, or the first NaN, in C order. 16-bit floats give 32-bit results;
    /// Booleans count as 0 and 1, and min, max, and, or, xor and dot of them are true or false. Results
    /// that take logarithms of integers of up to 32 bits have the precision of an f32. Without any elements the sum is 0, the product 1, and
    /// minima, maxima, means and variances have no value (`-`).
    ///
    /// median and quantile find elements by their ranks: those of a file larger than a piece in two passes over 32-bit elements, and in four over
    /// 64-bit ones. top finds the largest elements, and their places: in order, of equal ones the first; NaN is the largest. Along --axis both are
    /// found in each line.
    #[arg(long, value_name = "OP", value_parser = op::parser(), value_delimiter = ',', default_value = "sum")]
    op: Vec<Asked>,
    /// The quantiles of --op quantile, each from 0 to 1. Each has a line, and with -o a place in the first dimension of the array.
    #[arg(long = "q", value_name = "Q,...", value_delimiter = ',', value_parser = quantiles::share)]
    shares: Option<Vec<f64>>,
    /// The method of --op quantile, by NumPy's names: linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased and others.
    #[arg(long, value_name = "METHOD")]
    method: Option<Method>,
    /// The number of elements that --op top finds: 10 by default. More than 1000 go to a file by -o.
    #[arg(long, value_name = "K", value_parser = counts(1, u32::MAX))]
    k: Option<u32>,
    /// The smallest elements for --op top, in place of the largest.
    #[arg(long)]
    smallest: bool,
    /// Reduce by an operator of your own: a file with WGSL.
    ///
    /// It declares a type Acc (a number, a vector or a struct of these, of at most 16 words of 32 bits) and four functions:
    /// map(elem: Elem, index: u32) -> Acc, of an element and its index in the file, or along --axis; identity() -> Acc;
    /// combine(a: Acc, b: Acc) -> Acc, which must be associative, and along --axis also commutative; finish(acc: Acc, n: u32) -> Out, the
    /// result of n elements. Elem is the type of the elements: f32, u32, i32, f64, i64, u64 or f16; that of Booleans and narrow integers has
    /// 32 bits. With --with, map takes an element of each file before the index. The numbers of a result that has several are a list. The
    /// name of the file is that of the operator.
    #[arg(long, value_name = "OP.wgsl", conflicts_with_all = ["op", "fast", "ddof", "state"])]
    wgsl: Option<PathBuf>,
    /// The second input of dot, covariance, correlation and weighted-mean (there also --weights), or of --wgsl: a file like FILE, of the same
    /// type, shape and order.
    #[arg(long, alias = "weights", value_name = "FILE")]
    with: Option<PathBuf>,
    /// Reduce along an axis of an array, or along several separated by commas: counted from 0, or from the end if negative. `all` is the
    /// whole array.
    ///
    /// As NumPy's `axis=K` and `axis=(J, K)`: the result is an array without these axes. An array larger than a piece is read in pieces of
    /// whole planes or rows. arg-min and arg-max along several axes count the places along them in C order.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    axis: Option<Axes>,
    /// Keep the axes that are reduced as dimensions of one, as NumPy's `keepdims=True`; without --axis all of them.
    #[arg(long)]
    keepdims: bool,
    /// Number that variance, std and covariance subtract from the number of elements: 0 by default. sample-variance and sample-std subtract 1.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX), allow_negative_numbers = true)]
    ddof: Option<u32>,
    /// Leave NaNs out, as NumPy's nansum, nanmean, nanmin and so on do; of two inputs the pairs that have one.
    ///
    /// A line says how many were skipped. Where all elements are NaN, the sum is 0, the product 1, and minima, maxima, means and variances
    /// have no value (`-`, and NaN in an array). Integers have no NaN.
    #[arg(long, conflicts_with_all = ["wgsl", "state"])]
    skip_nan: bool,
    /// Leave out the elements where a mask is false, as NumPy's `where=` does: a .npy file of Booleans of FILE's shape and order.
    ///
    /// A line says how many were skipped. Results are those of the elements that are kept, as with --skip-nan; both go together. Sums, means
    /// and l1 are rounded only at the end, as without a mask.
    #[arg(long = "where", value_name = "MASK.npy", conflicts_with_all = ["with", "wgsl", "state"])]
    mask: Option<PathBuf>,
    /// Reduce by group: a file with a label for each element, integers or Booleans in any order, of FILE's shape.
    ///
    /// Each label has a result of the elements that it stands with; the results come in the order of the labels. Groups are made by the host.
    #[arg(long, value_name = "LABELS.npy", conflicts_with_all = ["axis", "keepdims", "with", "mask", "wgsl", "state", "merge", "together"])]
    by: Option<PathBuf>,
    /// Write the labels of the results as a .npy array, beside -o.
    #[arg(long, value_name = "KEYS.npy", requires_all = ["by", "output"])]
    keys: Option<PathBuf>,
    /// Write the result of one operator over one file as a .npy array of the type that NumPy has.
    ///
    /// For arg-min and arg-max it holds the indices; for min-max its last dimension is two.
    #[arg(short, long, value_name = "OUT.npy")]
    output: Option<PathBuf>,
    /// Only results that are rounded at the end, and their bits: the same on every GPU, however the file is cut.
    ///
    /// Sums, means, dot products, norms (l1, l2), variances and deviations of floats are such results wherever that is possible, with and
    /// without this option: all of them of f32, sums, means and l1 of f16 and f64; along an axis only if 65536 elements or more make a result (of axes that are no
    /// neighbours, if the innermost has as many), as exact states of many results take long. With it operators without an exact form are refused.
    #[arg(long, conflicts_with = "fast")]
    exact: bool,
    /// Reduce all files as one, in their order: one result of the elements of all. arg-min and arg-max count through all files.
    #[arg(long, conflicts_with_all = ["axis", "keepdims", "with"])]
    together: bool,
    /// Add floats in their own width, rounded at each addition, in the order that is the fastest.
    #[arg(long)]
    fast: bool,
    /// Write the exact state of all files together, for --merge.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["axis", "keepdims"])]
    state: Option<PathBuf>,
    /// Read the files that --state wrote, add them up, and print the result.
    #[arg(long, conflicts_with_all = ["exact", "fast", "axis", "keepdims", "together", "ddof", "output", "raw", "with", "verify", "wgsl", "skip_nan", "mask"])]
    merge: bool,
    /// Each of several takes the next piece of a file when it is free. Results that are not exact may have other last bits on adapters of another kind.
    #[command(flatten)]
    adapters: AnyAdapters,
    /// Print one JSON array of {file, op, type, n, value, bits, index, gpu_ms, wall_ms, adapter}.
    ///
    /// `value` is a number, integers in full; NaN and infinities are the strings "NaN", "inf" and "-inf"; any and all give true or
    /// false, min-max a list of two; it is null if there is no value. `bits` are those of floats that were rounded only at the end, else
    /// null. `index` is the place that arg-min and arg-max found, else null. With --axis or --keepdims there are also {axis, shape, dtype, output}
    /// after `n`, and `value`, `bits` and `index` are nested lists if there are at most 1000 results, else null. With --skip-nan or --where there is
    /// `skipped` after `n`, and with --by `key` after `op`. `gpu_ms` is null if nothing ran on
    /// the GPU or it has no timestamps; `wall_ms` is the time from opening the file to its last value, with --verify the CPU's part
    /// included.
    #[arg(long)]
    json: bool,
    /// Print the results as CSV: a line of names, and a line for each number, with its place in the array that -o would write.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print the values alone, one a line, and draw no progress: the numbers that -o would write (of arg-min and arg-max the indices); nothing
    /// with -o.
    #[arg(short, long, conflicts_with_all = ["json", "csv"])]
    quiet: bool,
    /// Print values as C and NumPy's savetxt do: %d, %e, %f or %g, the last three also with a number of digits, as in %.3f.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<NumberFormat>,
    /// Compute everything on the CPU too; exit status 1 if the GPU is wrong.
    ///
    /// A line ends in `verified`, `WRONG`, or `undecided` (the sum overflows in some orders of addition and not in others).
    #[arg(long)]
    verify: bool,
    /// Read files in pieces of at most this many bytes; Booleans and integers of 8 and 16 bits count as the 32-bit ones they become.
    #[arg(long, value_name = "BYTES", default_value = "64Mi", value_parser = counts(8u64, 1 << 30))]
    piece: u64,
}

/// Runs the subcommand in one of the processes of a transport, on the GPUs that `open` opens for files of so many bytes, if that is known.
///
/// # Errors
///
/// Names the fault of the request, of the machine, or of a result.
pub fn run(
    args: &ReduceArgs,
    transport: &impl Transport,
    open: impl FnOnce(&AnyAdapters, Option<u64>) -> Result<Vec<Gpu>, Failure>,
) -> Result<(), Failure> {
    if let Some(labels) = &args.by {
        // One adapter makes groups, of files of any size.
        return by::run(args, labels, transport, |adapters| open(adapters, Some(0)));
    }
    if quantiles::are_wanted(args) {
        return quantiles::run(args, transport, open);
    }
    if args.merge {
        return if transport.is_first() { merge::run(args) } else { Ok(()) };
    }
    let files = [&args.files[..], args.with.as_slice()].concat();
    let paths = [&files[..], args.mask.as_slice()].concat();
    // A result or a state of some of the files would pass for one of all; processes go on together or not at all.
    let goes_on = args.files.len() > 1 && args.state.is_none() && !args.together && transport.is_alone();
    let mut errors = FileErrors::new(goes_on);
    let own = transport.agree(request::check_options(args).and_then(|()| args.own()))?;
    alike(transport, own.as_ref().map_or("", Own::text), || {
        "--wgsl: is not the same on all ranks".to_owned()
    })?;
    let check = |work: &Work| request::check(args, own.as_ref(), work, transport.is_alone());
    let checked = file::survey(&files, args, &mut errors, check).and_then(|mut work| {
        let second = match &args.mask {
            Some(path) => work.first().map(|work| Work::mask_of(work, path)).transpose()?,
            None if args.with.is_some() => work.pop(),
            None => None,
        };
        request::check_pair(&work, second.as_ref())?;
        request::check_together(args, &work).map(|()| (work, second))
    });
    let (mut work, mut second) = transport.agree(checked)?;
    for work in work.iter().chain(&second) {
        let seen = format!("{:?}", (work.stored, work.len, &work.shape, work.fortran));
        alike(transport, &seen, || format!("{}: is not the same file on all ranks", work.path))?;
    }
    if work.is_empty() {
        return errors.finish();
    }
    let reserve = |option, path: Option<&Path>| {
        let path = path.filter(|_| transport.is_first());
        path.map(|path| Reserved::open_apart(option, path, &paths)).transpose()
    };
    let (array, target) = (reserve("-o", args.output.as_deref()), reserve("--state", args.state.as_deref()));
    let (array, target) = (transport.agree(array)?, transport.agree(target)?);
    let files = work.iter().chain(&second);
    let gpus = transport.agree(open(&args.adapters, file::bytes(files.clone())))?;
    let all = file::bytes(files.filter(|work| work.len.is_some())).unwrap_or(0);
    let ops = args.reductions();
    let wanted: Vec<_> = work.iter().map(|work| args.wanted(&ops, own.as_ref(), work, &gpus)).collect();
    let inputs = if second.is_some() { 2 } else { 1 };
    let described: Vec<_> = work.iter().map(Work::described).collect();
    let kernels = |gpu: &Gpu, most: &dyn Fn(Stored) -> u64| kernels::of_ops(gpu, &described, &wanted, most);
    Engine::with(&gpus, &described, (inputs, args.piece), kernels, |engine| {
        let mut engine = transport.agree(engine)?;
        let cuts: Vec<_> = work.iter().map(|work| engine.elements(work)).collect();
        let accuracies: Vec<_> = wanted.iter().map(|wanted| wanted.accuracy).collect();
        alike(transport, &format!("{cuts:?} {accuracies:?}"), || {
            "the ranks' devices hold other pieces or other types: make --piece smaller, or add --exact or --fast"
            .to_owned()
        })?;

        let bar = if args.quiet {
            ProgressBar::hidden()
        } else {
            progress::bytes(all / transport.place()[1] as u64)
        };
        let bare = args.raw.bare();
        let mut done = 0;
        let mut rows = Vec::new();
        let mut stored = None;
        let mut state = None;
        let mut unfinished = None;
        let last = work.len() - 1;
        for (number, (work, wanted)) in work.iter_mut().zip(wanted.iter().copied()).enumerate() {
            bar.set_message(output::visible(&work.path, &[]));
            let opened = transport.agree(file::open(work, second.as_mut(), bare.as_ref()));
            let Some(mut sources) = errors.report(opened)? else { continue };
            let advance = |bytes| {
                done += bytes;
                bar.set_position(done);
            };
            let (totals, before, start) = unfinished.take().unwrap_or((None, 0, Instant::now()));
            work.before = before;
            let work = &*work;
            let ends = number == last || !args.together;
            let reduced = reduce(
                (&mut engine, &gpus[0]),
                transport,
                work,
                &mut sources,
                (wanted, totals, ends),
                advance,
            );
            // Whatever it was, those that are done are not lost.
            let Some(totals) = errors.report(transport.agree(reduced))? else { break };
            if !ends {
                // Of a stream only its end has told the length; only one process reads streams.
                let before = before + work.len.unwrap_or_else(|| totals.n() - before);
                unfinished = Some((Some(totals), before, start));
                continue;
            }
            let adapters = transport.gather(engine.names().as_bytes()).unwrap_or_default().join(&b" + "[..]);
            if !transport.is_first() {
                continue;
            }
            let wall_ms = start.elapsed().as_secs_f64() * 1e3;
            if let Some(part) = totals.state().filter(|_| target.is_some()) {
                merge::add(&mut state, part.clone()).map_err(Failure::usage)?;
            }
            let n = totals.n();
            for total in totals.into_each() {
                let array = Array::of(&work.layout, &total.results, args.output.as_deref());
                let name = if args.together { "together" } else { &work.path };
                let row = Row::of(name, work.stored, n, &total, array);
                rows.push(Row {
                    wall_ms,
                    adapter: Some(String::from_utf8_lossy(&adapters).into_owned()),
                    ..row
                });
                stored = Some(total.results);
            }
        }
        bar.finish_and_clear();
        if let Some((file, results)) = array.zip(stored) {
            file.write_with(|file| results.write(file))?;
        }
        if let Some((file, state)) = target.zip(state) {
            file.write(&state_file::content(&state))?;
        }
        report::deliver(&rows, args).and(errors.finish())
    })
}

impl ReduceArgs {
    /// The request's own operator, if it has one.
    fn own(&self) -> Result<Option<Own>, Failure> {
        let arity = if self.with.is_some() { Arity::Two } else { Arity::One };
        self.wgsl.as_deref().map(|path| Own::read(path, arity)).transpose()
    }

    /// The reductions among the operators.
    fn reductions(&self) -> Vec<Op> {
        self.op.iter().filter_map(|asked| asked.reduction()).collect()
    }

    /// The operators over a file on these GPUs. Along an axis states are exact where lines are long and the states of a row fit a binding,
    /// where all results are to be exact, or where an adapter has no floats of this width.
    fn wanted<'a>(&self, ops: &'a [Op], own: Option<&'a Own>, work: &Work, gpus: &[Gpu]) -> Wanted<'a> {
        let limits = gpus.iter().map(|gpu| gpu.device.limits());
        let binding =
            limits.map(|limits| limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)).min();
        let is_worth = match &work.layout {
            Layout::Axis(Axis { len, inner, .. }) if !work.layout.is_one_line() => {
                *len >= LONG_LINE && *inner <= parts::most_results(ops, work.stored.element(), binding)
            }
            _ => true,
        };
        // Exact sums of floats take integers that every adapter has.
        let lacks = |gpu: &Gpu| !gpu.device.features().contains(work.stored.element().feature());
        let is_exact = !self.fast && (is_worth || self.exact || gpus.iter().any(lacks));
        let accuracy = if is_exact { Accuracy::Exact } else { Accuracy::Fast };
        Wanted {
            ops: if own.is_some() { &[] } else { ops },
            own,
            ddof: self.ddof.unwrap_or(0),
            accuracy,
            verify: self.verify,
            skips_nan: self.skip_nan,
            is_masked: self.mask.is_some(),
            is_stored: self.output.is_some(),
        }
    }
}

/// Checks that something is the same for all processes; the first one finds out.
fn alike(transport: &impl Transport, own: &str, otherwise: impl FnOnce() -> String) -> Result<(), Failure> {
    let all = transport.gather(own.as_bytes()).unwrap_or_default();
    let are_alike = all.iter().all(|other| other == own.as_bytes());
    transport.agree(if are_alike { Ok(()) } else { Err(Failure::Usage(otherwise())) })
}

/// Reduces one file, or the pair that it makes with a second one, by all operators, after those whose totals have not ended. The totals are
/// the first process's.
pub(crate) fn reduce<'a>(
    (engine, gpu): (&mut Engine<'_>, &'a Gpu),
    transport: &impl Transport,
    work: &'a Work,
    sources: &mut [Source],
    (wanted, unfinished, ends): (Wanted<'a>, Option<Totals<'a>>, bool),
    mut advance: impl FnMut(u64),
) -> Result<Totals<'a>, Failure> {
    let begin = || {
        let own = wanted.own.map(|own| OwnMerger::new(own, work.stored.element(), gpu)).transpose();
        own.map(|own| Totals::new(work, wanted, own)).map_err(|failure| transport.fail(failure))
    };
    let mut totals = unfinished.map_or_else(begin, Ok)?;
    let steps = Steps::new(work, engine.kernels(), &totals.wanted(), wanted.verify);
    let bytes = work.stored.size() * sources.len() as u64;
    let mut own: Vec<(Share, Vec<Reduced>)> = Vec::new();
    let ran = engine.run(work, sources, &steps, transport.place(), |share, left| {
        advance(share.elements() * bytes);
        if transport.is_alone() {
            totals.add(&share, &left)?;
        } else {
            own.push((share, left));
        }
        Ok(())
    });
    // Others would wait for its states.
    ran.map_err(|failure| transport.fail(failure))?;
    if !transport.is_alone() {
        let Some(all) = transport.gather(&message::pack(&own)?) else { return Ok(totals) };
        drop(own);
        for bytes in all {
            message::unpack(&bytes)?.iter().try_for_each(|(share, left)| totals.add(share, left))?;
        }
    }
    if ends {
        totals.end()?;
    }
    Ok(totals)
}
