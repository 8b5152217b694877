//! Numbers at the ends of a window and beside them, carries through many digits, and data for which windows come and go.

use halofold::Element;
use halofold::reduce::{Op, Tuning};

use super::arrays::Fields;
use super::bench::{Arrays, Bench, Case, exact, tuned};
use crate::common::{Random, elements, gpu, in_turn};
use crate::cut::Cut;

const ONE: u32 = 127;

/// Returns true if the kernels look at this element, or its partner, to choose a window: 16 elements at each of eight places.
fn is_looked_at(i: usize, len: usize) -> bool {
    let (vector, step) = (i / 4, len / 4 / 9);
    (1..9).contains(&(vector / step)) && vector % step < 4
}

/// The lowest exponent of the window that numbers of this exponent choose, and the one after the highest. Of products it is the sum of two.
fn window(op: Op, top: u32) -> (u32, u32) {
    let (span, last) = if op == Op::Dot { (22, 509) } else { (23, 250) };
    let end = ((top + 4) & !1).min(last);
    (end - span, end)
}

/// An exponent: from the number of an element, a random one from 0 to 7, and those of the lowest place, behind the highest, and of zero.
type Fill = fn(usize, usize, [u32; 3]) -> u32;

/// What lies between the elements that choose the window.
const FILLS: [Fill; 4] = [
    // The largest numbers; the largest and the smallest in turn; these and zeros; these, and now and then a number beside the window.
    |_, _, [_, end, _]| end - 1,
    |_, turn, [lowest, end, _]| [lowest, end - 1, lowest + 1, end - 2][turn & 3],
    |i, turn, ends| if turn < 3 { ends[2] } else { FILLS[1](i, turn, ends) },
    |i, turn, ends| {
        if i.is_multiple_of(97) && turn < 2 { [ends[0] - 1, ends[1]][turn] } else { FILLS[1](i, turn, ends) }
    },
];

/// Numbers whose exponents, with `more` added, fill the window that numbers of `top` choose. Signs are those that `signs` makes of a random one.
fn numbers(op: Op, len: usize, top: u32, more: u32, fill: usize, signs: fn(u32) -> u32) -> Vec<u8> {
    let mut random = Random::new(len as u64 + u64::from(top));
    let (lowest, end) = window(op, top + more);
    let number = |i: usize| {
        let word = random.next();
        let place = FILLS[fill](i, (word >> 1 & 7) as usize, [lowest, end, more]);
        let exponent = if is_looked_at(i, len) { top } else { place - more };
        // All bits of a significand or its first alone; zero has neither.
        let fraction = if exponent > 0 && word & 16 == 16 { 0x7f_ffff } else { 0 };
        (signs(word as u32 & 1) << 31) | (exponent << 23) | fraction
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
        // No sign, all signs, some. Windows end at every second exponent.
        let signs: [fn(u32) -> u32; 3] = [|_| 0, |_| 1, |sign| sign];
        let rows = (0..FILLS.len()).flat_map(|fill| (0..3).map(move |nth| (fill, nth)));
        let rows = rows.flat_map(|row| [(row, ONE), (row, ONE + 1)]);
        let array = |((fill, nth), top): ((usize, usize), u32)| {
            let what = format!("fill {fill}, signs {nth}, {top}");
            (numbers(op, 20_011, top, more, fill, signs[nth]), what)
        };
        check(op, ONE, rows.map(array));
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

/// A number, half of its last place, and the smallest number, which decides how the sum is rounded. At every exponent carries end in another digit.
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
        let bytes = elements(element, arrays.iter().copied());
        for op in [Op::Sum, Op::Mean] {
            let (case, cut) = ((op, element), Cut::segments(3, arrays.len() / 3));
            let arrays = Arrays { case, inputs: vec![bytes.clone()] };
            Bench::new(gpu(), case, exact()).check(&cut, &arrays, "carries");
        }
    }
}

/// Scales that no window holds two of, as exponents in parts of all that a type has.
const SCALES: [u64; 5] = [80, 50, 24, 8, 66];

/// The scales of each part of an array, mixed. The first window is chosen by the largest numbers.
const PARTS: [&[usize]; 10] =
    [&[3], &[0], &[0, 1], &[1], &[0, 2], &[1, 2], &[0, 1, 2, 3, 4], &[3], &[0, 3], &[0]];

