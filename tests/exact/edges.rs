//! Numbers at the ends of a window: the largest sums of a batch, the places of the lowest exponent, and what lies beside them.

use halofold::Element;
use halofold::reduce::{Op, Shape};

use crate::common::{Random, alone, gpu};
use crate::gpu::Bench;

const ONE: u32 = 127;

/// Where the kernels look to choose a window: every so many elements.
fn step(len: usize) -> usize {
    len / 32 + 1
}

/// The exponents of the window that is chosen by numbers of this exponent: the lowest one, and the one after the highest.
fn window(top: u32) -> (u32, u32) {
    let end = (top + 8) & !3;
    (end - 28, end)
}

/// What is put between the elements that choose the window.
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

/// Which numbers are negative.
#[derive(Clone, Copy, Debug)]
enum Signs {
    None,
    All,
    Some,
}

/// Numbers whose exponents, with `more` added, fill the window that numbers of `top` choose.
fn numbers(len: usize, top: u32, more: u32, fill: Fill, signs: Signs) -> Vec<u8> {
    let mut random = Random::new(len as u64 + u64::from(top));
    let (lowest, end) = window(top + more);
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
        let exponent = if i.is_multiple_of(step(len)) { top } else { place - more };
        // All bits of a significand or its first alone; zero has neither.
        let fraction = if exponent > 0 && word & 16 == 16 { 0x7f_ffff } else { 0 };
        (u32::from(is_negative) << 31) | (exponent << 23) | fraction
    };
    (0..len).map(number).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn numbers_at_the_ends_of_a_window() {
    let _alone = alone();
    for op in [Op::Sum, Op::Mean, Op::Dot] {
        let bench = Bench::new(gpu(), (op, Element::F32));
        for fill in [Fill::Largest, Fill::Ends, Fill::EndsAndZeros, Fill::Beside] {
            for signs in [Signs::None, Signs::All, Signs::Some] {
                // Windows begin at every fourth exponent.
                for top in ONE..ONE + 4 {
                    let len = 20_011;
                    let more = if op == Op::Dot { ONE } else { 0 };
                    let first = numbers(len, top, more, fill, signs);
                    let second = (op == Op::Dot).then(|| {
                        // Of one exponent, with all bits of a significand.
                        (0..len).flat_map(|_| ((ONE << 23) | 0x7f_ffff).to_le_bytes()).collect::<Vec<u8>>()
                    });
                    let what = format!("{fill:?}, {signs:?} negative, {top}");
                    bench.check(Shape::Whole, &first, second.as_deref(), 0, len, &what);
                }
            }
        }
    }
}
