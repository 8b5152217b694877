//! Order statistics of whole arrays and of rows: medians, quantiles, the k largest elements with their indices; prefixes and selections;
//! and a sum of as many bytes, with which their times are compared. No element of an array is a NaN or -0.

use std::f64::consts::TAU;

use halofold::Cut;
use halofold::Element::{self, F32, U32};
use halofold::rank::{self, Quantiles, TopK};
use halofold::reduce::{Monoid, Op, Reduce};
use halofold::scan::Scan;
use halofold::select::{self, Select};
use halofold::wgpu;

use super::{Expected, Input, Made, PERIOD, Runnable, Timed, WORD, compile, generate, recorded};

/// The number of elements, and the length of a row if not all.
type Rows = (u64, Option<u64>);

/// Steps of normal elements from 0 to 1.
const STEPS: f64 = (1 << 20) as f64;

/// Prefixes and selections.
const PLACED: &[&str] =
    &["prefix-sums", "exact-prefix-sums", "select-1-percent", "select-half", "select-99-percent"];

/// Arrays of one shape, of up to `n` elements, and what is asked of them: kinds of elements, and operations.
fn sets(n: u64) -> [(Rows, &'static [&'static str], &'static [&'static str]); 12] {
    const RANDOM: &[&str] = &["uniform", "normal", "bits"];
    const HARD: &[&str] = &["sorted", "two-values", "all-equal", "periodic"];
    let (uniform, two, long) = (&RANDOM[..1], &RANDOM[..2], n.min(1 << 24) / 2);
    let (middle, short) = (n >> 4, n >> 8);
    [
        ((n, None), RANDOM, &["sum", "top-8", "top-256", "top-4096", "median", "quantiles-5"]),
        ((n, None), HARD, &["top-256", "median", "quantiles-5"]),
        ((n, None), uniform, PLACED),
        ((n, None), &["small"], &PLACED[..1]),
        ((middle, None), uniform, PLACED),
        ((middle, None), &["small"], &PLACED[..1]),
        ((short, None), uniform, &["sum"]),
        ((short, None), uniform, PLACED),
        ((short, None), &["small"], &PLACED[..1]),
        ((n, Some(1024)), two, &["median", "top-32"]),
        ((n, Some(2048)), uniform, &["medians-of-segments"]),
        ((long, Some(long / 64)), two, &["sum", "top-256"]),
    ]
}

/// Rows of up to `room` elements.
pub fn rows(room: u64) -> Vec<Timed> {
    let mut rows = Vec::new();
    for ((n, row), kinds, operations) in sets(room) {
        for kind in kinds {
            // Whole arrays have no period; those of rows repeat.
            let period = if row.is_some() { n.min(PERIOD) } else { n };
            let input = Input::new(WORD * room, move || elements(kind, period));
            rows.extend(operations.iter().map(|&op| {
                let element =
                    if matches!((op, *kind), ("sum", _) | ("prefix-sums", "uniform")) { U32 } else { F32 };
                let name = match row {
                    Some(row) if !matches!(op, "sum" | "medians-of-segments") => format!("{op}-rows-{row}"),
                    _ => op.to_owned(),
                };
                let make = move |device: &_, _: &_, _| compiled(device, op, element, (n, row));
                Timed::new([&name, kind, element.name()], n, WORD * n, &[&input], make)
            }));
        }
    }
    rows
}

/// The operation of a name.
fn compiled(device: &wgpu::Device, op: &str, element: Element, rows: Rows) -> Made<Runnable> {
    match op {
        "sum" => sum(device),
        "median" => quantiles(device, rows, 0, &[0.5]),
        // A multiple of an eighth lies so between two elements of an array that only its result is rounded.
        "quantiles-5" => quantiles(device, rows, 0, &[0.125, 0.25, 0.5, 0.75, 0.875]),
        "medians-of-segments" => quantiles(device, rows, 512, &[0.5]),
        "prefix-sums" => prefixes(device, rows.0, Op::Sum.over(element)?),
        "exact-prefix-sums" => prefixes(device, rows.0, Op::Sum.over(element)?.exact().ok_or("inexact")?),
        "select-1-percent" => kept(device, rows.0, 0.01),
        "select-half" => kept(device, rows.0, 0.5),
        "select-99-percent" => kept(device, rows.0, 0.99),
        _ => top(device, rows, op.trim_start_matches("top-").parse()?),
    }
}

