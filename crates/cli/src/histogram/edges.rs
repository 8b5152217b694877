//! The bins of `np.histogram`: their edges, and the bin of a number, each by NumPy's own steps.
//!
//! NumPy finds a bin by a product of floats, and moves by one where an edge says otherwise. Where many edges lie between two
//! neighbouring floats, one step is not enough, and comparing with edges would give another bin. So the steps are repeated here, in
//! the types that NumPy takes. Bins never fall as numbers rise, so a border of each bin is found by halving.

use halofold::histogram::Keys;
use halofold::{Element, Value};

use crate::files::Stored;
use crate::keys::{key_range, number};

/// The types of floats, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    Half,
    Single,
    Double,
}

impl Width {
    /// The type in which NumPy computes with numbers of an array.
    fn of(element: Element) -> Self {
        match element {
            Element::F16 => Width::Half,
            Element::F32 => Width::Single,
            _ => Width::Double,
        }
    }

    /// The narrowest type that NumPy takes for a number beside an array.
    fn holding(x: f64) -> Self {
        match x.abs() {
            size if size < 65000.0 || !size.is_finite() => Width::Half,
            size if size < 3.4e38 => Width::Single,
            _ => Width::Double,
        }
    }

    /// Rounds a number to the type. Differences and products of two numbers of the type, rounded first to 64 bits, are rounded as if once.
    fn round(self, x: f64) -> f64 {
        match self {
            Width::Half => half(x),
            Width::Single => f64::from(x as f32),
            Width::Double => x,
        }
    }
}

/// The nearest 16-bit float. Conversions of processors go over 32 bits, and round twice.
fn half(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let unit = 2f64.powi(exponent.max(-14) - 10);
    let nearest = (x / unit).round_ties_even() * unit;
    if nearest.abs() < 65520.0 { nearest } else { x * f64::INFINITY }
}

/// The distance of two elements in order: of floats rounded to their type.
fn distance(stored: Stored, ends: [Value; 2]) -> f64 {
    match ends {
        [Value::Unsigned(low), Value::Unsigned(high)] => (high - low) as f64,
        [Value::Signed(low), Value::Signed(high)] => high.abs_diff(low) as f64,
        [low, high] => Width::of(stored.element()).round(high.as_f64() - low.as_f64()),
    }
}

/// The number on the way from an element to one that is not less, at a share of it, by the operations of NumPy; but on the way to an infinity
/// every number is infinite, and differences of integers do not wrap.
pub fn between(stored: Stored, [low, high]: [Value; 2], share: f64) -> f64 {
    let distance = distance(stored, [low, high]);
    let [low, high] = [low, high].map(Value::as_f64);
    match share {
        _ if low.is_infinite() || high.is_infinite() => low + high,
        share if share < 0.5 => low + distance * share,
        share => high - distance * (1.0 - share),
    }
}

/// The range of all bins.
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// As the request has it.
    Given([f64; 2]),
    /// The least and the largest element.
    Found([Value; 2]),
}

impl Range {
    /// The ends of the range, apart from each other, and the difference that NumPy takes for their distance.
    pub fn ends(self, stored: Stored) -> ([f64; 2], f64) {
        let [low, high] = match self {
            Range::Given(ends) => ends,
            Range::Found(ends) => ends.map(Value::as_f64),
        };
        match self {
            Range::Found(ends) if low < high => ([low, high], distance(stored, ends)),
            _ if low == high => ([low - 0.5, high + 0.5], (high + 0.5) - (low - 0.5)),
            _ => ([low, high], high - low),
        }
    }
}

/// Equal bins over a range.
pub struct Bins {
    /// Their edges, one more than there are bins.
    pub edges: Vec<f64>,
    /// The type of the edges, and the one of the product with `scale`.
    widths: [Width; 2],
    /// The least and the largest number that are counted.
    kept: [f64; 2],
    low: f64,
    scale: f64,
    element: Element,
}

impl Bins {
    /// So many bins over a range, for the elements of a file.
    pub fn new(stored: Stored, range: Range, count: u32) -> Result<Self, String> {
        let ([low, high], distance) = range.ends(stored);
        let count = f64::from(count);
        let scale = count / distance;
        if !(distance > 0.0 && distance.is_finite() && scale.is_finite()) {
            return Err(format!(
                "bins from {low:?} to {high:?} have no width that floats hold: take another --range"
            ));
        }
        let element = stored.element();
        let own = Width::of(element);
        // Elements have their own type, other numbers that of a literal.
        let are_elements = matches!(range, Range::Found([least, largest]) if least != largest);
        let beside = |x: f64| if are_elements { own } else { own.max(Width::holding(x)) };
        let width = beside(low).max(beside(high));
        let step = (high - low) / count;
        let edge = |i: u32| {
            let from_low =
                if step == 0.0 { f64::from(i) / count * (high - low) } else { f64::from(i) * step };
            width.round(from_low + low)
        };
        let edges = (0..count as u32).map(edge).chain([width.round(high)]).collect();
        let product = width.max(Width::holding(scale));
        // 16-bit floats are counted as 32-bit ones.
        let element = if element == Element::F16 { Element::F32 } else { element };
        Ok(Bins {
            edges,
            widths: [width, product],
            kept: [beside(low).round(low), beside(high).round(high)],
            low: width.round(low),
            scale: product.round(scale),
            element,
        })
    }

