//! `halofold reduce --exact`: sums without rounding, their states in files, and what states add up to.
//!
//! However a file is cut, whatever adds it: the same bits.

use std::path::Path;
use std::time::Instant;

use halofold::reduce::Op;
use halofold::reduce::exact::{Format, State, StateError};
use halofold::{Element, Value};
use serde::Serialize;

use super::ReduceArgs;
use super::exact_sum::{engine, sum};
use super::file::{self, Work};
use super::layout::Layout;
use super::report::{self, Array, Cell};
use super::request;
use super::results::{Results, Tree};
use super::rule::Answer;
use super::state_file;
use crate::failure::Failure;
use crate::gpu;
use crate::reserved::Reserved;
use crate::told::Told;
use crate::{output, table};

/// The result of one operator. Its fields, in their order, are the keys in JSON.
#[derive(Serialize)]
struct Row {
    /// The file; of merged states `merged`.
    file: String,
    op: &'static str,
    #[serde(rename = "type")]
    element: &'static str,
    n: u64,
    #[serde(flatten)]
    array: Option<Array>,
    /// The result, or nested lists of few results.
    value: Option<Tree<Cell>>,
    /// Their bits, in hexadecimal digits.
    bits: Option<Tree<Option<String>>>,
    wall_ms: f64,
    /// The adapter's name; none where states were merged.
    adapter: Option<String>,
    /// The results as text, and their bits.
    #[serde(skip)]
    text: [String; 2],
    /// Whether the CPU gave the same bits, if it was asked.
    #[serde(skip)]
    is_right: Option<bool>,
}

impl Row {
    /// What an operator made of `n` elements.
    fn of(
        file: &str,
        op: Op,
        element: &'static str,
        n: u64,
        results: &Results,
        array: Option<Array>,
    ) -> Self {
        let nested = results.nested();
        let bits = nested.as_ref().filter(|_| array.as_ref().is_none_or(|array| array.output.is_none()));
        let text = [
            report::Row::text(results, array.as_ref()),
            bits.map_or_else(String::new, |nested| {
                nested.text(&|answer| bits_of(answer).unwrap_or("-".to_owned()))
            }),
        ];
        Row {
            file: file.to_owned(),
            op: op.name(),
            element,
            n,
            array,
            value: nested.as_ref().map(|nested| nested.tree(Cell::of)),
            bits: nested.as_ref().map(|nested| nested.tree(bits_of)),
            wall_ms: 0.0,
            adapter: None,
            text,
            is_right: None,
        }
    }
}

/// The bits of a result; none where it has no value.
fn bits_of(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Value(Value::F64(x)) => Some(format!("{:#018x}", x.to_bits())),
        Answer::Value(other) => Some(format!("{:#010x}", (other.as_f64() as f32).to_bits())),
        _ => None,
    }
}

/// What a state finishes to.
fn finished(op: Op, state: &State) -> Answer {
    match op {
        Op::Mean if state.count() == 0 => Answer::Nothing,
        Op::Mean => Answer::Value(state.mean()),
        _ => Answer::Value(state.sum()),
    }
}

