//! Numbers at the ends of a window: the largest sums of a batch, the places of the lowest exponent, and what lies beside them. And
//! sums whose carries pass through many digits.

use halofold::Element;
use halofold::reduce::Op;

use super::arrays::Fields;
use super::bench::{Arrays, Bench, exact};
use crate::common::{Random, gpu, in_turn};
use crate::cut::Cut;

const ONE: u32 = 127;

/// Returns true if the kernels look at this element to choose a window: 16 elements at each of eight places, or those that are
/// multiplied with them.
fn is_looked_at(i: usize, len: usize) -> bool {
    let (vector, step) = (i / 4, len / 4 / 9);
    (1..9).contains(&(vector / step)) && vector % step < 4
}

/// The exponents of the window that is chosen by numbers of this exponent, or by products with this sum of exponents: the lowest
/// one, and the one after the highest.
fn window(op: Op, top: u32) -> (u32, u32) {
    let (span, last) = if op == Op::Dot { (22, 509) } else { (23, 250) };
    let end = ((top + 4) & !1).min(last);
    (end - span, end)
}

/// The elements between those that choose the window.
#[derive(Clone, Copy, Debug)]
enum Fill {
    /// The largest numbers of the window.
    Largest,
    /// The largest and the smallest in turn.
    Ends,
    /// Ends, and zeros.
    EndsAndZeros,
    /// Ends, and now and then a number that lies beside the window.
    Beside,
}

/// The signs of the numbers.
#[derive(Clone, Copy, Debug)]
enum Signs {
    None,
    All,
    Some,
}

/// Numbers whose exponents, with `more` added, fill the window that numbers of `top` choose.
fn numbers(op: Op, len: usize, top: u32, more: u32, fill: Fill, signs: Signs) -> Vec<u8> {
    let mut random = Random::new(len as u64 + u64::from(top));
    let (lowest, end) = window(op, top + more);
    let number = |i: usize| {
        let word = random.next();
        let is_negative = match signs {
            Signs::None => false,
            Signs::All => true,
            Signs::Some => word & 1 == 1,
        };
        let place = match (fill, word >> 1 & 7) {
            (Fill::Largest, _) => end - 1,
            (Fill::EndsAndZeros, 0..3) => more,
            (Fill::Beside, 0) if i.is_multiple_of(97) => lowest - 1,
            (Fill::Beside, 1) if i.is_multiple_of(97) => end,
            (_, turn) => [lowest, end - 1, lowest + 1, end - 2][turn as usize & 3],
        };
        let exponent = if is_looked_at(i, len) { top } else { place - more };
        // All bits of a significand or its first alone; zero has neither.
        let fraction = if exponent > 0 && word & 16 == 16 { 0x7f_ffff } else { 0 };
        (u32::from(is_negative) << 31) | (exponent << 23) | fraction
    };
    (0..len).map(number).flat_map(u32::to_le_bytes).collect()
}

/// Checks whole arrays. The second inputs of dot products have one exponent, with all bits of a significand.
fn check(op: Op, others: u32, arrays: impl IntoIterator<Item = (Vec<u8>, String)>) {
    let bench = Bench::new(gpu(), (op, Element::F32), exact());
    for (first, what) in arrays {
        let second = ((others << 23) | 0x7f_ffff).to_le_bytes().repeat(first.len() / 4);
        let inputs = if op == Op::Dot { vec![first, second] } else { vec![first] };
        bench.check_whole(inputs, what);
    }
}

#[test]
fn numbers_at_the_ends_of_a_window() {
    for op in [Op::Sum, Op::Mean, Op::Dot] {
        let more = if op == Op::Dot { ONE } else { 0 };
        let mut arrays = Vec::new();
        for fill in [Fill::Largest, Fill::Ends, Fill::EndsAndZeros, Fill::Beside] {
            for signs in [Signs::None, Signs::All, Signs::Some] {
                // Windows end at every second exponent.
                for top in ONE..ONE + 2 {
                    let what = format!("{fill:?}, {signs:?} negative, {top}");
                    arrays.push((numbers(op, 20_011, top, more, fill, signs), what));
                }
            }
        }
        check(op, ONE, arrays);
    }
}

/// Largest numbers that cancel, so that the sum is finite, and what is left of it: numbers of the lowest exponent of their window.
#[test]
fn numbers_in_the_last_windows() {
    const LEN: usize = 16 * 1024;
    for (op, others) in [(Op::Sum, ONE), (Op::Mean, ONE), (Op::Dot, ONE), (Op::Dot, 250)] {
        let more = if op == Op::Dot { others } else { 0 };
        let array = |top: u32| {
            let lowest = window(op, top + more).0 - more;
            let number = |i: usize| match (i % (LEN / 2)) as u32 {
                // As many of each sign, far from one another.
                place if place % 5 != 4 => {
                    (u32::from(i >= LEN / 2) << 31) | (top << 23) | ((place * 0x9d2f) & 0x7f_ffff)
                }
                place => (lowest << 23) | ((place * 0x61) & 0x7f_ffff),
            };
            ((0..LEN).map(number).flat_map(u32::to_le_bytes).collect(), format!("up to {top} and {others}"))
        };
        check(op, others, (244..=254).map(array));
    }
}

/// A number, half of the last place of its sum, and the smallest number: all digits below the sum's are ones if the signs differ,
/// and the smallest number decides how the sum is rounded. At every exponent, so that carries end in every digit.
#[test]
fn carries_through_all_digits() {
    for element in [Element::F16, Element::F32, Element::F64] {
        let fields = Fields::of(element);
        // The bits of a significand.
        let places = u64::from(fields.fraction) + 1;
        let mut arrays = Vec::new();
        // On a software adapter, which takes a workgroup an array, at every third of 64-bit floats.
        let step = if element == Element::F64 { 3 } else { 1 };
        for exponent in in_turn(places + 1..(1 << fields.exponent) - 1, step, 0) {
            for signs in 0..8 {
                let is_negative = |which: u32| signs >> which & 1 == 1;
                arrays.extend([
                    fields.bits(is_negative(0), exponent, 1),
                    fields.bits(is_negative(1), exponent - places, 0),
                    fields.bits(is_negative(2), 0, 1),
                ]);
            }
        }
        let bytes = fields.bytes(&arrays);
        for op in [Op::Sum, Op::Mean] {
            let (case, cut) = ((op, element), Cut::segments(3, arrays.len() / 3));
            let arrays = Arrays { case, inputs: vec![bytes.clone()] };
            Bench::new(gpu(), case, exact()).check(&cut, &arrays, "carries");
        }
    }
}
