//! Calls of order statistics, and their results as the host finds them in sorted arrays.

use std::fmt::Display;

use bytemuck::{AnyBitPattern, NoUninit};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{Op, Reducer};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::{Element, Prepared, Slice, wgpu};
use halofold_measure::MeasureError;

use super::arrays::{Array, WORD};
use crate::calls::{self, Call, Calls, Sweep, Way};
use crate::expected::Expected;

/// Makes a call from an input and an output.
type Bind = Box<dyn Fn(Slice<'_>, &wgpu::Buffer) -> Call>;

/// An operation, and its name in rows.
#[derive(Clone, Copy)]
pub struct Task(&'static str, Kind);

#[derive(Clone, Copy)]
enum Kind {
    /// The sum of all words.
    Sum,
    /// Quantiles, by linear interpolation. A multiple of an eighth lies so between two elements of an array that only its result is rounded.
    Quantiles(&'static [f64]),
    /// Medians of segments of these lengths, again and again.
    Segments(&'static [u64]),
    /// So many largest elements.
    Top(u32),
    /// The sum of all words up to each, as elements of this type.
    Prefixes(Element),
    /// The exact sum of all floats up to each. They are multiples of 2^-24.
    ExactPrefixes,
    /// The elements below a bound.
    Kept(f32),
}

/// Steps of uniform elements from 0 to 1.
const STEPS: f32 = (1 << 24) as f32;

/// The sum of an array's words.
pub const SUM: Task = Task("sum", Kind::Sum);
/// The median.
pub const MEDIAN: Task = Task("median", Kind::Quantiles(&[0.5]));
/// Medians of segments of 512 and of 1536 elements.
pub const SEGMENTS: Task = Task("medians-of-segments", Kind::Segments(&[512, 1536]));
/// Five quantiles.
pub const QUANTILES: Task = Task("quantiles-5", Kind::Quantiles(&[0.125, 0.25, 0.5, 0.75, 0.875]));
/// The 8 largest elements.
pub const TOP_8: Task = Task("top-8", Kind::Top(8));
/// The 32 largest elements.
pub const TOP_32: Task = Task("top-32", Kind::Top(32));
/// The 256 largest elements.
pub const TOP_256: Task = Task("top-256", Kind::Top(256));
/// The 4096 largest elements.
pub const TOP_4096: Task = Task("top-4096", Kind::Top(4096));
/// The sums of an array's words up to each.
pub const PREFIXES: Task = Task("prefix-sums", Kind::Prefixes(Element::U32));
/// The sums of an array's elements up to each.
pub const FLOAT_PREFIXES: Task = Task("prefix-sums", Kind::Prefixes(Element::F32));
/// The exact sums of an array's uniform elements up to each.
pub const EXACT_PREFIXES: Task = Task("exact-prefix-sums", Kind::ExactPrefixes);
/// A hundredth of an array's uniform elements, in their order.
pub const HUNDREDTH: Task = Task("select-1-percent", Kind::Kept(0.01));
/// Half of them.
pub const HALF: Task = Task("select-half", Kind::Kept(0.5));
/// All but a hundredth.
pub const MOST: Task = Task("select-99-percent", Kind::Kept(0.99));

impl Task {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Operator, shape and type, as a row has them, of rows in an array of this kind.
    pub fn work(self, row: Option<u64>, kind: &str) -> [String; 3] {
        let (op, element) = match (self.1, row) {
            (Kind::Sum, _) => (self.0.to_owned(), Element::U32),
            (Kind::Prefixes(element), _) => (self.0.to_owned(), element),
            (Kind::Segments(_), _) => (self.0.to_owned(), Element::F32),
            (_, Some(row)) => (format!("{}-rows-{row}", self.0), Element::F32),
            (_, None) => (self.0.to_owned(), Element::F32),
        };
        [op, kind.to_owned(), element.name().to_owned()]
    }

    /// The calls over an array in one way.
    pub fn calls<'s>(self, array: &Array<'_>, sweep: &'s Sweep, way: Way) -> Result<Calls<'s>, MeasureError> {
        let (device, row, bytes) = (&array.machine.device, array.row_len(), array.bytes());
        let expected = self.expected(array);
        // A result of one period repeats; the other orders of results are complete.
        let written = match self.1 {
            Kind::Quantiles(at) => WORD * at.len() as u64 * (array.n / row),
            Kind::Segments(lens) => WORD * lens.len() as u64 * (array.n / row),
            _ => expected.len() as u64,
        };
        let bind = self.bind(device, array);
        let call = |number, output: &wgpu::Buffer, _: &mut Option<()>| {
            Ok(bind(array.pool().input(array.n, number), output))
        };
        let expected = |_, _| Expected::Bytes(expected.clone());
        Calls::new(device, sweep, way, [bytes, written], call, expected)
    }

    /// The function that makes a call from an input and an output.
    fn bind(self, device: &wgpu::Device, array: &Array<'_>) -> Bind {
        let row = array.row;
        match self.1 {
            Kind::Sum => {
                let sum = right(Reducer::new(device, right(Op::Sum.over(Element::U32))));
                Box::new(move |input, output| recorded(sum.of(input).into(output)))
            }
            Kind::Quantiles(at) => {
                let all = right(Quantiles::new(Element::F32, at.iter().copied()));
                let quantiles = right(row.map_or(all.clone(), |row| all.rows(row)).on(device));
                Box::new(move |input, output| recorded(quantiles.of(input).into(output)))
            }
            Kind::Segments(lens) => {
                let mut end = 0;
                let ends = lens.iter().cycle().map(|len| {
                    end += *len as u32;
                    end
                });
                let offsets = [0].into_iter().chain(ends.take_while(|end| u64::from(*end) <= array.n));
                let median = right(Quantiles::new(Element::F32, [0.5])).segment_offsets(offsets);
                let medians = right(median.on(device));
                Box::new(move |input, output| recorded(medians.of(input).into(output)))
            }
            Kind::Top(k) => {
                let all = right(TopK::new(Element::F32, k));
                let top = right(row.map_or(all.clone(), |row| all.rows(row)).on(device));
                Box::new(move |input, output| recorded(top.of(input).into(output)))
            }
            Kind::Prefixes(element) => {
                let sums = right(Scan::new(right(Op::Sum.over(element))));
                let sums = right(sums.on(device));
                Box::new(move |input, output| recorded(sums.of(input).into(output)))
            }
            Kind::ExactPrefixes => {
                let exact = right(Op::Sum.over(Element::F32)).exact();
                let sums =
                    right(Scan::new(exact.unwrap_or_else(|| unreachable!("sums of f32 can be exact"))));
                let sums = right(sums.on(device));
                Box::new(move |input, output| recorded(sums.of(input).into(output)))
            }
            Kind::Kept(bound) => {
                let below = format!("fn keep(elem: Elem, index: u32) -> bool {{ return elem < {bound}; }}");
                let kept = right(right(Select::new(Element::F32, &below)).on(device));
                let count = calls::output(device, 4);
                Box::new(move |input, output| recorded(kept.of(input).into_each([output, &count])))
            }
        }
    }

    /// The bytes of all results, or those of a period if it can be repeated.
    fn expected(self, array: &Array<'_>) -> Vec<u8> {
        let rows = || array.sorted().chunks(array.row_len() as usize);
        match self.1 {
            Kind::Sum => {
                let sum = words::<u32>(array).fold(0, u32::wrapping_add);
                sum.wrapping_mul((array.n / array.period()) as u32).to_le_bytes().to_vec()
            }
            Kind::Quantiles(at) => {
                let of_row = |row| at.iter().flat_map(move |q| quantile(row, *q).to_le_bytes());
                rows().flat_map(of_row).collect()
            }
            Kind::Segments(lens) => {
                let mut elements: Vec<f32> = bytemuck::pod_collect_to_vec(&array.pool().block);
                let (mut rest, mut medians) = (&mut elements[..], Vec::new());
                for len in lens.iter().cycle() {
                    let Some((segment, after)) = rest.split_at_mut_checked(*len as usize) else { break };
                    segment.sort_unstable_by(f32::total_cmp);
                    medians.extend(quantile(segment, 0.5).to_le_bytes());
                    rest = after;
                }
                medians
            }
            Kind::Top(k) => top(array, k as usize),
            Kind::Prefixes(Element::F32) => prefixes(words::<f32>(array), |sum, element| sum + element),
            Kind::Prefixes(_) => prefixes(words::<u32>(array), u32::wrapping_add),
            Kind::ExactPrefixes => {
                let sums = words::<f32>(array).scan(0u64, |sum, element| {
                    *sum += (element * STEPS) as u64;
                    Some(*sum as f32 / STEPS)
                });
                sums.flat_map(f32::to_le_bytes).collect()
            }
            Kind::Kept(bound) => {
                let kept = words::<f32>(array).filter(|element| *element < bound);
                let mut bytes: Vec<u8> = kept.flat_map(f32::to_le_bytes).collect();
                // The rest of an output stays empty.
                bytes.resize(array.bytes() as usize, 0);
                bytes
            }
        }
    }
}

/// The words of a period of an array.
fn words<'a, T: AnyBitPattern>(array: &'a Array<'_>) -> impl Iterator<Item = T> + use<'a, T> {
    array.pool().block.chunks_exact(4).map(bytemuck::pod_read_unaligned)
}

/// The bytes of the sums of all elements up to each.
fn prefixes<T: NoUninit + Default>(elements: impl Iterator<Item = T>, add: impl Fn(T, T) -> T) -> Vec<u8> {
    let sums = elements.scan(T::default(), |sum, element| {
        *sum = add(*sum, element);
        Some(*sum)
    });
    bytemuck::cast_slice(&sums.collect::<Vec<T>>()).to_vec()
}

/// A result that is there: the tasks are right.
fn right<T>(result: Result<T, impl Display>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// The call that records what is bound.
fn recorded<P: 'static>(prepared: Result<Prepared<P>, impl Display>) -> Call {
    let prepared = right(prepared);
    Box::new(move |pass| prepared.encode_in_pass(pass))
}

/// A quantile of a sorted row.
fn quantile(sorted: &[f32], q: f64) -> f32 {
    let position = q * (sorted.len() - 1) as f64;
    let lower = sorted[position.floor() as usize];
    let upper = sorted[position.ceil() as usize];
    (f64::from(lower) + position.fract() * (f64::from(upper) - f64::from(lower))) as f32
}

/// The k largest elements of all rows, and their indices behind a multiple of 256 bytes.
fn top(array: &Array<'_>, k: usize) -> Vec<u8> {
    let len = array.row_len() as usize;
    let rows = array.pool().block.chunks(WORD as usize * len).zip(array.sorted().chunks(len));
    let winners: Vec<_> = rows.flat_map(|(row, sorted)| winners(row, sorted, k)).collect();
    let times = (array.n / array.period()) as usize;
    let mut bytes: Vec<u8> = winners.iter().flat_map(|(element, _)| element.to_le_bytes()).collect();
    bytes = bytes.repeat(times);
    bytes.resize(bytes.len().next_multiple_of(256), 0);
    let indices: Vec<u8> = winners.iter().flat_map(|(_, index)| index.to_le_bytes()).collect();
    bytes.extend(indices.repeat(times));
    bytes
}

/// The k largest elements of a row with their indices, from the row and its elements in order.
fn winners(row: &[u8], sorted: &[f32], k: usize) -> Vec<(f32, u32)> {
    let last = sorted[sorted.len() - k];
    let of_row = || row.chunks_exact(WORD as usize).map(bytemuck::pod_read_unaligned::<f32>).zip(0..);
    let mut winners: Vec<(f32, u32)> = of_row().filter(|(element, _)| *element > last).collect();
    // The sort is stable.
    winners.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let missing = k - winners.len();
    winners.extend(of_row().filter(|(element, _)| *element == last).take(missing));
    winners
}
