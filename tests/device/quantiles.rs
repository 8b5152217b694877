//! Quantiles of long rows against a sort, on the adapter at hand.

use halofold::rank::{Method, Quantiles};
use halofold::{Element, Value};

use crate::common::{Random, gpu, in_turn};
use crate::inputs::Input;
use crate::rank_rows::{Rows, check_quantiles, check_ranks, check_top};

/// The places that `shaders/rank/sample.wgsl` samples, of rows of so many elements, for one rank.
fn sampled(len: usize) -> Vec<usize> {
    let size = 1 << (9 + len.ilog2() / 4);
    let part = len / size;
    let hash = |number: u32| {
        let x = number.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
        let x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
        let x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
        x ^ (x >> 16)
    };
    // Parts are shorter than 2^16 elements.
    let place = |at: usize| at * part + (((hash(at as u32) >> 16) as usize * part) >> 16).min(part - 1);
    (0..size).map(place).collect()
}

/// A float, from its place and random numbers from 0 to 1. Each is a distribution that a sample has to cope with.
type Spread = fn(usize, &mut dyn FnMut() -> f32) -> f32;

const SPREADS: [Spread; 10] = [
    |_, unit| unit(),
    |_, unit| (0..12).map(|_| unit()).sum::<f32>() - 6.0,
    |_, unit| f32::from_bits(((unit() * 65536.0) as u32) << 16 | (unit() * 65536.0) as u32),
    |at, _| at as f32,
    |at, _| -(at as f32),
    |_, _| 3.5,
    |_, unit| if unit() < 0.5 { -1.0 } else { 1e30 },
    |_, unit| (unit() * 5.0).floor(),
    |at, _| (at % 256) as f32 * 0.25,
    |_, unit| if unit() < 0.6 { -0.0 } else { unit() - 0.5 },
];

/// Numbers of distributions: in the last one the elements that are sampled are all the same, and unlike the others.
const TRAP: usize = SPREADS.len();
const ALL: std::ops::RangeInclusive<usize> = 0..=TRAP;

/// Rows of so many elements each.
fn rows(spread: usize, row: usize, rows: usize) -> Rows {
    let len = row * rows;
    let mut random = Random::new(len as u64);
    let mut unit = || (random.next() >> 40) as f32 / (1 << 24) as f32;
    let mut floats: Vec<f32> = (0..len).map(|at| SPREADS[spread % TRAP](at, &mut unit)).collect();
    if spread == TRAP {
        sampled(len).into_iter().for_each(|at| floats[at] = 1e9);
    }
    Rows::of_floats(&floats, row)
}

#[test]
fn ranks_of_every_distribution() {
    for spread in in_turn(ALL, 2, 0) {
        for len in in_turn([40_000, 100_003], 2, spread / 2) {
            let (rows, last) = (rows(spread, len, 1), len as u64 - 1);
            for ranks in [&[0][..], &[last / 2], &[last / 2, last, 0, last / 3, last / 3 + 1]] {
                gpu().clean(|| check_ranks(&rows, ranks));
            }
        }
        check_ranks(&rows(spread, 33_333, 5), &[7, 16_666]);
    }
}

#[test]
fn quantiles_between_elements() {
    for spread in in_turn(ALL, 2, 1) {
        check_quantiles(&rows(spread, 99_997, 1), Method::Linear, &[0.5, 0.05, 0.95, 0.25, 1.0, 0.0]);
    }
}

/// Medians of two elements, of which many are subnormal, or differ by a subnormal number, which a GPU may take for zero.
#[test]
fn medians_near_zero() {
    let gpu = gpu();
    let sizes =
        [0, 1, 2, 3, 0x7f_ffff, 0x80_0000, 0x80_0001, 0x100_0003, 0x130_0000, 0x2180_0000, 0x217f_ffff];
    let numbers = sizes.iter().flat_map(|bits| [f32::from_bits(*bits), -f32::from_bits(*bits)]);
    let pairs: Vec<_> = numbers.clone().flat_map(|a| numbers.clone().map(move |b| [a, b])).collect();
    let input = Input::new(gpu, &pairs);
    let medians = Quantiles::new(Element::F32, [0.5]).unwrap().rows(2).on(&gpu.device).unwrap();
    for ([a, b], got) in pairs.iter().zip(medians.of(&input).wait(&gpu.queue).unwrap()) {
        let want = (f64::from(*a) + f64::from(*b)) / 2.0;
        // The distance is rounded, and the result, which may be subnormal.
        let most =
            f64::from(a.abs().max(b.abs())).mul_add(f64::from(f32::EPSILON), f64::from(f32::from_bits(1)));
        assert!((got.as_f64() - want).abs() <= most, "{a:e} and {b:e}: {got} instead of {want:e}");
    }
}

#[test]
fn the_first_of_every_distribution() {
    for spread in ALL {
        let whole = rows(spread, 100_003, 1);
        let cases = [(1, false), (300, true), (4096, spread % 2 == 0), (70_000, spread % 3 == 0)];
        for (k, is_smallest) in in_turn(cases, 4, spread) {
            gpu().clean(|| check_top(&whole, k, is_smallest));
        }
        gpu().clean(|| check_top(&rows(spread, 40_001, 4), 70, spread % 2 == 1));
    }
}

#[test]
fn the_first_may_be_all_and_more() {
    for spread in in_turn(ALL, 3, 1) {
        let k = [9_999, 10_000, 10_001, 5000][spread % 4];
        gpu().clean(|| check_top(&rows(spread, 10_000, 3), k, spread % 2 == 0));
        gpu().clean(|| check_top(&rows(spread, 3000, 5), k, spread % 2 == 1));
    }
}

#[test]
fn ranks_past_the_end_have_no_element() {
    let zeros = Input::new(gpu(), &[0; 50_000]);
    let nth = |element, ranks: &[u64]| {
        let nth = Quantiles::nth(element, ranks.iter().copied()).on(&gpu().device).unwrap();
        nth.of(&zeros).wait(&gpu().queue).unwrap()
    };
    assert_eq!(nth(Element::I32, &[49_999, 50_000, u64::MAX]), [Value::Signed(0); 3]);
    assert!(nth(Element::F32, &[50_000])[0].as_f64().is_nan());
}
