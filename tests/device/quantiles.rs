//! Quantiles of long rows against a sort, on the adapter at hand.

use crate::common::{Gpu, Random, buffer, gpu, in_turn};
use halofold::rank::{Quantiles, TopK};
use halofold::{Element, Slice, Value, wgpu};

/// Distributions that a sample has to cope with.
#[derive(Clone, Copy, Debug)]
enum Spread {
    Uniform,
    Normal,
    Bits,
    Sorted,
    Reversed,
    Equal,
    Two,
    Few,
    Periodic,
    Zeros,
    /// The elements that are sampled are all the same, and unlike the others.
    Trap,
}

const SPREADS: [Spread; 11] = [
    Spread::Uniform,
    Spread::Normal,
    Spread::Bits,
    Spread::Sorted,
    Spread::Reversed,
    Spread::Equal,
    Spread::Two,
    Spread::Few,
    Spread::Periodic,
    Spread::Zeros,
    Spread::Trap,
];

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

impl Spread {
    fn floats(self, len: usize) -> Vec<f32> {
        let mut random = Random::new(len as u64);
        let mut unit = move || (random.next() >> 40) as f32 / (1 << 24) as f32;
        let number = |at: usize| match self {
            Spread::Uniform | Spread::Trap => unit(),
            Spread::Normal => (0..12).map(|_| unit()).sum::<f32>() - 6.0,
            Spread::Bits => f32::from_bits(((unit() * 65536.0) as u32) << 16 | (unit() * 65536.0) as u32),
            Spread::Sorted => at as f32,
            Spread::Reversed => -(at as f32),
            Spread::Equal => 3.5,
            Spread::Two => {
                if unit() < 0.5 {
                    -1.0
                } else {
                    1e30
                }
            }
            Spread::Few => (unit() * 5.0).floor(),
            Spread::Periodic => (at % 256) as f32 * 0.25,
            Spread::Zeros => {
                if unit() < 0.6 {
                    -0.0
                } else {
                    unit() - 0.5
                }
            }
        };
        let mut floats: Vec<f32> = (0..len).map(number).collect();
        if let Spread::Trap = self {
            sampled(len).into_iter().for_each(|at| floats[at] = 1e9);
        }
        floats
    }
}

/// Sorts as NumPy does.
fn sorted(floats: &[f32]) -> Vec<f32> {
    let mut sorted: Vec<f32> = floats.iter().map(|x| if x.is_nan() { f32::NAN } else { x + 0.0 }).collect();
    sorted.sort_by(f32::total_cmp);
    sorted
}

fn ranks_of(gpu: &Gpu, floats: &[f32], ranks: &[u64], row: Option<u64>) {
    let input = buffer(gpu, bytemuck::cast_slice(floats), wgpu::BufferUsages::STORAGE);
    let nth = Quantiles::nth(Element::F32, ranks.iter().copied());
    let nth = row.map_or(nth.clone(), |row| nth.rows(row)).on(&gpu.device).unwrap();
    let got = nth.of(Slice::new(&input, 0, 4 * floats.len() as u64)).wait(&gpu.queue).unwrap();
    let rows = floats.chunks(row.map_or(floats.len(), |row| row as usize)).map(sorted);
    let want: Vec<_> = rows
        .flat_map(|row| ranks.iter().map(move |rank| Value::F32(row[*rank as usize])).collect::<Vec<_>>())
        .collect();
    for (nth, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!(got.same(*want), "{nth}: {got} instead of {want}");
    }
}

#[test]
fn ranks_of_every_distribution() {
    let gpu = gpu();
    for (nth, spread) in in_turn(SPREADS.into_iter().enumerate(), 2, 0) {
        for len in in_turn([40_000, 100_003], 2, nth / 2) {
            let floats = spread.floats(len);
            let last = len as u64 - 1;
            gpu.clean(|| ranks_of(gpu, &floats, &[0], None));
            gpu.clean(|| ranks_of(gpu, &floats, &[last / 2], None));
            gpu.clean(|| ranks_of(gpu, &floats, &[last / 2, last, 0, last / 3, last / 3 + 1], None));
        }
        let floats = spread.floats(5 * 33_333);
        ranks_of(gpu, &floats, &[7, 16_666], Some(33_333));
    }
}

