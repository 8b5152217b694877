//! A row on a device: its outputs, its calls, and their expected results.

use std::error::Error;

use halofold::reduce::{Op, Reduction, Scalar};
use halofold::{Bound, Element, Slice, Workspace, wgpu};

use super::{CHAINED, Way};

/// Relative tolerance of floats that are not exact.
const NEAR: f64 = 1e-5;

/// Puts one call into a pass.
pub type Call = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Something made from right descriptions: an error is one of the row's.
pub type Made<T> = Result<T, Box<dyn Error>>;

type Bind = dyn Fn(&[Slice<'_>], &[wgpu::Buffer]) -> Made<Call>;
type Results = dyn Fn(&[&[u8]], usize) -> Vec<Expected>;

/// A row on a device.
pub struct Runnable {
    /// Bytes of each output.
    pub outputs: Vec<u64>,
    bind: Box<Bind>,
    results: Box<Results>,
}

impl Runnable {
    pub(super) fn new(
        outputs: &[u64],
        bind: impl Fn(&[Slice<'_>], &[wgpu::Buffer]) -> Made<Call> + 'static,
        results: impl Fn(&[&[u8]], usize) -> Vec<Expected> + 'static,
    ) -> Made<Self> {
        Ok(Runnable { outputs: outputs.to_vec(), bind: Box::new(bind), results: Box::new(results) })
    }

    /// Makes a call from its inputs and outputs.
    pub fn bind(&self, inputs: &[Slice<'_>], outputs: &[wgpu::Buffer]) -> Made<Call> {
        (self.bind)(inputs, outputs)
    }

    /// Computes what the first outputs hold after a call whose inputs repeat blocks `times` times.
    pub fn expected(&self, blocks: &[&[u8]], times: usize) -> Vec<Expected> {
        (self.results)(blocks, times)
    }
}

/// The call that records what is bound.
pub fn recorded(bound: Result<Bound, halofold::Error>) -> Made<Call> {
    let bound = bound?;
    Ok(Box::new(move |pass| bound.encode_in_pass(pass)))
}

/// The call of a reduction: chained calls share a workspace.
pub(super) fn reduced(
    way: Way,
    workspace: &Workspace,
    reduction: Reduction<'_, '_>,
    output: Slice<'_>,
) -> Made<Call> {
    let is_chained = way == CHAINED;
    recorded(if is_chained { reduction.workspace(workspace).bind(output) } else { reduction.bind(output) })
}

/// The contents of an output.
pub enum Expected {
    /// One result, to the last bit; or near a number that is not whole, if additions round.
    Scalar(Op, Element, Scalar),
    /// The first bytes.
    Bytes(Vec<u8>),
}

impl Expected {
    /// Words that repeat.
    pub(super) fn words<T: bytemuck::Pod>(words: impl IntoIterator<Item = T>, times: usize) -> Self {
        let words: Vec<T> = words.into_iter().collect();
        Expected::Bytes(bytemuck::cast_slice(&words).repeat(times))
    }

    /// Checks the bytes of an output.
    pub fn check(&self, got: &[u8], is_exact: bool) -> Result<(), String> {
        match self {
            Expected::Scalar(op, element, expected) => {
                let answer = op.read(*element, got)[0];
                let numbers = answer.value().zip(expected.value());
                let is_near = numbers.map(|(got, expected)| [got, expected].map(|x| x.as_f64())).is_some_and(
                    |[got, expected]| expected.fract() != 0.0 && (got / expected - 1.0).abs() <= NEAR,
                );
                let is_right = answer.same(*expected) || is_near && !is_exact;
                is_right.then_some(()).ok_or_else(|| format!("got {answer}, expected {expected}"))
            }
            Expected::Bytes(expected) if got.starts_with(expected) => Ok(()),
            Expected::Bytes(expected) => {
                let wrong = got.iter().zip(expected).position(|(got, expected)| got != expected);
                Err(format!("byte {} of the output is wrong", wrong.unwrap_or(got.len().min(expected.len()))))
            }
        }
    }
}
