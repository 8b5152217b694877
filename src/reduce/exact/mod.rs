//! Exact sums: correctly rounded, the same bits on every GPU, whatever the order of the elements.
//!
//! A float is an integer times a power of two, and integers are added without rounding, in any order. So the sum is kept as one
//! long integer, in units of the smallest subnormal number. It does not depend on tiles, on the width of subgroups, on the vendor or
//! on the version. Only the end rounds, once, to the nearest float, ties to even.
//!
//! [`Reduce::with_accuracy`](crate::reduce::Reduce::with_accuracy) selects it, for [`Shape::Whole`],
//! [`Shape::Strided`], [`Shape::Segments`], [`Shape::Offsets`] and [`Shape::Axis`]. The rung `exact` of the [`ladder`](crate::ladder) is its kernel for whole inputs.
//! Kernels compute with 32-bit integers, and where it is faster with 32-bit floats whose rounding cannot change the result. A device needs no
//! feature for it, not even to sum 64-bit floats, which takes integers alone.
//!
//! [Prefixes](crate::scan) and [groups by key](crate::group::ReduceRuns) take sums of f32 and f16 that [`Monoid::exact`](crate::reduce::Monoid::exact) makes exact.
//!
//! The operators are those of the table of [`Format::of`], and [`Monoid::sum_of`](crate::reduce::Monoid::sum_of), whose values are f32.
//!
//! # What comes out
//!
//! - The sum or the mean of the numbers that the operator makes of the elements, rounded once to the nearest float, ties to even. A mean
//!   is the exact sum divided by the number of elements, and then rounded once.
//! - Infinity only if the true sum rounds to it. Partial sums cannot overflow.
//! - Subnormal elements count, and a result may be subnormal.
//! - If there is a NaN, the result is NaN; also if there are +∞ and −∞, or ∞ · 0 in a dot product. With one kind of infinity the result is
//!   that infinity.
//! - −0 if all elements (all products) are −0. Any other sum of zeros, and a sum that cancels, is +0.
//! - The sum of an empty input is +0, its mean NaN.
//!
//! # The state
//!
//! With [`Reduce::with_to_states`](crate::reduce::Reduce::with_to_states) a reduction writes a state: a row of 64-bit two's-complement
//! integers, little-endian, which is an array `[i64; 16]`, `[i64; 25]` or `[i64; 73]` on the host. **States are merged by adding them, word by word**: on the GPU, by [`State::merge`], or by anything that adds
//! 64-bit integers, such as an MPI sum, a database or a spreadsheet. Up to 2^31 states, in any order, give the same words.
//!
//! | word | contents, in the state of an input |
//! |---|---|
//! | 0 | the format: its [number](Format::number) times 2^32, plus 1. In a merged state the lower half is the number of states, and the upper half is that times the format's number, modulo 2^32 |
//! | 1 | the number of elements (for a dot product, of pairs) |
//! | 2 | not 0 if there was a NaN, or ∞ · 0 |
//! | 3, 4 | not 0 if there was +∞; if there was −∞ |
//! | 5 | not 0 if there was anything other than −0 |
//! | 6 … | the digits of the exact sum, the lowest first: word 6 + i counts 2^(32 i) [units](Format::unit) |
//!
//! All digits except the last lie in 0 … 2^32 − 1, the last in −2^31 … 2^31 − 1. In a merged state they may be larger, and the sum is still
//! Σ digit · 2^(32 i). The words 2 to 5 are never negative, and in the state of an input at most 2^32.
//!
//! | format | number | unit | digits | words | sums of |
//! |---|---|---|---|---|---|
//! | [`Format::Single`] | 0x101 | 2^−149 | 10 | 16 | f32 and f16 |
//! | [`Format::Product`] | 0x102 | 2^−298 | 19 | 25 | products of two f32 |
//! | [`Format::Double`] | 0x103 | 2^−1074 | 67 | 73 | f64 |
//!
//! The upper byte of the number is the version of the format, 1. The digits have room for 2^32 elements of the largest magnitude.
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
mod mapped;
mod moments;
mod round;
mod state;

#[cfg(doc)]
use crate::reduce::shape::Shape;

pub use format::Format;
pub(crate) use kernels::EXACT;
pub(in crate::reduce) use kernels::EXACT_FOLD;
pub(crate) use kernels::ExactSum;
pub(crate) use moments::nearest_variance;
pub(in crate::reduce) use moments::of_words;
pub use moments::variance;
pub use state::State;

/// The accuracy of sums of floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accuracy {
    /// In the accumulator's float type, rounded at each addition.
    #[default]
    Fast,
    /// [Exactly](crate::reduce::exact), rounded once. For every shape but [`Shape::Accumulate`], and for the operators and elements listed there.
    Exact,
}
