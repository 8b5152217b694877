//! The largest or smallest elements of a file, or of each line of it. Of a whole file, those of its pieces are put together.

use std::cmp::Ordering;

use halofold::reduce::Scalar;
use halofold::{Element, Value};

use super::check::Check;
use super::layout::Layout;
use super::results::Results;
use super::totals::OperatorResults;
use super::{ReduceArgs, ranked};
use crate::failure::Failure;
use crate::passes::Passes;

/// The elements that are found where no number is named.
const USUAL: u32 = 10;

/// The number of elements that a request asks for.
pub fn number(args: &ReduceArgs) -> u64 {
    args.k.unwrap_or(USUAL).into()
}

/// Finds the elements that a request asks for, in a file or in its lines, whichever it is read by: the result has a place in `layout`.
pub fn of(args: &ReduceArgs, passes: &mut Passes<'_>, layout: &Layout) -> Result<OperatorResults, Failure> {
    let element = passes.work.stored.element();
    let line = passes.work.lines.as_ref().map(|lines| lines.len);
    // Shorter lines have no more.
    let k = number(args).min(line.or(passes.work.len).unwrap_or(u64::MAX)) as u32;
    let empty = Results::named("top", vec![Element::I64.into()], layout, args.output.is_some());
    let mut results = empty.with_several(k.into(), false);
    let push = |results: &mut Results, (value, index)| results.push(Some(Scalar::At { value, index }));
    let mut all = Vec::new();
    if k > 0 {
        let kernel = |gpu: &_, work: &_| ranked::of_top((gpu, work), line, (k, args.smallest));
        passes.through(kernel, |share, left| {
            let lines = line.map_or(1, |len| share.elements() / len);
            let found = ranked::found(element, &left[0].states, lines, k);
            if line.is_some() {
                return found.into_iter().flatten().try_for_each(|found| push(&mut results, found));
            }
            all.extend(found.concat().into_iter().map(|(value, place)| (value, share.before + place)));
            // Of equal ones the first stay first.
            all.sort_by(|(a, _), (b, _)| if args.smallest { order(a, b) } else { order(b, a) });
            all.truncate(k as usize);
            Ok(())
        })?;
    }
    if line.is_none() {
        results = results.with_several(all.len() as u64, false);
        all.into_iter().try_for_each(|found| push(&mut results, found))?;
    }
    let (gpu_ms, check) = (passes.gpu_ms, Check::Unchecked);
    Ok(OperatorResults { op: None, results, gpu_ms, check, is_exact: false, skipped: None, kept: Vec::new() })
}

/// The order of elements of one type: NaNs are the last, and all equal.
fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Unsigned(a), Value::Unsigned(b)) => a.cmp(b),
        (Value::Signed(a), Value::Signed(b)) => a.cmp(b),
        _ => {
            let (a, b) = (a.as_f64(), b.as_f64());
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
    }
}
