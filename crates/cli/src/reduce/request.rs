//! Checks of a request before anything runs.

use std::path::Path;

use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::exact::Format;

use super::ReduceArgs;
use super::file::Work;
use super::layout::Layout;
use super::op::Asked;
use super::own::Own;
use super::results::FEW;
use super::{op, parts, top};
use crate::failure::Failure;
use crate::files::npy;
use crate::transport::refuse_stream;

/// Results of no elements that are made: no data stands behind the number in a header.
const MOST_OF_NOTHING: u64 = 1 << 28;

/// Checks options that go together or do not.
pub fn check_options(args: &ReduceArgs) -> Result<(), Failure> {
    let ops = args.reductions();
    let has = |op: Op| ops.contains(&op);
    if args.wgsl.is_some() && args.verify {
        return Err(Failure::usage(
            "--verify computes everything a second time by other code than the GPU's: of an operator of your own (--wgsl) there is none",
        ));
    }
    if args.wgsl.is_some() && args.exact {
        return Err(Failure::usage(
            "--exact: an operator of your own (--wgsl) rounds where its text does; leave out --exact",
        ));
    }
    if args.wgsl.is_some() {
        return check_output(args);
    }
    let pair = ops.iter().find(|op| op::takes_two(**op));
    if let Some(op) = pair.filter(|_| args.mask.is_some()) {
        return Err(Failure::Usage(format!("--where goes with operators of one input: `{op}` takes two")));
    }
    if let Some(op) = pair.filter(|_| args.with.is_none()) {
        return Err(Failure::Usage(format!(
            "--op {op} takes two inputs: name the second one with --with FILE"
        )));
    }
    if args.with.is_some() && pair.is_none() {
        let pairs: Vec<_> = Op::ALL.iter().filter(|op| op::takes_two(**op)).map(|op| op.name()).collect();
        let pairs = pairs.join(", ");
        return Err(Failure::Usage(format!(
            "--with is the second input of --op {pairs}: ask for one of them"
        )));
    }
    if args.state.is_some() && !args.exact {
        return Err(Failure::usage("--state goes with --exact or --merge: it holds what --exact adds up"));
    }
    let one_state = |op: &Op| matches!(op, Op::Sum | Op::Mean) || ops[..] == [Op::Dot];
    if let Some(op) = ops.iter().find(|op| !one_state(op)).filter(|_| args.state.is_some()) {
        return Err(Failure::Usage(format!(
            "--state holds the state of --op sum and mean, or of dot alone: `{op}` has another one"
        )));
    }
    if args.ddof.is_some() && ![Op::Variance, Op::Deviation, Op::Covariance].into_iter().any(has) {
        return Err(Failure::usage("--ddof goes with --op variance, std and covariance"));
    }
    check_output(args)
}

/// Checks that one result goes to a file, and that two files make a pair.
fn check_output(args: &ReduceArgs) -> Result<(), Failure> {
    if (args.with.is_some() || args.mask.is_some()) && args.files.len() != 1 {
        let option = if args.mask.is_some() { "--where" } else { "--with" };
        return Err(Failure::Usage(format!("{option} goes with one file: name no others")));
    }
    let Some(path) = &args.output else { return Ok(()) };
    if args.op.len() != 1 || args.files.len() != 1 && !args.together {
        return Err(Failure::usage("-o holds one result: name one file and one operator"));
    }
    check_name(path)
}

/// Checks that the name of an output says that it holds an array.
pub fn check_name(path: &Path) -> Result<(), Failure> {
    if npy::is_named(path) {
        Ok(())
    } else {
        Err(Failure::Usage(format!("-o {}: the name must end in .npy", path.display())))
    }
}

/// Checks that a second file goes with the only other one.
pub fn check_pair(work: &[Work], second: Option<&Work>) -> Result<(), Failure> {
    second.map_or(Ok(()), |second| work[0].check_pair(second))
}