/// Reduces the files exactly.
pub fn run(args: &ReduceArgs) -> Result<(), Failure> {
    request::check_options(args)?;
    let paths = [&args.files[..], args.with.as_slice()].concat();
    // A state of some of the files would pass for one of all.
    let mut told = Told::new(args.files.len() > 1 && args.state.is_none());
    let check = |work: &Work| check(args, work).and_then(|()| request::check_results(args, work));
    let mut work = file::survey(&paths, (args.raw, args.axis), &mut told, check)?;
    if work.is_empty() {
        return told.end();
    }
    let mut second = if args.with.is_some() { work.pop() } else { None };
    request::check_pair(&work, second.as_ref())?;
    let open =
        |option, path: Option<&Path>| path.map(|path| Reserved::open_apart(option, path, &paths)).transpose();
    let (array, target) = (open("-o", args.output.as_deref())?, open("--state", args.state.as_deref())?);
    let gpus = args.adapters.open()?;
    let mut engine = engine(&gpus, &work, second.is_some(), args.piece)?;
    let mut rows = Vec::new();
    let mut stored = None;
    let mut together = None;
    for work in &mut work {
        let start = Instant::now();
        let opened = file::open(work, second.as_mut(), args.raw);
        let Some(mut sources) = told.unless(opened)? else { continue };
        let new = |op: &Op| Results::new(*op, work.stored, &work.layout, args.output.is_some());
        let mut results: Vec<_> = args.op.iter().map(new).collect();
        let mut is_right = args.verify.then_some(true);
        // Sum and mean finish the same state.
        let n = sum(&mut engine, work, &mut sources, args.verify, |sum| {
            if let Some(reference) = &sum.reference {
                is_right = is_right.map(|right| right && reference.words() == sum.state.words());
            }
            for (op, results) in args.op.iter().zip(&mut results) {
                results.push(finished(*op, &sum.state))?;
            }
            if target.is_some() {
                add(&mut together, sum.state).map_err(Failure::usage)?;
            }
            Ok(())
        });
        let Some(n) = told.unless(n)? else { break };
        for (op, results) in args.op.iter().zip(results) {
            let array = Array::of(&work.layout, &results, args.output.as_deref());
            let row = Row::of(&work.path, *op, work.stored.name(), n, &results, array);
            let wall_ms = start.elapsed().as_secs_f64() * 1e3;
            rows.push(Row { wall_ms, adapter: Some(gpu::names(&gpus)), is_right, ..row });
            stored = Some(results);
        }
    }
    if let Some((file, results)) = array.zip(stored) {
        file.write_with(|file| results.write(file))?;
    }
    if let Some((file, state)) = target.zip(together) {
        file.write(&state_file::content(&state))?;
    }
    deliver(&rows, args.json).and(told.end())
}

/// Adds a state to those before.
fn add(total: &mut Option<State>, state: State) -> Result<(), StateError> {
    match total {
        Some(total) => total.merge(&state),
        None => {
            *total = Some(state);
            Ok(())
        }
    }
}

/// Adds up states and finishes them.
pub fn merge(args: &ReduceArgs) -> Result<(), Failure> {
    let target = args.state.as_deref().map(|path| Reserved::open_apart("--state", path, &args.files));
    let target = target.transpose()?;
    let start = Instant::now();
    let mut merged = None;
    for path in &args.files {
        let state = state_file::read(path)?;
        add(&mut merged, state).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    }
    let Some(state) = merged else { return Ok(()) };
    let is_product = state.format() == Format::Product;
    let element = if state.format() == Format::Double { Element::F64 } else { Element::F32 };
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
        let mut results = Results::new(op, element.into(), &Layout::Whole, false);
        results.push(finished(op, &state))?;
        let row = Row::of("merged", op, element.name(), state.count(), &results, None);
        rows.push(Row { wall_ms: start.elapsed().as_secs_f64() * 1e3, ..row });
    }
    if let Some(file) = target {
        file.write(&state_file::content(&state))?;
    }
    deliver(&rows, args.json)
}

/// Checks that all operators have exact forms.
fn check(args: &ReduceArgs, work: &Work) -> Result<(), Failure> {
    match args.op.iter().find(|op| Format::of(**op, work.stored.element()).is_none()) {
        Some(op @ (Op::Sum | Op::Mean | Op::Dot)) if !work.stored.element().is_float() => {
            Err(Failure::Usage(format!(
                "{}: `{op}` of {} adds without rounding as it is; leave out --exact",
                work.path, work.stored
            )))
        }
        Some(op) => Err(Failure::Usage(format!(
            "{}: `{op}` of {} has no exact form; sum and mean of f16, f32 and f64 have, and dot of f32",
            work.path, work.stored
        ))),
        None => Ok(()),
    }
}

/// Writes the rows, and what was wrong with them.
fn deliver(rows: &[Row], json: bool) -> Result<(), Failure> {
    let written = output::print_rows(rows, json, text);
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
        let mut cells = vec![
            output::visible(&row.file, &[]),
            row.op.to_owned(),
            row.element.to_owned(),
            row.n.to_string(),
        ];
        cells.extend(row.text.iter().filter(|text| !text.is_empty()).cloned());
        cells.extend(row.is_right.map(|right| if right { "verified" } else { "WRONG" }.to_owned()));
        table.add_row(cells);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt() + "\n"
}