    /// NumPy's name of the type of the edges.
    pub fn dtype(&self) -> &'static str {
        match self.widths[0] {
            Width::Half => "f2",
            Width::Single => "f4",
            Width::Double => "f8",
        }
    }

    /// The number of bins.
    pub fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The bin of a number: -1 below all of them, their number above. NaN is above.
    pub fn place(&self, x: f64) -> i64 {
        let last = self.count() as i64 - 1;
        if x < self.kept[0] {
            return -1;
        }
        if x > self.kept[1] || x.is_nan() {
            return last + 1;
        }
        let [width, product] = self.widths;
        let at = product.round(width.round(x - self.low) * self.scale) as i64;
        // Rounding may lead beyond the last bin, an IndexError in NumPy.
        let at = at.clamp(0, last);
        let at = if x < self.edges[at as usize] { at - 1 } else { at };
        if at < last && x >= self.edges[(at + 1) as usize] { at + 1 } else { at }
    }

    /// The borders of the bins as keys of a histogram of the library, and the number of bins between them: empty bins at the end are left out.
    /// `None` if no element lies in any bin.
    pub fn keys(&self) -> Option<(Keys, u32)> {
        let count = self.count() as i64;
        let mut levels: Vec<_> = (0..count).map(|bin| self.first(bin)).collect();
        // The last level is the last number that is counted.
        let end = self.first(count).checked_sub(1)?;
        while levels.pop_if(|level| *level > end).is_some() {}
        let bins = levels.len() as u32;
        if bins == 0 {
            return None;
        }
        levels.push(end);
        let keys = match self.element {
            Element::U32 | Element::I32 => Keys::U32Levels(levels.iter().map(|key| *key as u32).collect()),
            Element::F32 => {
                let levels: Vec<_> =
                    levels.iter().map(|key| number(self.element, *key as u64).as_f64() as f32).collect();
                let ranges = Keys::Ranges { low: self.kept[0] as f32, high: self.kept[1] as f32 };
                // Ranges are faster.
                let are_alike = ranges.borders(bins).is_some_and(|borders| borders == levels);
                if are_alike { ranges } else { Keys::Levels(levels.into()) }
            }
            _ => Keys::U64Levels(levels.iter().map(|key| *key as u64).collect()),
        };
        Some((keys, bins))
    }

    /// The least key of the elements' type whose number lies in a bin, or above it; the one after all keys if there is none.
    fn first(&self, bin: i64) -> u128 {
        let (mut low, mut high) = key_range(self.element);
        while low < high {
            let middle = low.midpoint(high);
            if self.place(number(self.element, middle as u64).as_f64()) < bin {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bins of some numbers, by NumPy 1.24 and here.
    fn check(stored: Stored, (range, count): (Range, u32), numbers: &[f64], numpy: &[i64]) {
        let bins = Bins::new(stored, range, count).unwrap();
        let places: Vec<_> = numbers.iter().map(|x| bins.place(*x)).collect();
        assert_eq!(places, numpy, "{stored} {range:?}");
    }

    #[test]
    fn bins_are_numpys() {
        let (f16, f32) = (Element::F16.into(), Element::F32.into());
        // Many edges between two floats: one step from the product's bin, not the bin that edges alone would give.
        let narrow = (Range::Given([1e6, 1e6 + 1.0]), 1000);
        check(f32, narrow, &[1e6, 1e6 + 0.0625, 1e6 + 0.125, 1e6 + 0.5, 1e6 + 1.0], &[1, 63, 126, 501, 999]);
        let halves = [0.1, 0.2, 0.3, 0.7].map(half);
        check(f16, (Range::Given([0.1, 0.7]), 3000), &halves, &[0, 500, 1000, 2999]);
        // Beside a range of 64-bit numbers, both ends are rounded to the elements' type.
        let singles = [0.1f32, 0.3, 0.5, 0.7, 0.700_000_1, f32::NAN].map(f64::from);
        check(f32, (Range::Given([0.1, 0.7]), 3), &singles, &[0, 1, 2, 2, 3, 3]);
        let wide = Range::Found([Value::Signed(i64::MIN), Value::Signed(i64::MAX)]);
        let far = [i64::MIN as f64, 0.0, i64::MAX as f64];
        check(Element::I64.into(), (wide, 4), &far, &[0, 2, 3]);
        check(Stored::U8, (Range::Found([Value::Unsigned(7); 2]), 2), &[6.0, 7.0], &[-1, 1]);
    }

    #[test]
    fn halves_are_rounded_once() {
        for (x, nearest) in
            [(0.1, 0.099_975_585_937_5), (65519.0, 65504.0), (65520.0, f64::INFINITY), (-0.0, -0.0)]
        {
            assert_eq!(half(x), nearest);
        }
        // Above the middle between 1 and its neighbour by less than 32 bits hold.
        assert_eq!(half(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), 1.0 + 2f64.powi(-10));
        assert_eq!([half(3e-8), half(2.9e-8)], [2f64.powi(-24), 0.0]);
    }
}
