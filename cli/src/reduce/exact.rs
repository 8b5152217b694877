//! `halofold reduce --exact`: sums without rounding, their states in files, and what states add up to.
//!
//! Each piece of a file leaves a state on the GPU; the host adds states up. However a file is cut, whatever adds it: the same bits.

use std::fs;
use std::path::Path;
use std::time::Instant;

use halofold::read::Readback;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Accuracy, Op, Options, Reducer};
use halofold::{Element, Slice, Value, wgpu};
use serde::Serialize;

use super::ReduceArgs;
use super::ahead;
use super::file::{self, Work};
use super::report::{Cell, shortest};
use crate::dataset;
use crate::failure::Failure;
use crate::gpu::{Gpu, explain};
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
    let mut together: Option<State> = None;
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
        match &mut together {
            Some(together) => together.merge(&summed.state).map_err(Failure::usage)?,
            None => together = Some(summed.state),
        }
    }
    if let Some((file, state)) = target.zip(together) {
        file.write(&state.to_bytes())?;
    }
    deliver(&rows, args.json)
}

/// Adds up states and finishes them.
pub fn merge(args: &ReduceArgs) -> Result<(), Failure> {
    let target = args.state.as_deref().map(|path| Reserved::open_apart("--state", path, &args.files));
    let target = target.transpose()?;
    let start = Instant::now();
    let mut merged: Option<State> = None;
    for path in &args.files {
        let state = read_state(Path::new(path))?;
        match &mut merged {
            Some(merged) => {
                merged.merge(&state).map_err(|error| Failure::Usage(format!("{path}: {error}")))?
            }
            None => merged = Some(state),
        }
    }
    let Some(state) = merged else { return Ok(()) };
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

/// The exact sum of a file, by the GPU and, if it was asked, by the CPU.
struct Summed {
    state: State,
    reference: Option<State>,
}

fn sum(gpu: &Gpu, work: &mut Work, second: Option<&mut Work>, args: &ReduceArgs) -> Result<Summed, Failure> {
    let element = work.stored.element();
    let op = if second.is_some() { Op::Dot } else { Op::Sum };
    let monoid = op.over(element).map_err(Failure::usage)?;
    let format = Format::of(op, element).ok_or_else(|| Failure::usage("no exact form"))?;
    let mut options = Options::default();
    (options.accuracy, options.to_states) = (Accuracy::Exact, true);
    let reducer = gpu.attempt(|| {
        Reducer::with_options(&gpu.device, monoid, options).map_err(|error| Failure::Usage(explain(&error)))
    })?;
    let mut sources = vec![work.open(args.raw)?];
    if let Some(second) = second {
        sources.push(second.open(args.raw)?);
    }
    let piece = (args.piece.min(gpu.device.limits().max_buffer_size) / 8 * 8).max(8);
    let size = work.bytes().unwrap_or(piece).min(piece).next_multiple_of(8).max(8);
    let host = || vec![vec![0; size as usize / 8]; sources.len()];
    let mut buffers = [host(), host()];
    let inputs: Vec<_> = sources.iter().map(|_| dataset::input_buffer(gpu, size)).collect();
    let mut summed = Summed { state: State::new(format), reference: args.verify.then(|| State::new(format)) };
    let mut is_first = true;
    let shares = work.layout.shares(size / element.size()).map_err(Failure::usage)?;
    ahead::pieces(&mut sources, &mut buffers, shares, |_, pieces| {
        let state = gpu.attempt(|| piece_state(gpu, &reducer, &inputs, pieces))?;
        if is_first {
            summed.state = state;
            is_first = false;
        } else {
            summed.state.merge(&state).map_err(Failure::usage)?;
        }
        if let Some(reference) = &mut summed.reference {
            let one = reference_of(format, element, pieces);
            if reference.count() == 0 {
                *reference = one;
            } else {
                reference.merge(&one).map_err(Failure::usage)?;
            }
        }
        Ok(())
    })?;
    Ok(summed)
}

/// What the GPU makes of a piece.
fn piece_state(
    gpu: &Gpu,
    reducer: &Reducer,
    inputs: &[wgpu::Buffer],
    pieces: &[&[u8]],
) -> Result<State, Failure> {
    let slices: Vec<_> = inputs
        .iter()
        .zip(pieces)
        .map(|(buffer, piece)| {
            dataset::write(gpu, buffer, piece);
            Slice::new(buffer, 0, piece.len() as u64)
        })
        .collect();
    let first = reducer.of(slices[0]);
    let reduction = slices.get(1).map_or(first.clone(), |second| first.and(*second));
    let size = reducer.monoid().acc_size();
    let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold exact state"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let prepared = reduction.into(&output).map_err(Failure::usage)?;
    let readback = Readback::new(&gpu.device, size);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    prepared.encode(&mut encoder);
    readback.encode(&mut encoder, &output, 0, size).map_err(Failure::usage)?;
    gpu.queue.submit([encoder.finish()]);
    State::from_bytes(&readback.wait(size).map_err(Failure::usage)?).map_err(Failure::usage)
}

/// What the CPU makes of it.
fn reference_of(format: Format, element: Element, pieces: &[&[u8]]) -> State {
    let mut state = State::new(format);
    match pieces {
        [first, second] => {
            let floats = |bytes: &[u8]| -> Vec<f32> { bytemuck::pod_collect_to_vec(bytes) };
            state.add_products(&floats(first), &floats(second));
        }
        _ => state.add(element, pieces[0]),
    }
    state
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
