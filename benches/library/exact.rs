//! Exact sums: data whose sizes differ widely, and results to the last bit.

use halofold::Element;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Op, Scalar};
use halofold_measure::TestData;

use crate::cases::Case;
use crate::expected::Expected;
use crate::pool::{PERIOD, Pools};

/// Sizes of the elements of a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Small integers.
    Small,
    /// Floats of two sizes in turn, 2^66 apart.
    TwoScales,
    /// Floats with exponents over the whole range.
    Wide,
}

impl Data {
    /// One period of floats; `None` of small integers, which any type has.
    pub fn period(self) -> Option<Vec<u8>> {
        let data = TestData::new(Op::Sum, Element::U64, PERIOD);
        let float = |at: usize| {
            let word = data.word(at);
            let (sign, fraction) = ((word as u32) & 1 << 31, (word >> 41) as u32);
            let exponent = match self {
                Data::Small => return None,
                Data::TwoScales => (127 + if at.is_multiple_of(2) { 49 } else { -17 }) as u32,
                Data::Wide => 1 + (word >> 32) as u32 % 253,
            };
            Some((sign | exponent << 23 | fraction & 0x7f_ffff).to_le_bytes())
        };
        let floats: Option<Vec<_>> = (0..PERIOD as usize).map(float).collect();
        floats.map(|floats| floats.concat())
    }
}

/// The one result of a case over the inputs of the call of a number: that of a period, so many times, rounded once.
pub fn expected(case: &Case, pools: &Pools<'_>, number: u64) -> Expected {
    let start = pools.first.start(case.n, number);
    let (first, times) = pools.first.repeated(start, case.n);
    let format = Format::of(case.op, case.element).expect("the cases have an exact form");
    let mut state = State::new(format);
    let second = (case.op == Op::Dot).then(|| pools.second.repeated(start, case.n).0);
    state.add_of(case.op, case.element, first, second);
    let words = state.words().into_iter().map(|word| word.wrapping_mul(times as i64));
    let total = State::from_words(words.collect()).expect("as many words as before");
    let value = if case.op == Op::Mean { total.mean() } else { total.sum() };
    Expected::Exact(case.op, case.element, Scalar::One(value))
}