/// The elements of one kind.
fn elements(kind: &str, n: u64) -> Vec<u8> {
    let unit = |bits: u64| bits as f64 / (1u64 << 32) as f64;
    generate(n, |at, word| match kind {
        "uniform" => (word >> 40) as f32 / (1 << 24) as f32,
        "normal" => {
            let radius = (-2.0 * unit((word >> 32) + 1).ln()).sqrt();
            let normal = radius * (TAU * unit(word & 0xffff_ffff)).cos();
            // The difference of any two is exact.
            ((normal * STEPS).round() / STEPS) as f32 + 0.0
        }
        // Sums are exact.
        "small" => ((word >> 32) % 9) as f32 - 4.0,
        // Exponents from -63 to 64: GPUs may lose differences that are subnormal.
        "bits" => f32::from_bits(word as u32 & 0x807f_ffff | (64 + (word >> 32) as u32 % 128) << 23),
        "sorted" => f32::from_bits(0x3000_0000 + at as u32),
        "two-values" => [-1.0, 1e30][(word & 1) as usize],
        "all-equal" => 3.5,
        _ => (at % 256) as f32 * 0.25,
    })
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// Sums of words.
pub fn sum(device: &wgpu::Device) -> Made<Runnable> {
    let sum = compile(device, Reduce::new(Op::Sum.over(U32)?))?;
    Runnable::new(
        &[WORD],
        move |inputs, outputs| recorded(sum.of(inputs[0]).bind(&outputs[0])),
        |inputs, times| {
            let words = inputs[0].chunks_exact(WORD as usize).map(bytemuck::pod_read_unaligned::<u32>);
            vec![Expected::words([words.fold(0, u32::wrapping_add).wrapping_mul(times as u32)], 1)]
        },
    )
}

/// Quantiles by linear interpolation, of everything, of rows, or of rows that are cut in two segments.
fn quantiles(device: &wgpu::Device, (n, row): Rows, cut: u64, at: &'static [f64]) -> Made<Runnable> {
    let len = row.unwrap_or(n);
    let quantiles = compile(device, Quantiles::new(F32, at.iter().copied()))?;
    let all = match row {
        Some(_) if cut > 0 => {
            let offsets = (0..n / len).flat_map(|row| [row * len, row * len + cut]);
            Cut::Segments(offsets.chain([n]).map(|at| at as u32).collect())
        }
        row => in_rows(row),
    };
    let segments = n / len * if cut > 0 { 2 } else { 1 };
    Runnable::new(
        &[WORD * at.len() as u64 * segments],
        move |inputs, outputs| recorded(quantiles.of(inputs[0]).cut(all.clone()).bind(&outputs[0])),
        move |inputs, times| {
            let mut elements = floats(inputs[0]);
            let rows = elements.chunks_mut(len as usize).map(|row| row.split_at_mut(cut as usize));
            let segments = rows.flat_map(|(a, b)| [a, b]).filter(|segment| !segment.is_empty());
            let results = segments.flat_map(|segment| at.iter().map(|q| quantile(segment, *q)));
            vec![Expected::words(results, times)]
        },
    )
}

/// Rows of a length, or all elements.
fn in_rows(row: Option<u64>) -> Cut {
    row.map_or(Cut::All, Cut::Rows)
}

/// The largest elements.
fn top(device: &wgpu::Device, (n, row): Rows, k: u32) -> Made<Runnable> {
    let (top, cut) = (compile(device, TopK::new(F32, k))?, in_rows(row));
    let row = row.unwrap_or(n);
    Runnable::new(
        &[WORD * u64::from(k) * (n / row); 2],
        move |inputs, outputs| {
            let to = rank::Outputs { values: &outputs[0], indices: &outputs[1] };
            recorded(top.of(inputs[0]).cut(cut.clone()).bind(to))
        },
        move |inputs, times| {
            let elements = floats(inputs[0]);
            let winners = elements.chunks(row as usize).flat_map(|row| winners(row, k as usize));
            let (values, indices): (Vec<f32>, Vec<u32>) = winners.unzip();
            vec![Expected::words(values, times), Expected::words(indices, times)]
        },
    )
}

/// The sums of all elements up to each.
fn prefixes(device: &wgpu::Device, n: u64, sums: Monoid) -> Made<Runnable> {
    let element = sums.element();
    let sums = compile(device, Scan::new(sums))?;
    Runnable::new(
        &[WORD * n],
        move |inputs, outputs| recorded(sums.of(inputs[0]).bind(&outputs[0])),
        move |inputs, _| {
            let (mut words, mut sum) = (bytemuck::pod_collect_to_vec::<u8, u32>(inputs[0]), 0.0);
            for at in 0..words.len() {
                // A double holds every sum of multiples of 2^-24.
                sum += f64::from(f32::from_bits(words[at]));
                words[at] = match element {
                    Some(F32) => (sum as f32).to_bits(),
                    _ => words[at].wrapping_add(at.checked_sub(1).map_or(0, |before| words[before])),
                };
            }
            vec![Expected::words(words, 1)]
        },
    )
}

/// The elements below a bound. The rest of the output stays empty.
fn kept(device: &wgpu::Device, n: u64, bound: f32) -> Made<Runnable> {
    let below = format!("fn keep(elem: Elem, index: u32) -> bool {{ return elem < {bound}; }}");
    let kept = compile(device, Select::new(F32, &below)?)?;
    Runnable::new(
        &[WORD * n, WORD],
        move |inputs, outputs| {
            recorded(kept.of(inputs[0]).bind(select::Outputs { kept: &outputs[0], count: &outputs[1] }))
        },
        move |inputs, _| {
            let mut kept = floats(inputs[0]);
            kept.retain(|element| *element < bound);
            let count = kept.len() as u32;
            kept.resize(n as usize, 0.0);
            vec![Expected::words(kept, 1), Expected::words([count], 1)]
        },
    )
}

/// A quantile of a row, which it reorders.
fn quantile(row: &mut [f32], q: f64) -> f32 {
    let position = q * (row.len() - 1) as f64;
    let (_, lower, above) = row.select_nth_unstable_by(position as usize, f32::total_cmp);
    let upper = above.iter().copied().min_by(f32::total_cmp).unwrap_or(*lower);
    (f64::from(*lower) + position.fract() * (f64::from(upper) - f64::from(*lower))) as f32
}

/// The k largest elements of a row, and their indices; of equal ones the smaller index is first.
fn winners(row: &[f32], k: usize) -> Vec<(f32, u32)> {
    let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut ranked: Vec<_> = row.iter().copied().zip(0..).collect();
    ranked.select_nth_unstable_by(k - 1, order);
    ranked.truncate(k);
    ranked.sort_unstable_by(order);
    ranked
}
