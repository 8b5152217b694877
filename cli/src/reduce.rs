//! `halofold reduce`: the reductions of data files, one line for each file and operator.
//!
//! All files are opened and checked, all kernels compiled, before the first element is read. Then each file streams
//! through the GPU in pieces, every operator reduces a piece while it is there, and the host combines what the
//! pieces gave. Nothing is written before everything is done, so an error leaves no half of an answer behind. Of several
//! files, those that cannot be read are told of, and the others go on.

mod ahead;
mod check;
mod dtype;
mod engine;
mod exact;
mod exact_sum;
mod feed;
mod file;
mod fill;
mod help;
mod kernels;
mod lane;
mod layout;
mod op;
mod outcomes;
mod place;
mod report;
mod request;
mod results;
mod rule;
mod slot;
mod state_file;
mod tally;
mod unpack;

use std::path::PathBuf;
use std::time::Instant;

use halofold::reduce::Op;

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{self, AnyAdapters};
use crate::input::{Source, Stored};
use crate::reserved::Reserved;
use crate::told::Told;
use crate::{output, progress};
use check::Check;
use engine::Engine;
use file::Work;
use outcomes::Outcomes;
use report::{Array, Row};
use results::Results;
use rule::Rule;
use tally::Tally;

/// What `halofold reduce` takes.
#[derive(clap::Args)]
pub struct ReduceArgs {
    /// The files: .npy arrays, or with --raw bare elements; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The files hold bare little-endian elements: u32, i32, f32, f64, i64, u64, f16, u16, i16, u8, i8 (these names count bits) or
    /// bool (a byte).
    #[arg(long, value_name = "TYPE")]
    raw: Option<Stored>,
    /// What to compute, separated by commas.
    ///
    /// Results are NumPy's: sums and products of integers of up to 32 bits are 64 bits wide; those of 64-bit integers wrap (wide-sum does
    /// not), and so does dot of integers, in their own width; the mean of integers is an f64; a NaN anywhere makes min and max NaN;
    /// arg-min and arg-max find the first of equal elements, or the first NaN, in C order. 16-bit floats give 32-bit results;
    /// Booleans count as 0 and 1, and min, max, and, or, xor and dot of them are true or false. variance, std, l2 and
    /// log-sum-exp of integers of up to 32 bits have the precision of an f32. Without any elements the sum is 0, the product 1, and
    /// minima, maxima, means and variances have no value (`-`).
    #[arg(long, value_name = "OP", value_parser = op::parser(), value_delimiter = ',', default_value = "sum")]
    op: Vec<Op>,
    /// The second input of dot: a file like FILE, of the same type, shape and order.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Reduce along one axis of an array, counted from 0, or from the end if it is negative.
    ///
    /// As NumPy's `axis=K`: the result is an array without that axis. An array larger than a piece is read in pieces of whole
    /// planes or rows.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    axis: Option<i64>,
    /// What variance and std subtract from the number of elements: 0 by default. sample-variance and sample-std subtract 1.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX), allow_negative_numbers = true)]
    ddof: Option<u32>,
    /// Write the result of one operator over one file as a .npy array of the type that NumPy has.
    ///
    /// For arg-min and arg-max it holds the indices; for min-max its last dimension is two.
    #[arg(short, long, value_name = "OUT.npy")]
    output: Option<PathBuf>,
    /// Sums, means and dot products, rounded only once, at the end: the same bits on every GPU, however the file is cut.
    ///
    /// Of f32, f16 and f64, on every adapter. A line ends in the result's bits; in JSON they are the key `bits`, nested as `value` is.
    #[arg(long, conflicts_with = "ddof")]
    exact: bool,
    /// Write the exact state of all files together, for --merge.
    #[arg(long, value_name = "FILE", conflicts_with = "axis")]
    state: Option<PathBuf>,
    /// Read the files that --state wrote, add them up, and print the result.
    #[arg(long, conflicts_with_all = ["exact", "axis", "ddof", "output", "raw", "with", "verify"])]
    merge: bool,
    /// Each of several takes the next piece of a file when it is free. Sums of floats may have other last bits on adapters of another kind; with --exact they have
    /// not.
    #[command(flatten)]
    adapters: AnyAdapters,
    /// Print one JSON array of {file, op, type, n, value, index, gpu_ms, wall_ms, adapter}.
    ///
    /// `value` is a number, integers in full; NaN and infinities are the strings "NaN", "inf" and "-inf"; any and all give true or
    /// false, min-max a list of two; it is null if there is no value. `index` is the place that arg-min and arg-max found, else null.
    /// With --axis there are also {axis, shape, dtype, output} after `n`, and `value` and `index` are nested lists if there are at
    /// most 1000 results, else null. With --exact `bits` take the place of `index` and `gpu_ms`. `gpu_ms` is null if nothing ran on
    /// the GPU or it has no timestamps; `wall_ms` is the time from opening the file to its last value, with --verify the CPU's part
    /// included.
    #[arg(long)]
    json: bool,
    /// Compute everything on the CPU too; exit status 1 if the GPU is wrong.
    ///
    /// A line ends in `verified`, `WRONG`, or `undecided` (the sum overflows in some orders of addition and not in others).
    #[arg(long)]
    verify: bool,
    /// Read files in pieces of at most this many bytes; Booleans and integers of 8 and 16 bits count as the 32-bit ones they become.
    #[arg(long, value_name = "BYTES", default_value = "64Mi", value_parser = counts(8u64, 1 << 30))]
    piece: u64,
}

