//! Exact sums: correctly rounded, the same bits on every GPU, whatever the order of the elements.
//!
//! A float is an integer times a power of two. Integers add without rounding, in any order, so the sum of floats as one long
//! integer in units of the smallest subnormal is the same whoever adds what first: the tile, the width of subgroups, the vendor
//! and the version decide nothing. Only the end rounds, once, to the nearest float, ties to even.
//!
//! [`Accuracy::Exact`] in the [`Options`](crate::reduce::Options) of a reducer turns it on, the rung `exact` of the
//! [`ladder`](crate::reduce::ladder) is it. Kernels use 32-bit integers alone. Neither `f64` nor `i64` nor `f16` is asked of a
//! device: every adapter sums 64-bit floats to the last bit.
//!
//! | operator | elements | result |
//! |---|---|---|
//! | sum, mean | f32, f16 | f32 |
//! | sum, mean | f64 | f64 |
//! | dot | f32 | f32 |
//!
//! # What comes out
//!
//! - The sum, dot product or mean of the numbers themselves, rounded once to the nearest, ties to even. A mean is the rounded quotient of the exact
//!   sum, not the quotient of a rounded one.
//! - Infinity only where the true sum rounds to it, however large the partial sums were.
//! - Subnormal elements count, and a result may be subnormal.
//! - A NaN gives NaN; so do +∞ and −∞ together, and ∞ · 0 in a dot product. One sort of infinity gives that infinity.
//! - −0 only where every element (every product) is −0, else a sum of nothing but zeros, or one that cancels, is +0.
//! - Nothing gives +0, the mean of nothing NaN.
//!
//! # The state
//!
//! What [`Options::to_states`](crate::reduce::Options::to_states) leaves is a row of 64-bit two's-complement integers,
//! little-endian. **States are merged by adding them, word by word**: on the GPU, by [`State::merge`], or by whatever adds 64-bit
//! integers, as an MPI sum, a database or a spreadsheet does. Up to 2^31 states, in any order, give the same words.
//!
//! | word | what it holds in a state that elements left |
//! |---|---|
//! | 0 | the format: its [number](Format::number) times 2^32, plus 1. Of a merged state the lower half says how many were merged, and the upper half is that times the number, modulo 2^32 |
//! | 1 | how many elements (of a dot product, pairs) |
//! | 2 | not 0 if there was a NaN, or ∞ · 0 |
//! | 3, 4 | not 0 if there was +∞; −∞ |
//! | 5 | not 0 if there was anything but −0 |
//! | 6 … | the digits of the exact sum, the lowest first: word 6 + i counts 2^(32 i) [units](Format::unit) |
//!
//! All digits but the last lie in 0 … 2^32 − 1, the last in −2^31 … 2^31 − 1. Sums of digits do not: the sum is Σ digit · 2^(32 i) all the same.
//! The words 2 to 5 are 0 or positive, never more than 2^32 in a state that elements left.
//!
//! | format | number | unit | digits | words | sums of |
//! |---|---|---|---|---|---|
//! | [`Format::Single`] | 0x101 | 2^−149 | 10 | 16 | f32 and f16 |
//! | [`Format::Product`] | 0x102 | 2^−298 | 19 | 25 | products of two f32 |
//! | [`Format::Double`] | 0x103 | 2^−1074 | 67 | 73 | f64 |
//!
//! The upper byte of the number is the version of the format, 1. The digits suffice for 2^32 elements of the largest magnitude.
//!
//! ```
//! use halofold::Element;
//! use halofold::reduce::exact::{Format, State};
//!
//! // Two parts of an array, summed apart and merged by addition.
//! let (mut first, mut second) = (State::new(Format::Single), State::new(Format::Single));
//! first.add(Element::F32, bytemuck::cast_slice(&[1e30f32, 1.0]));
//! second.add(Element::F32, bytemuck::cast_slice(&[-1e30f32, 1e-30]));
//! let words = first.words().into_iter().zip(second.words()).map(|(a, b)| a.wrapping_add(b));
//! let merged = State::from_words(words.collect()).unwrap();
//! assert_eq!(merged.count(), 4);
//! assert_eq!(merged.sum().as_f64(), 1.0);
//! ```

mod format;
mod kernels;
mod round;
mod state;

use crate::reduce::error::ReduceError;
use crate::reduce::monoid::Monoid;
use crate::reduce::shape::Form;

pub use format::Format;
pub(in crate::reduce) use kernels::{EXACT, EXACT_COLUMNS, EXACT_SEGMENTS, is_exact_kernel, tuning};
pub use state::{State, StateError};

/// Checks that an operator has the form, which an exact one may not have.
pub(in crate::reduce) fn check(monoid: &Monoid, form: Form) -> Result<(), ReduceError> {
    if monoid.format().is_some() && !matches!(form, Form::Whole | Form::Segments | Form::Axis) {
        return Err(ReduceError::ExactForm(form));
    }
    Ok(())
}

/// How sums of floats are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accuracy {
    /// In the accumulator's own float type, rounded at each addition.
    #[default]
    Fast,
    /// [Exactly](crate::reduce::exact), rounded once. For whole inputs, segments and axes, of the operators and elements listed there.
    Exact,
}
