//! `halofold reduce --exact`: sums without rounding, their states in files, and what states add up to.
//!
//! However a file is cut, whatever adds it: the same bits.

use std::fs;
use std::path::Path;
use std::time::Instant;

use halofold::Value;
use halofold::reduce::Op;
use halofold::reduce::exact::{Format, State};
use serde::Serialize;

use super::ReduceArgs;
use super::exact_sum::{Total, sum};
use super::file;
use super::report::{Cell, shortest};
use crate::failure::Failure;
use crate::reserved::Reserved;
use crate::{output, table};

/// A result. Its fields, in their order, are the keys in JSON.
#[derive(Serialize)]
struct Row {
    /// The file; of merged states `merged`.
    file: String,
    op: &'static str,
    #[serde(rename = "type")]
    element: &'static str,
    n: u64,
    value: Cell,
    /// The result's bits, in hexadecimal digits.
    bits: String,
    wall_ms: f64,
    /// The adapter's name; none where states were merged.
    adapter: Option<String>,
    /// Whether the CPU gave the same bits, if it was asked.
    #[serde(skip)]
    is_right: Option<bool>,
}

impl Row {
    /// What a state finishes to.
    fn of(file: &str, op: Op, element: &'static str, state: &State) -> Self {
        let value = if op == Op::Mean { state.mean() } else { state.sum() };
        let bits = match value {
            Value::F64(x) => format!("{:#018x}", x.to_bits()),
            other => format!("{:#010x}", (other.as_f64() as f32).to_bits()),
        };
        let (file, op, n) = (file.to_owned(), op.name(), state.count());
        let value = Cell::Value(value);
        Row { file, op, element, n, value, bits, wall_ms: 0.0, adapter: None, is_right: None }
    }
}

/// Reduces the files exactly.
pub fn run(args: &ReduceArgs) -> Result<(), Failure> {
    check(args)?;
    let paths = [&args.files[..], args.with.as_slice()].concat();
    let mut work = file::survey(&paths, args.raw, None)?;
    let mut second = if args.with.is_some() { work.pop() } else { None };
    if let Some(second) = &second {
        work[0].check_pair(second)?;
    }
    for work in &work {
        for op in &args.op {
            if Format::of(*op, work.stored.element()).is_none() {
                return Err(Failure::Usage(format!(
                    "{}: `{op}` of {} has no exact form; sum and mean of f16, f32 and f64 have, and dot of f32",
                    work.path, work.stored
                )));
            }
        }
    }
    let target =
        args.state.as_deref().map(|path| Reserved::open_apart("--state", path, &paths)).transpose()?;
    let gpu = args.adapter.open()?;
    let mut rows = Vec::new();
    let mut together = Total::default();
    for work in &mut work {
        let start = Instant::now();
        // Sum and mean finish the same state.
        let summed = sum(&gpu, work, second.as_mut(), args)?;
        for op in &args.op {
            let mut row = Row::of(&work.path, *op, work.stored.name(), &summed.state);
            row.is_right =
                summed.reference.as_ref().map(|reference| reference.words() == summed.state.words());
            row.wall_ms = start.elapsed().as_secs_f64() * 1e3;
            row.adapter = Some(gpu.info.name.clone());
            rows.push(row);
        }
        together.add(summed.state).map_err(Failure::usage)?;
    }
    if let Some((file, state)) = target.zip(together.sum()) {
        file.write(&state.to_bytes())?;
    }
    deliver(&rows, args.json)
}

/// Adds up states and finishes them.
pub fn merge(args: &ReduceArgs) -> Result<(), Failure> {
    let target = args.state.as_deref().map(|path| Reserved::open_apart("--state", path, &args.files));
    let target = target.transpose()?;
    let start = Instant::now();
    let mut merged = Total::default();
    for path in &args.files {
        let state = read_state(Path::new(path))?;
        merged.add(state).map_err(|error| Failure::Usage(format!("{path}: {error}")))?;
    }
    let Some(state) = merged.sum() else { return Ok(()) };
    let is_product = state.format() == Format::Product;
    let element = if state.format() == Format::Double { "f64" } else { "f32" };
    let mut rows = Vec::new();
    for &op in &args.op {
        let op = match op {
            Op::Sum | Op::Dot if is_product => Op::Dot,
            Op::Sum | Op::Mean if !is_product => op,
            _ => {
                let of = if is_product { "products: --op dot" } else { "elements: --op sum or mean" };
                return Err(Failure::Usage(format!("--op {op}: these are states of {of}")));
            }
        };
        let mut row = Row::of("merged", op, element, &state);
        row.wall_ms = start.elapsed().as_secs_f64() * 1e3;
        rows.push(row);
    }
    if let Some(file) = target {
        file.write(&state.to_bytes())?;
    }
    deliver(&rows, args.json)
}

fn read_state(path: &Path) -> Result<State, Failure> {
    let refused = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let bytes = fs::read(path).map_err(|error| refused(error.to_string()))?;
    State::from_bytes(&bytes).map_err(|error| refused(error.to_string()))
}

/// Checks options that go together or do not.
fn check(args: &ReduceArgs) -> Result<(), Failure> {
    if args.op.contains(&Op::Dot) != args.with.is_some() {
        return Err(Failure::usage(
            "--op dot takes two inputs, FILE and --with FILE, and nothing else takes two",
        ));
    }
    if args.op.contains(&Op::Dot) && args.op.len() > 1 {
        return Err(Failure::usage("--exact: dot is asked for alone, as its state is another than a sum's"));
    }
    if args.with.is_some() && args.files.len() != 1 {
        return Err(Failure::usage("--with goes with one file: name no others"));
    }
    Ok(())
}

/// Writes the rows, and what was wrong with them.
fn deliver(rows: &[Row], json: bool) -> Result<(), Failure> {
    let written = if json { output::print_json(&rows) } else { output::print(&text(rows)) };
    let mut wrong = false;
    for row in rows.iter().filter(|row| row.is_right == Some(false)) {
        eprintln!("error: {}: {}: the CPU's state is another", row.file, row.op);
        wrong = true;
    }
    if wrong { Err(Failure::Wrong) } else { written }
}

/// One line a row, the bits behind the value.
fn text(rows: &[Row]) -> String {
    let mut table = table::plain();
    for row in rows {
        let Cell::Value(value) = row.value else { continue };
        let mut cells = vec![row.file.clone(), row.op.to_owned(), row.element.to_owned(), row.n.to_string()];
        cells.extend([shortest(value), row.bits.clone()]);
        cells.extend(row.is_right.map(|right| if right { "verified" } else { "WRONG" }.to_owned()));
        table.add_row(cells);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt() + "\n"
}
