//! `halofold reduce --merge`: states that `--state` wrote, added up and finished.

use std::time::Instant;

use halofold::Element;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Accuracy, Op, ReduceError, Scalar};

use super::check::Check;
use super::layout::Layout;
use super::report::{self, Row};
use super::results::Results;
use super::totals::OperatorResults;
use super::{ReduceArgs, parts, state_file};
use crate::failure::Failure;
use crate::reserved::Reserved;

/// Adds up states and finishes them.
pub fn run(args: &ReduceArgs) -> Result<(), Failure> {
    let target = args.state.as_deref().map(|path| Reserved::open_apart("--state", path, &args.files));
    let target = target.transpose()?;
    let start = Instant::now();
    let mut merged = None;
    for path in &args.files {
        let state = state_file::read(path)?;
        add(&mut merged, state).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    }
    let Some(state) = merged else { return Ok(()) };
    let element = if state.format() == Format::Double { Element::F64 } else { Element::F32 };
    let mut rows = Vec::new();
    for op in args.reductions() {
        let op = operator(op, state.format())?;
        let mut results = Results::new(op, element.into(), &Layout::Whole, false);
        results.push(finished(op, element, &state)?)?;
        let total = OperatorResults {
            op: Some(op),
            results,
            gpu_ms: None,
            check: Check::Unchecked,
            is_exact: true,
            skipped: None,
            kept: Vec::new(),
        };
        let row = Row::of("merged", element.into(), state.count(), &total, None);
        rows.push(Row { wall_ms: start.elapsed().as_secs_f64() * 1e3, ..row });
    }
    if let Some(file) = target {
        file.write(&state_file::content(&state))?;
    }
    report::deliver(&rows, args)
}

/// Adds a state to those before.
pub fn add(total: &mut Option<State>, state: State) -> Result<(), ReduceError> {
    match total {
        Some(total) => total.merge(&state),
        None => {
            *total = Some(state);
            Ok(())
        }
    }
}

/// The operator that finishes states of a format. A sum of products is a dot product.
fn operator(op: Op, format: Format) -> Result<Op, Failure> {
    match (op, format) {
        (Op::Sum | Op::Dot, Format::Product) => Ok(Op::Dot),
        (Op::Sum | Op::Mean, Format::Single | Format::Double) => Ok(op),
        (_, format) => {
            let is_product = format == Format::Product;
            let of = if is_product { "products: --op dot" } else { "elements: --op sum or mean" };
            Err(Failure::Usage(format!("--op {op}: these are states of {of}")))
        }
    }
}

/// The result of an operator, as a file has it.
fn finished(op: Op, element: Element, state: &State) -> Result<Option<Scalar>, Failure> {
    let merger = parts::of(op, element, Accuracy::Exact)[0].merger();
    let mut merger = merger.ok_or_else(|| Failure::usage("no exact form"))?;
    merger.add(&state.to_bytes(), 0).map_err(Failure::usage)?;
    Ok(parts::finish((op, 0, false), element.into(), &[&merger], state.count()))
}
