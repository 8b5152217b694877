//! Checks of a request before anything runs.

use std::path::Path;

use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::exact::Format;

use super::args::ReduceArgs;
use super::geometry::Geometry;
use super::op::{self, Kind, Operator};
use super::parts;
use crate::failure::Failure;
use crate::files::{Source, Stored, npy, npz};

/// The most results without elements, or empty lists, to make: a header can claim any number.
const MOST_OF_NOTHING: u64 = 1 << 24;

pub fn check(args: &ReduceArgs) -> Result<(), Failure> {
    let has = |kind: fn(Kind) -> bool| args.op.iter().any(|operator| kind(operator.kind));
    let ops = || args.op.iter().filter_map(|operator| operator.kind.reduction());
    let beside = [&args.with, &args.mask, &args.by];
    args.files.iter().chain(beside.into_iter().flatten()).try_for_each(|path| check_path(path))?;
    let pair = ops().find(|op| op::takes_two(*op));
    match (pair, &args.with, &args.wgsl) {
        (Some(op), None, None) => {
            return Err(refusal!("--op {op} takes two inputs: name the second one with --with FILE"));
        }
        (None, Some(_), None) => {
            let pairs: Vec<_> = Op::ALL.iter().filter(|op| op::takes_two(**op)).map(|op| op.name()).collect();
            return Err(refusal!(
                "--with is the second input of --op {}: name one of them",
                pairs.join(", ")
            ));
        }
        _ => {}
    }
    let has_quantiles = has(|kind| matches!(kind, Kind::Quantiles));
    let has_method = has_quantiles || has(|kind| matches!(kind, Kind::Percentile(_)));
    let names_top = args.k.is_some() || args.smallest || args.indices.is_some();
    let has_ddof = ops().any(|op| matches!(op, Op::Variance | Op::Deviation | Op::Covariance));
    let skip_nan = args.op.iter().filter(|operator| operator.skips_nan).count();
    let is_array = args.output.as_deref().is_some_and(npy::is_named);
    let is_several = args.files.len() != 1;
    let wrong = [
        (args.quantiles.is_some() && !has_quantiles, "--quantiles goes with --op quantile"),
        (
            args.method.is_some() && !has_method,
            "--method goes with --op quantile and with percentiles, as in p95",
        ),
        (names_top && !has(|kind| kind == Kind::Top), "--k, --smallest and --indices go with --op top"),
        (args.ddof.is_some() && !has_ddof, "--ddof goes with --op variance, std and covariance"),
        (
            !args.skip_nan && skip_nan > 0 && skip_nan < args.op.len(),
            "--op: operators with and without the prefix nan do not mix; use --skip-nan for all",
        ),
        (
            args.verify && has(|kind| kind.reduction().is_none()),
            "--verify does not check median, quantile or top; leave it out",
        ),
        (
            is_several && (args.indices.is_some() || beside.into_iter().any(Option::is_some)),
            "--with, --where, --by and --indices take one file; leave the others out",
        ),
        (
            is_array && (is_several || args.op.len() != 1),
            "-o OUT.npy holds one result; name one file and one operator, or use -o OUT.npz",
        ),
    ];
    if let Some((_, why)) = wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(Failure::usage(why));
    }
    match &args.output {
        Some(path) if !npy::is_named(path) && !npz::is_named(path) => {
            Err(refusal!("-o {}: the name must end in .npy or .npz", path.display()))
        }
        _ => Ok(()),
    }
}

/// Explains a name that is not a file but may be meant as an operator or as quantiles.
fn check_path(path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let option = if name.split(',').all(|name| name.parse::<Operator>().is_ok()) {
        "the operator write --op"
    } else if name.split(',').all(|name| op::quantile(name).is_ok()) {
        "quantiles write --op quantile --quantiles"
    } else {
        return Ok(());
    };
    if path.exists() {
        return Ok(());
    }
    Err(refusal!("{name}: no such file; for {option} {name}"))
}

pub fn check_beside(first: &Source, second: Option<&Source>, mask: Option<&Source>) -> Result<(), Failure> {
    let tuple = npy::tuple;
    for (option, other) in [("--with", second), ("--where", mask)] {
        let Some(other) = other else { continue };
        if other.shape() != first.shape() {
            return Err(refusal!(
                "{option} {}: shape {} differs from {}'s {}; save both with one shape",
                other.name(),
                tuple(other.shape()),
                first.name(),
                tuple(first.shape())
            ));
        }
        let needed = if option == "--where" { Stored::Bool } else { first.stored() };
        if other.stored() != needed {
            return Err(refusal!(
                "{option} {}: type {} where {needed} is needed; save it as one, array.astype('{}')",
                other.name(),
                other.stored(),
                needed.numpy()
            ));
        }
    }
    Ok(())
}

pub fn check_results(
    args: &ReduceArgs,
    source: &Source,
    geometry: &Geometry,
    groups: u64,
) -> Result<(), Failure> {
    let (name, element) = (source.name(), source.element());
    let ops =
        || args.op.iter().filter(|_| args.wgsl.is_none()).filter_map(|operator| operator.kind.reduction());
    if let Some(op) = ops().find(|op| !op.is_over(element)) {
        return Err(refusal!("{name}: `{op}` is not defined for {}", source.stored()));
    }
    if args.exact {
        check_exact(args, source, ops())?;
    }
    if groups.saturating_mul(geometry.rows) >= u64::from(u32::MAX) {
        return Err(refusal!(
            "{name}: {groups} groups of {} lines are more than 2^32 - 2 results",
            geometry.rows
        ));
    }
    let is_empty = geometry.len == 0 && geometry.rows > 0 && args.by.is_none();
    let lists = geometry.shape.iter().fold(1u64, |all, len| all.saturating_mul((*len).max(1)));
    if source.len() == 0 && lists > MOST_OF_NOTHING {
        return Err(refusal!(
            "{name}: the result has {lists} values or lists of no elements each, and at most {MOST_OF_NOTHING} are made"
        ));
    }
    let is_array = args.output.is_some() || geometry.axes.is_some();
    match ops().find(|op| op::needs_elements(*op)).filter(|_| is_empty && is_array) {
        Some(op) => Err(refusal!("{name}: `{op}` of no elements has no value")),
        None => Ok(()),
    }
}

fn check_exact(args: &ReduceArgs, source: &Source, mut ops: impl Iterator<Item = Op>) -> Result<(), Failure> {
    let (name, element) = (source.name(), source.element());
    if args.op.iter().any(|operator| operator.kind.reduction().is_none()) {
        return Err(Failure::usage("--exact: order statistics round nothing; leave it out"));
    }
    let Some(op) = ops.find(|op| !parts::is_exact(*op, element)) else { return Ok(()) };
    let floats = if element.is_float() { element } else { Element::F32 };
    let having = Op::ALL.iter().filter(|op| parts::is_exact(**op, floats));
    let having: Vec<_> = having.map(|op| op.name()).collect();
    Err(Failure::Usage(match op {
        op if !element.is_float() && Format::of(op, Element::F32).is_some() => {
            format!("{name}: `{op}` of {} adds without rounding as it is; leave out --exact", source.stored())
        }
        _ => format!(
            "{name}: `{op}` of {} has no exact form; of {floats} these have: {}",
            source.stored(),
            having.join(", ")
        ),
    }))
}