#[test]
fn quantiles_between_elements() {
    let gpu = gpu();
    for spread in in_turn(SPREADS, 2, 1) {
        let floats = spread.floats(99_998);
        let input = buffer(gpu, bytemuck::cast_slice(&floats), wgpu::BufferUsages::STORAGE);
        let asked = [0.5, 0.05, 0.95, 0.25, 1.0, 0.0];
        let quantiles = Quantiles::new(Element::F32, asked).unwrap().on(&gpu.device).unwrap();
        let got = quantiles.of(Slice::new(&input, 4, 4 * floats.len() as u64 - 4)).wait(&gpu.queue).unwrap();
        let sorted = sorted(&floats[1..]);
        for (q, got) in asked.iter().zip(got) {
            let at = q * (sorted.len() - 1) as f64;
            let [a, b] = [at.floor(), at.ceil()].map(|at| f64::from(sorted[at as usize]));
            let want = if a == b || a.is_nan() { a } else { a + (b - a) * at.fract() };
            let want = if sorted[sorted.len() - 1].is_nan() { f64::NAN } else { want };
            let is_near = (got.as_f64() - want).abs() <= 1e-6 * a.abs().max(b.abs());
            assert!(
                is_near || (want.is_nan() && got.as_f64().is_nan()),
                "{spread:?} {q}: {got} instead of {want}"
            );
        }
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
    let input = buffer(gpu, bytemuck::cast_slice(&pairs), wgpu::BufferUsages::STORAGE);
    let medians = Quantiles::new(Element::F32, [0.5]).unwrap().rows(2).on(&gpu.device).unwrap();
    for ([a, b], got) in pairs.iter().zip(medians.of(&input).wait(&gpu.queue).unwrap()) {
        let want = (f64::from(*a) + f64::from(*b)) / 2.0;
        // The distance is rounded, and the result, which may be subnormal.
        let most =
            f64::from(a.abs().max(b.abs())).mul_add(f64::from(f32::EPSILON), f64::from(f32::from_bits(1)));
        assert!((got.as_f64() - want).abs() <= most, "{a:e} and {b:e}: {got} instead of {want:e}");
    }
}

/// Compares the k first elements of each row with a sort.
fn top(gpu: &Gpu, floats: &[f32], k: u32, is_smallest: bool, row: usize) {
    let input = buffer(gpu, bytemuck::cast_slice(floats), wgpu::BufferUsages::STORAGE);
    let top = TopK::new(Element::F32, k).unwrap().rows(row as u64);
    let top = if is_smallest { top.smallest() } else { top }.on(&gpu.device).unwrap();
    let got = top.of(Slice::new(&input, 0, 4 * floats.len() as u64)).wait(&gpu.queue).unwrap();
    let want = floats.chunks(row).flat_map(|row| {
        let number = |x: f32| if x.is_nan() { f32::NAN } else { x + 0.0 };
        let mut all: Vec<_> = row.iter().zip(0u32..).map(|(x, index)| (number(*x), index)).collect();
        all.sort_by(|a, b| {
            let order = a.0.total_cmp(&b.0);
            if is_smallest { order } else { order.reverse() }.then(a.1.cmp(&b.1))
        });
        all.truncate(k as usize);
        all
    });
    for (nth, (got, want)) in got.iter().zip(want).enumerate() {
        assert!(got.0.same(Value::F32(want.0)) && got.1 == want.1, "{nth}: {got:?} instead of {want:?}");
    }
    assert_eq!(got.len(), floats.len() / row * row.min(k as usize));
}

#[test]
fn the_first_of_every_distribution() {
    let gpu = gpu();
    for (nth, spread) in SPREADS.into_iter().enumerate() {
        let floats = spread.floats(100_003);
        let cases = [(1, false), (300, true), (4096, nth % 2 == 0), (70_000, nth % 3 == 0)];
        for (k, is_smallest) in in_turn(cases, 4, nth) {
            gpu.clean(|| top(gpu, &floats, k, is_smallest, floats.len()));
        }
        let rows = spread.floats(4 * 40_001);
        gpu.clean(|| top(gpu, &rows, 70, nth % 2 == 1, 40_001));
    }
}

#[test]
fn the_first_may_be_all_and_more() {
    let gpu = gpu();
    for (nth, spread) in in_turn(SPREADS.into_iter().enumerate(), 3, 1) {
        let k = [9_999, 10_000, 10_001, 5000][nth % 4];
        let rows = spread.floats(3 * 10_000);
        gpu.clean(|| top(gpu, &rows, k, nth % 2 == 0, 10_000));
        let short = spread.floats(5 * 3000);
        gpu.clean(|| top(gpu, &short, k, nth % 2 == 1, 3000));
    }
}

#[test]
fn too_many_winners_are_an_error_with_a_remedy() {
    let gpu = gpu();
    let input = buffer(gpu, &[0; 1 << 20], wgpu::BufferUsages::STORAGE);
    let error = TopK::new(Element::F32, 0).unwrap_err().to_string();
    assert_eq!(error, "k of 0: it can be at least 1");
    let largest = TopK::new(Element::F32, u32::MAX).unwrap().on(&gpu.device).unwrap();
    let error = largest.of(&input).wait(&gpu.queue).unwrap_err().to_string();
    assert!(error.contains("max_") && error.contains("output"), "{error}");
}

#[test]
fn ranks_past_the_end_and_numbers_of_them() {
    let gpu = gpu();
    let input = buffer(gpu, &[0; 4 * 50_000], wgpu::BufferUsages::STORAGE);
    let ranks = Quantiles::nth(Element::I32, [49_999, 50_000, u64::MAX]).on(&gpu.device).unwrap();
    let got = ranks.of(Slice::new(&input, 0, 4 * 50_000)).wait(&gpu.queue).unwrap();
    assert_eq!(got, [Value::Signed(0); 3]);
    let floats = Quantiles::nth(Element::F32, [50_000]).on(&gpu.device).unwrap();
    let got = floats.of(Slice::new(&input, 0, 4 * 50_000)).wait(&gpu.queue).unwrap();
    assert!(got[0].as_f64().is_nan());
    for number in [0, 65] {
        let error = Quantiles::new(Element::F32, vec![0.5; number]).unwrap().on(&gpu.device).unwrap_err();
        assert_eq!(error.to_string(), format!("quantiles at once of {number}: it can be 1 to 64"));
    }
}