/// An array of such parts, their negatives in another order, so that large numbers cancel, and a few elements of the first part's scale.
fn array(element: Element, part: usize, zeros: bool, seed: u64) -> Vec<u8> {
    let fields = Fields::of(element);
    let mut random = Random::new(seed);
    let mut number = |scales: &[usize]| {
        let (word, other) = (random.next(), random.next());
        let scale = SCALES[scales[other as usize % scales.len()]];
        let exponent = (scale << fields.exponent) / 100 + (other >> 8) % 6;
        let is_zero = zeros && (other >> 16).is_multiple_of(3);
        if is_zero { 0 } else { fields.bits(false, exponent, word >> 1) }
    };
    let half: Vec<_> = (0..PARTS.len() * part).map(|i| number(PARTS[i / part])).collect();
    let minus = fields.bits(true, 0, 0);
    let negatives = half.iter().rev().map(|bits| bits | minus);
    let rest: Vec<_> = (0..7).map(|_| number(PARTS[0])).collect();
    elements(element, half.iter().copied().chain(negatives).chain(rest))
}

/// Numbers for which a window moves and comes back, all so near to it that none needs limbs of its own, in batches of this many.
fn there_and_back(batch: usize) -> Vec<u8> {
    let mut random = Random::new(5);
    let parts: [(usize, [u32; 2]); 3] = [(5, [127, 127]), (3, [105, 122]), (16, [127, 127])];
    let exponents = parts.into_iter().flat_map(|(count, two)| (0..count * batch).map(move |i| two[i % 2]));
    exponents.flat_map(|exponent| ((exponent << 23) | (random.next() >> 41) as u32).to_le_bytes()).collect()
}

/// A reducer of one workgroup of this size, if the adapter has such: so few invocations that each takes many batches.
fn of_size(case: Case, size: u32, subgroups: bool) -> Option<Bench<'static>> {
    let alone = |tuning: Tuning| Tuning { max_workgroups: 1, ..tuning.with_workgroup_size(size) };
    let how = tuned(case, subgroups, alone);
    how.map(|how| Bench::new(gpu(), case, how))
}

#[test]
fn a_window_moves_and_comes_back_on_every_adapter() {
    let case = (Op::Sum, Element::F32);
    let mut sizes = 0;
    for size in [32, 64, 128, 256, 1024] {
        let Some(bench) = of_size(case, size, true) else { continue };
        sizes += 1;
        bench.check_whole(vec![there_and_back(16 * size as usize)], format_args!("workgroups of {size}"));
    }
    assert!(sizes >= 3, "only {sizes} sizes");
    // Segments are summed by workgroups of a size of their own.
    let bench = Bench::new(gpu(), case, exact());
    for size in [64, 128, 256] {
        let bytes = there_and_back(16 * size);
        let arrays = Arrays { case, inputs: vec![bytes.repeat(2)] };
        bench.check(&Cut::segments(bytes.len() / 4, 2), &arrays, "segments");
    }
}

#[test]
fn scales_change_on_the_way() {
    let workgroups = [(32, true), (256, true), (512, true), (1024, true), (64, false), (512, false)];
    let most = gpu().device.limits().max_compute_invocations_per_workgroup;
    let cases = [(Op::Sum, Element::F32), (Op::Mean, Element::F32), (Op::Sum, Element::F64)];
    for case in in_turn(cases, 2, 0) {
        // Only workgroups of up to 512 add whole batches to bins; not every adapter has the larger ones.
        let (mut sizes, mut largest) = (0, 0);
        for (size, subgroups) in workgroups {
            let Some(bench) = of_size(case, size, subgroups) else { continue };
            (sizes, largest) = (sizes + 1, largest.max(size));
            for zeros in [false, true] {
                let bytes = array(case.1, 4 * 16 * size as usize, zeros, sizes);
                bench.check_whole(vec![bytes], format_args!("zeros {zeros}, workgroups of {size}"));
            }
        }
        assert!(sizes >= 2, "{case:?} ran in {sizes} sizes");
        assert!(largest >= most.min(512), "{case:?}: {largest}");
    }
}