/// Runs the subcommand.
pub fn run(args: ReduceArgs) -> Result<(), Failure> {
    if args.merge {
        return exact::merge(&args);
    }
    if args.exact {
        return exact::run(&args);
    }
    request::check_options(&args)?;
    let paths = [&args.files[..], args.with.as_slice()].concat();
    let mut told = Told::new(args.files.len() > 1);
    let check = |work: &Work| request::check_results(&args, work);
    let mut work = file::survey(&paths, (args.raw, args.axis), &mut told, check)?;
    if work.is_empty() {
        return told.end();
    }
    let mut second = if args.with.is_some() { work.pop() } else { None };
    request::check_pair(&work, second.as_ref())?;
    let file = args.output.as_deref().map(|path| Reserved::open_apart("-o", path, &paths)).transpose()?;
    let gpus = args.adapters.open()?;
    let inputs = if second.is_some() { 2 } else { 1 };
    let mut engine = Engine::new(&gpus, &work, (inputs, args.piece), |gpu, most| {
        kernels::of_ops(gpu, &work, &args.op, most)
    })?;

    // A header may claim any size.
    let all = work.iter().chain(&second).filter_map(|work| work.bytes()).fold(0, u64::saturating_add);
    let bar = progress::bytes(all);
    let mut done = 0;
    let mut rows = Vec::new();
    let mut stored = None;
    for mut work in work {
        bar.set_message(output::visible(&work.path, &[]));
        let opened = file::open(&mut work, second.as_mut(), args.raw);
        let Some(mut sources) = told.unless(opened)? else { continue };
        let advance = |bytes| {
            done += bytes;
            bar.set_position(done);
        };
        let reduced = reduce((&mut engine, &gpu::names(&gpus)), &work, &mut sources, &args, advance);
        // Whatever it was, those that are done are not lost.
        let Some(reduced) = told.unless(reduced)? else { break };
        for (row, results) in reduced {
            rows.push(row);
            stored = Some(results);
        }
    }
    bar.finish_and_clear();
    if let Some((file, results)) = file.zip(stored) {
        file.write_with(|file| results.write(file))?;
    }
    deliver(&rows, &args).and(told.end())
}

/// Reduces one file, or the pair that it makes with a second one, by all operators.
fn reduce(
    (engine, adapter): (&mut Engine<'_>, &str),
    work: &Work,
    sources: &mut [Source],
    args: &ReduceArgs,
    mut advance: impl FnMut(u64),
) -> Result<Vec<(Row, Results)>, Failure> {
    let start = Instant::now();
    let stored = work.stored;
    let tally = |&op: &Op| {
        let rule = Rule { op, stored, ddof: args.ddof.unwrap_or(0) };
        let results = Results::new(op, stored, &work.layout, args.output.is_some());
        Tally::new(rule, results, args.verify)
    };
    let mut tallies: Vec<_> = args.op.iter().map(tally).collect();
    let outcomes = Outcomes::new(work, engine.kernels(), &tallies, args.verify);
    let bytes = stored.size() * sources.len() as u64;
    engine.run(work, sources, &outcomes, |share, part| {
        outcomes.tell(&share, &part, &mut tallies)?;
        advance(share.elements() * bytes);
        Ok(())
    })?;
    tallies.iter_mut().try_for_each(|tally| tally.end(&work.layout))?;
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    let row = |(&op, tally): (&Op, Tally)| {
        let (n, gpu_ms) = (tally.n(), tally.gpu_ms());
        let (check, results) = tally.into_parts();
        let (value, index) = Row::lists(op, &results);
        let array = Array::of(&work.layout, &results, args.output.as_deref());
        let row = Row {
            file: work.path.clone(),
            op: op.name(),
            element: stored.name(),
            n,
            value,
            index,
            gpu_ms,
            wall_ms,
            adapter: adapter.to_owned(),
            text: Row::text(&results, array.as_ref()),
            array,
            check,
        };
        (row, results)
    };
    Ok(args.op.iter().zip(tallies).map(row).collect())
}

/// Writes the rows, and what was wrong with them.
fn deliver(rows: &[Row], args: &ReduceArgs) -> Result<(), Failure> {
    let written = output::print_rows(rows, args.json, report::text);
    let mut wrong = false;
    for row in rows {
        if let Check::Wrong(mismatch) = &row.check {
            eprintln!("error: {}: {}: {mismatch}", row.file, row.op);
            wrong = true;
        }
    }
    // Whether or not anybody read the rows.
    if wrong { Err(Failure::Wrong) } else { written }
}
