//! Reductions of inputs among poison.

use halofold::Slice;
use halofold::reduce::{Reducer, Reduction, Shape};

use crate::Checked;
use crate::common::{gpu, over, poisoned, run};

/// Reduces inputs from these bytes of their buffers on, twice. Returns both outputs, and the plan's depth.
pub fn reduced(
    reducer: &Reducer,
    inputs: &[&[u8]],
    offsets: [u64; 2],
    shape: Shape,
    start: Option<&[u8]>,
) -> Checked<([Vec<u8>; 2], u64)> {
    let inputs = inputs.iter().zip(offsets);
    let buffers: Vec<_> =
        inputs.map(|(bytes, at)| (poisoned(gpu(), bytes, at), at, bytes.len() as u64)).collect();
    let slices: Vec<_> = buffers.iter().map(|(buffer, at, size)| Slice::new(buffer, *at, *size)).collect();
    both_runs(&over(reducer, &slices).shape(shape), start)
}

/// The outputs of two runs, and the plan's depth.
pub fn both_runs(reduction: &Reduction<'_, '_>, start: Option<&[u8]>) -> Checked<([Vec<u8>; 2], u64)> {
    let depth = reduction.plan()?.depth();
    Ok((run(gpu(), reduction, start)?, depth))
}

/// The output of both runs.
pub fn same([first, second]: [Vec<u8>; 2]) -> Checked<Vec<u8>> {
    if first == second { Ok(first) } else { Err("the second run gave other bits than the first".into()) }
}
