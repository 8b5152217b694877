//! `halofold reduce`: the reductions of data files, one line for each file and operator.
//!
//! All files are opened and checked, all kernels compiled, before the first element is read. Then each file streams
//! through the GPU in pieces, every operator reduces a piece while it is there, and the host combines what the
//! pieces gave. Nothing is written before everything is done, so an error leaves no half of an answer behind.

mod ahead;
mod engine;
mod file;
mod kernel;
mod op;
mod report;
mod tally;
mod total;

use std::time::Instant;

use clap::value_parser;
use halofold::Element;

use crate::Failure;
use crate::gpu::AdapterArgs;
use crate::{output, progress};
use engine::Engine;
use file::Work;
use op::Op;
use report::Row;
use tally::{Check, Tally};

/// What `halofold reduce` takes.
#[derive(clap::Args)]
pub struct ReduceArgs {
    /// The files: .npy arrays, or with --raw bare elements; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The files hold bare little-endian elements: u32, i32, f32, f64, i64, u64 or f16.
    #[arg(long, value_name = "TYPE")]
    raw: Option<Element>,
    /// What to compute, separated by commas.
    ///
    /// As in NumPy: sums and products of 32-bit integers are 64 bits wide, those of 64-bit integers wrap, the mean of
    /// integers is an f64, a NaN anywhere makes min and max NaN. 16-bit floats give 32-bit ones. Of nothing the sum
    /// is 0, the product 1, and the others have no value (`-`).
    #[arg(long, value_name = "OP", value_enum, value_delimiter = ',', default_value = "sum")]
    op: Vec<Op>,
    #[command(flatten)]
    adapter: AdapterArgs,
    /// One JSON array of {file, op, type, n, value, index, gpu_ms, wall_ms, adapter}.
    ///
    /// `value` is a number, integers in full; what JSON has no number for is one of the strings "NaN", "inf",
    /// "-inf"; no value is null. `index` is null: none of these operators has one. `gpu_ms` is null where nothing
    /// ran on the GPU or it does not tell; `wall_ms` goes from opening the file to the last value of it, the CPU's
    /// share with --verify included.
    #[arg(long)]
    json: bool,
    /// Compute everything on the CPU too; exit status 1 if the GPU is wrong.
    ///
    /// A line ends in `verified`, `WRONG`, or `undecided` where the order in which floats are combined decides
    /// whether they overflow.
    #[arg(long)]
    verify: bool,
    /// Stream in pieces of at most this many bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = value_parser!(u64).range(8..=1 << 30))]
    piece: u64,
}

/// Runs the subcommand.
pub fn run(args: ReduceArgs) -> Result<(), Failure> {
    let work = file::survey(&args.files, args.raw)?;
    let gpu = args.adapter.open()?;
    let mut engine = Engine::new(&gpu, &work, &args.op, args.piece)?;

    let mib = |bytes: u64| bytes >> 20;
    // A header may claim any size.
    let all = work.iter().filter_map(|work| work.bytes).fold(0, u64::saturating_add);
    let bar = progress::bar(mib(all));
    let mut done = 0;
    let mut rows = Vec::new();
    for mut work in work {
        bar.set_message(format!("MiB, {}", work.path));
        let advance = |bytes| {
            done += bytes;
            bar.set_position(mib(done));
        };
        rows.extend(reduce(&mut engine, &mut work, &args, advance)?);
    }
    bar.finish_and_clear();
    deliver(&rows, &args)
}

/// Reduces one file by all operators.
fn reduce(
    engine: &mut Engine<'_>,
    work: &mut Work,
    args: &ReduceArgs,
    advance: impl FnMut(u64),
) -> Result<Vec<Row>, Failure> {
    let start = Instant::now();
    let mut source = work.open(args.raw)?;
    let mut tallies: Vec<_> = args.op.iter().map(|&op| Tally::new(op, work.element, args.verify)).collect();
    engine.reduce(&mut source, &mut tallies, advance)?;
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    let row = |tally: Tally| Row {
        file: work.path.clone(),
        op: tally.op().name(),
        element: work.element.name(),
        n: tally.n(),
        value: tally.value(),
        index: None,
        gpu_ms: tally.gpu_ms(),
        wall_ms,
        adapter: engine.adapter().to_owned(),
        check: tally.check().clone(),
    };
    Ok(tallies.into_iter().map(row).collect())
}

/// Writes the rows, and what was wrong with them.
fn deliver(rows: &[Row], args: &ReduceArgs) -> Result<(), Failure> {
    let written = if args.json { output::print_json(&rows) } else { output::print(&report::text(rows)) };
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
