//! The table of reductions: operator, element type, length, shape of results, data, and the ways to call.

use halofold::Element;
use halofold::reduce::{Op, Shape};

use crate::calls::Way;
use Cut::{Accumulate, Axis, Counted, Fixed, Offsets, Skewed, Whole};

/// Independent calls, and calls that wait for one another.
const USUAL: &[Way] = &[Way::INDEPENDENT, Way::CHAINED];

/// The same, and exact ones.
const EXACT: &[Way] = &[Way::INDEPENDENT, Way::CHAINED, Way::EXACT];

/// The same, and kernels that lack something.
const ALL: &[Way] = &[Way::INDEPENDENT, Way::CHAINED, Way::EXACT, Way::NO_SUBGROUPS, Way::UNCHECKED];

/// The longest of skewed segments, as a power of two.
const LONGEST: u32 = 20;

/// The elements that one result is made of.
#[derive(Clone, Copy, PartialEq)]
pub enum Cut {
    /// Everything.
    Whole,
    /// Everything, with the number of elements on the GPU.
    Counted,
    /// Everything, added to what the output holds.
    Accumulate,
    /// Segments of this length.
    Fixed(u64),
    /// The same by a list of offsets.
    Offsets(u64),
    /// A list of offsets: lengths 1, 2, 4 … 2^20 in turn, and what is left.
    Skewed,
    /// The middle axis of `[outer, len, inner]`.
    Axis([u64; 3]),
}

/// Sizes of elements.
#[derive(Clone, Copy, PartialEq)]
pub enum Data {
    /// Small integers.
    Small,
    /// Floats of two sizes in turn, 2^66 apart.
    TwoScales,
    /// Floats with exponents over the whole range.
    Wide,
}

/// One group of the bench.
#[derive(Clone, Copy)]
pub struct Case {
    pub op: Op,
    pub element: Element,
    pub n: u64,
    pub cut: Cut,
    pub data: Data,
    pub ways: &'static [Way],
}

impl Case {
    /// The sum of 2^`power` small floats.
    pub fn sum(power: u32, cut: Cut, ways: &'static [Way]) -> Self {
        Case { op: Op::Sum, element: Element::F32, n: 1 << power, cut, data: Data::Small, ways }
    }

    /// The shape's name in rows, and the shape as a reducer takes it.
    pub fn shape(&self) -> (&'static str, Shape) {
        match self.cut {
            _ if self.data == Data::TwoScales => ("two-scales", Shape::Whole),
            _ if self.data == Data::Wide => ("wide", Shape::Whole),
            Whole => ("whole", Shape::Whole),
            Counted => ("counted", Shape::Whole),
            Accumulate => ("accumulate", Shape::Accumulate),
            Fixed(len) => ("fixed", Shape::Segments { len }),
            Offsets(len) => ("offsets", Shape::Offsets { count: self.n / len }),
            Skewed => ("skewed", Shape::Offsets { count: self.offsets().len() as u64 - 1 }),
            Axis([outer, len, inner]) => {
                (if outer == 1 { "columns" } else { "axis" }, Shape::Axis { outer, len, inner })
            }
        }
    }

    /// Number of results, for shapes that may have many.
    pub fn results(&self) -> Option<u64> {
        match self.shape().1 {
            Shape::Segments { len } => Some(self.n / len),
            Shape::Offsets { count } => Some(count),
            Shape::Axis { outer, inner, .. } => Some(outer * inner),
            _ => None,
        }
    }

    /// The offsets of segments, of shapes that have some.
    pub fn offsets(&self) -> Vec<u32> {
        match self.cut {
            Offsets(len) => (0..=self.n).step_by(len as usize).map(|at| at as u32).collect(),
            Skewed => {
                let ends = (0..=LONGEST).cycle().scan(0, |at, power| {
                    let is_left = *at < self.n;
                    *at = self.n.min(*at + (1 << power));
                    is_left.then_some(*at as u32)
                });
                [0].into_iter().chain(ends).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// All cases; those of the same elements follow one another.
pub fn all(is_small: bool) -> Vec<Case> {
    let largest = if is_small { 16 } else { 28 };
    let lengths: &[u32] = if is_small { &[10, 14, 16] } else { &[10, 16, 20, 22, 24, 26, 28] };
    let long: &[u32] = if is_small { &[16] } else { &[24, 26, 28] };
    let [columns, tall, axis] = if is_small {
        [[1, 256, 256], [1, 1024, 64], [16, 64, 64]]
    } else {
        [[1, 16_384, 16_384], [1, 1 << 20, 256], [256, 1024, 1024]]
    };
    let whole = |op, ways| Case { op, ..Case::sum(largest, Whole, ways) };
    let mut cases = Vec::new();
    let ways = |power| if power == largest { ALL } else { EXACT };
    cases.extend(lengths.iter().map(|power| Case::sum(*power, Whole, ways(*power))));
    cases.extend(lengths.iter().map(|power| Case::sum(*power, Accumulate, USUAL)));
    cases.push(Case::sum(largest.min(24), Counted, USUAL));
    cases.extend([Op::Min, Op::Max, Op::MinMax, Op::ArgMin].map(|op| whole(op, USUAL)));
    cases.push(whole(Op::Mean, EXACT));
    cases.extend([Op::Variance, Op::L2, Op::LogSumExp].map(|op| whole(op, USUAL)));
    cases.push(whole(Op::Dot, EXACT));
    cases.extend([1, 4, 16, 32, 64].map(|len| Case::sum(largest, Fixed(len), USUAL)));
    let cuts = [
        (Fixed(256), ALL),
        (Fixed(1024), EXACT),
        (Fixed(65_536), USUAL),
        (Offsets(256), USUAL),
        (Skewed, USUAL),
        (Offsets(1024), EXACT),
        (Axis(columns), EXACT),
        (Axis(tall), USUAL),
        (Axis(axis), USUAL),
    ];
    cases.extend(cuts.map(|(cut, ways)| Case::sum(largest, cut, ways)));
    let types = [
        (Element::F16, EXACT),
        (Element::I32, USUAL),
        (Element::U32, USUAL),
        (Element::F64, EXACT),
        (Element::I64, USUAL),
    ];
    for (element, ways) in types {
        cases.extend(long.iter().map(|power| Case { element, ..Case::sum(*power, Whole, ways) }));
        if element == Element::F64 {
            cases.push(Case { element, ..whole(Op::LogSumExp, USUAL) });
        }
    }
    for data in [Data::TwoScales, Data::Wide] {
        cases.extend(long.iter().map(|power| Case { data, ..Case::sum(*power, Whole, &[Way::EXACT]) }));
    }
    cases
}