/// Checks that files that make one result hold elements of one type.
pub fn check_together(args: &ReduceArgs, work: &[Work]) -> Result<(), Failure> {
    let other = work.iter().find(|other| args.together && other.stored != work[0].stored);
    other.map_or(Ok(()), |other| {
        let (first, stored) = (&work[0], other.stored);
        Err(Failure::Usage(format!(
            "--together: {} has type {stored}, and {} has {}: all files must have one type",
            other.path, first.path, first.stored
        )))
    })
}

/// Checks a request against a file's header. Only one process reads a stream.
pub fn check(args: &ReduceArgs, own: Option<&Own>, work: &Work, is_alone: bool) -> Result<(), Failure> {
    if work.is_stream() && !is_alone {
        return Err(refuse_stream(&work.path));
    }
    own.map_or(Ok(()), |own| own.check(work, args.output.is_some()))?;
    if args.exact {
        check_exact(args, work)?;
    }
    check_places(args, work)?;
    check_results(args, work)
}

/// Checks that places along several axes are those in memory.
fn check_places(args: &ReduceArgs, work: &Work) -> Result<(), Failure> {
    let Layout::Axis(axis) = &work.layout else { return Ok(()) };
    let search = args.reductions().into_iter().find(|op| op::is_search(*op));
    match search.filter(|_| axis.numbers.len() > 1 && work.fortran && !work.layout.is_one_line()) {
        Some(op) => Err(Failure::Usage(format!(
            "{}: `{op}` along several axes counts places in C's order, and the array is in Fortran's: save \
             numpy.ascontiguousarray(array), or name one axis or all",
            work.path
        ))),
        None => Ok(()),
    }
}

/// Checks that all operators have exact forms.
fn check_exact(args: &ReduceArgs, work: &Work) -> Result<(), Failure> {
    let element = work.stored.element();
    let ops = args.reductions();
    let mask = args.mask.as_ref().and_then(|_| ops.iter().find(|op| !parts::is_sum(**op, element)));
    if let Some(op) = mask.filter(|_| element.is_float()) {
        return Err(Failure::Usage(format!(
            "{}: `{op}` has no exact form with --where: sum, mean and l1 have",
            work.path
        )));
    }
    let Some(op) = ops.iter().find(|op| !parts::is_exact(**op, element)) else { return Ok(()) };
    let floats = if element.is_float() { element } else { Element::F32 };
    let having = Op::ALL.iter().filter(|op| parts::is_exact(**op, floats));
    let having: Vec<_> = having.map(|op| op.name()).collect();
    Err(Failure::Usage(match op {
        op if !element.is_float() && Format::of(*op, Element::F32).is_some() => format!(
            "{}: `{op}` of {} adds without rounding as it is; leave out --exact",
            work.path, work.stored
        ),
        _ => format!(
            "{}: `{op}` of {} has no exact form; of {floats} these have: {}",
            work.path,
            work.stored,
            having.join(", ")
        ),
    }))
}

/// Checks that every result has a value and a place to go.
fn check_results(args: &ReduceArgs, work: &Work) -> Result<(), Failure> {
    let path = &work.path;
    let (empty, results) = match &work.layout {
        Layout::Whole => (args.output.is_some() && work.len == Some(0) && !args.together, 1),
        Layout::Axis(axis) => (axis.elements() == 0, axis.results()),
    };
    let extremum = args.reductions().into_iter().find(|op| op::needs_elements(*op));
    if let Some(op) = extremum.filter(|_| empty && results > 0) {
        return Err(Failure::Usage(format!("{path}: `{op}` of no elements has no value")));
    }
    let of_each = match &work.layout {
        _ if !args.op.contains(&Asked::Top) => 1,
        Layout::Whole => top::number(args).min(work.len.unwrap_or(u64::MAX)),
        Layout::Axis(axis) => top::number(args).min(axis.elements()),
    };
    let results = results.saturating_mul(of_each);
    if results > FEW && args.output.is_none() && !args.json {
        return Err(Failure::Usage(format!(
            "{path}: the result has {results} values, and at most {FEW} are printed: name a file with -o OUT.npy"
        )));
    }
    if empty && results > MOST_OF_NOTHING {
        return Err(Failure::Usage(format!(
            "{path}: the result has {results} values of no elements each, and at most {MOST_OF_NOTHING} are made"
        )));
    }
    Ok(())
}
