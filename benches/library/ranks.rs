//! Order statistics of whole arrays and of rows: medians, quantiles, the k largest elements with their indices; prefixes and selections;
//! and a sum of as many bytes, with which their times are compared. No element of an array is a NaN or -0.

use std::cell::OnceCell;
use std::f64::consts::TAU;
use std::rc::Rc;

use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{Op, Reducer};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::{Element, Slice, wgpu};
use halofold_measure::{LibraryWork, Row};

use crate::calls::{self, Call, Expected, Made, Operation, recorded};
use crate::common::Machine;
use crate::pool::{PERIOD, Pool, WORD, generate, small};
use crate::task::{Task, largest};
use Kind::{ExactPrefixes, Kept, Medians, Prefixes, Sum, Top};

/// An operation.
#[derive(Clone, Copy)]
enum Kind {
    /// The sum of all words.
    Sum,
    /// Quantiles, by linear interpolation. A multiple of an eighth lies so between two elements of an array that only its result is rounded.
    Quantiles(&'static [f64]),
    /// Medians of segments of these lengths, again and again.
    Medians(&'static [u64]),
    /// The largest elements, this many.
    Top(u32),
    /// The sum of all words up to each, as elements of this type.
    Prefixes(Element),
    /// The exact sum of all floats up to each.
    ExactPrefixes,
    /// The elements below a bound.
    Kept(f32),
}

/// Steps of normal elements from 0 to 1.
const STEPS: f64 = (1 << 20) as f64;

const SUM: (&str, Kind) = ("sum", Sum);
const MEDIAN: (&str, Kind) = ("median", Kind::Quantiles(&[0.5]));
const QUANTILES: (&str, Kind) = ("quantiles-5", Kind::Quantiles(&[0.125, 0.25, 0.5, 0.75, 0.875]));
const TOP_256: (&str, Kind) = ("top-256", Top(256));

/// Prefixes and selections of uniform elements.
const PLACED: &[(&str, Kind)] = &[
    ("prefix-sums", Prefixes(Element::U32)),
    ("exact-prefix-sums", ExactPrefixes),
    ("select-1-percent", Kept(0.01)),
    ("select-half", Kept(0.5)),
    ("select-99-percent", Kept(0.99)),
];

/// Sums whose elements are small, so that floats do not round.
const SMALL: &[(&str, Kind)] = &[("prefix-sums", Prefixes(Element::F32))];

/// Arrays of one shape, and what is asked of them: their length, the length of a row if not all, kinds of elements, and operations.
type Set = (u64, Option<u64>, &'static [&'static str], &'static [(&'static str, Kind)]);

/// All sets, for arrays of up to `n` elements.
fn sets(n: u64) -> [Set; 10] {
    const RANDOM: &[&str] = &["uniform", "normal", "bits"];
    const HARD: &[&str] = &["sorted", "two-values", "all-equal", "periodic"];
    let (uniform, two, long, short) = (&RANDOM[..1], &RANDOM[..2], n.min(1 << 24) / 2, n >> 8);
    [
        (n, None, RANDOM, &[SUM, ("top-8", Top(8)), TOP_256, ("top-4096", Top(4096)), MEDIAN, QUANTILES]),
        (n, None, HARD, &[TOP_256, MEDIAN, QUANTILES]),
        (n, None, uniform, PLACED),
        (n, None, &["small"], SMALL),
        (short, None, uniform, &[SUM]),
        (short, None, uniform, PLACED),
        (short, None, &["small"], SMALL),
        (n, Some(1024), two, &[MEDIAN, ("top-32", Top(32))]),
        (n, Some(2048), uniform, &[("medians-of-segments", Medians(&[512, 1536]))]),
        (long, Some(long / 64), two, &[SUM, TOP_256]),
    ]
}

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let room = largest(machine);
    let mut tasks = Vec::new();
    for (n, row, kinds, operations) in sets(room) {
        for element_kind in kinds {
            // Whole arrays have no period; those of rows repeat.
            let period = if row.is_some() { n.min(PERIOD) } else { n };
            let pool = Pool::shared(machine, WORD * room, move || elements(element_kind, period));
            tasks.extend(operations.iter().map(|&(op, kind)| {
                let (op, element) = match (kind, row) {
                    (Sum, _) => (op.to_owned(), Element::U32),
                    (Prefixes(element), _) => (op.to_owned(), element),
                    (Kind::Quantiles(_) | Top(_), Some(row)) => (format!("{op}-rows-{row}"), Element::F32),
                    _ => (op.to_owned(), Element::F32),
                };
                // All calls have the same results.
                let (device, results) = (&machine.device, Rc::new(OnceCell::new()));
                let make = move |_, _: &[Slice<'_>]| match kind {
                    Sum => sum_of_words(device),
                    _ => operation(device, kind, n, row, results.clone()),
                };
                Task::new([&op, element_kind, element.name()], n, WORD * n, &[&pool], make)
            }));
        }
    }
    tasks
}

/// The elements of one kind.
fn elements(kind: &str, n: u64) -> Vec<u8> {
    let unit = |bits: u64| bits as f64 / (1u64 << 32) as f64;
    let element = |at: u64, word: u64| match kind {
        "uniform" => (word >> 40) as f32 / (1 << 24) as f32,
        "normal" => {
            let radius = (-2.0 * unit((word >> 32) + 1).ln()).sqrt();
            let normal = radius * (TAU * unit(word & 0xffff_ffff)).cos();
            // The difference of any two is exact.
            ((normal * STEPS).round() / STEPS) as f32 + 0.0
        }
        // Sums are exact.
        "small" => small(word) as f32,
        // Exponents from -63 to 64: GPUs may lose differences that are subnormal.
        "bits" => f32::from_bits(word as u32 & 0x807f_ffff | (64 + (word >> 32) as u32 % 128) << 23),
        "sorted" => f32::from_bits(0x3000_0000 + at as u32),
        "two-values" => [-1.0, 1e30][(word & 1) as usize],
        "all-equal" => 3.5,
        _ => (at % 256) as f32 * 0.25,
    };
    generate(n, 0, |at, word| element(at, word).to_le_bytes())
}

/// Sums of words.
pub fn sum_of_words<'a>(device: &wgpu::Device) -> Made<Operation<'a>> {
    let sum = Reducer::new(device, Op::Sum.over(Element::U32)?)?;
    Ok(Operation::new(
        &[WORD],
        move |buffers| recorded(sum.of(buffers.inputs[0]).into(&buffers.outputs[0])),
        |inputs, times| {
            let words = inputs[0].chunks_exact(WORD as usize).map(bytemuck::pod_read_unaligned::<u32>);
            vec![Expected::words(&[words.fold(0, u32::wrapping_add).wrapping_mul(times as u32)])]
        },
    ))
}

/// Calls over `n` elements in rows.
fn operation<'a>(
    device: &wgpu::Device,
    kind: Kind,
    n: u64,
    row: Option<u64>,
    known: Rc<OnceCell<Vec<Expected>>>,
) -> Made<Operation<'a>> {
    let call = bind(device, kind, n, row)?;
    let rows = n / row.unwrap_or(n);
    let size = match kind {
        Kind::Quantiles(at) => WORD * at.len() as u64 * rows,
        Medians(lens) => WORD * lens.len() as u64 * rows,
        // The indices lie behind a multiple of 256 bytes.
        Top(k) => (WORD * u64::from(k) * rows).next_multiple_of(256) + WORD * u64::from(k) * rows,
        _ => WORD * n,
    };
    Ok(Operation::new(
        &[size],
        move |buffers| call(buffers.inputs[0], &buffers.outputs[0]),
        move |inputs, times| {
            let elements = || bytemuck::pod_collect_to_vec::<u8, f32>(inputs[0]);
            let results = || vec![Expected::Bytes(expected(kind, &elements(), row, times as usize))];
            known.get_or_init(results).clone()
        },
    ))
}

/// Makes a call from an input and an output.
type Bind = Box<dyn Fn(Slice<'_>, &wgpu::Buffer) -> Made<Call>>;

/// The function that makes a call of an operation over `n` elements.
fn bind(device: &wgpu::Device, kind: Kind, n: u64, row: Option<u64>) -> Made<Bind> {
    Ok(match kind {
        Sum => unreachable!("sums of words are bound elsewhere"),
        Kind::Quantiles(at) => {
            let quantiles = Quantiles::new(Element::F32, at.iter().copied())?;
            let quantiles = row.map_or(quantiles.clone(), |row| quantiles.rows(row)).on(device)?;
            Box::new(move |input, output| recorded(quantiles.of(input).into(output)))
        }
        Medians(lens) => {
            let ends = lens.iter().cycle().scan(0, |end, len| {
                *end += *len;
                (*end <= n).then_some(*end as u32)
            });
            let medians = Quantiles::new(Element::F32, [0.5])?;
            let medians = medians.segment_offsets([0].into_iter().chain(ends)).on(device)?;
            Box::new(move |input, output| recorded(medians.of(input).into(output)))
        }
        Top(k) => {
            let top = TopK::new(Element::F32, k)?;
            let top = row.map_or(top.clone(), |row| top.rows(row)).on(device)?;
            Box::new(move |input, output| recorded(top.of(input).into(output)))
        }
        Prefixes(_) | ExactPrefixes => {
            let sums = match kind {
                Prefixes(element) => Op::Sum.over(element)?,
                _ => Op::Sum.over(Element::F32)?.exact().expect("sums of f32 can be exact"),
            };
            let sums = Scan::new(sums)?.on(device)?;
            Box::new(move |input, output| recorded(sums.of(input).into(output)))
        }
        Kept(bound) => {
            let below = format!("fn keep(elem: Elem, index: u32) -> bool {{ return elem < {bound}; }}");
            let kept = Select::new(Element::F32, &below)?.on(device)?;
            let count = calls::output(device, WORD);
            Box::new(move |input, output| recorded(kept.of(input).into_each([output, &count])))
        }
    })
}

/// The bytes of all results, over all periods.
fn expected(kind: Kind, elements: &[f32], row: Option<u64>, times: usize) -> Vec<u8> {
    let row = row.map_or(elements.len(), |row| row as usize);
    let bytes = |results: Vec<f32>| bytemuck::cast_slice(&results).to_vec();
    match kind {
        Sum => unreachable!("sums of words are checked elsewhere"),
        Kind::Quantiles(at) => {
            bytes(elements.chunks(row).flat_map(|row| quantiles(row, at)).collect()).repeat(times)
        }
        Medians(lens) => {
            let mut rest = elements;
            let segments = lens.iter().cycle().map_while(|len| {
                let segment;
                (segment, rest) = rest.split_at_checked(*len as usize)?;
                Some(segment)
            });
            bytes(segments.flat_map(|segment| quantiles(segment, &[0.5])).collect()).repeat(times)
        }
        Top(k) => {
            let (values, indices): (Vec<f32>, Vec<u32>) =
                elements.chunks(row).flat_map(|row| top(row, k as usize)).unzip();
            let mut top = bytes(values).repeat(times);
            top.resize(top.len().next_multiple_of(256), 0);
            top.extend_from_slice(bytemuck::cast_slice(&indices.repeat(times)));
            top
        }
        Prefixes(Element::U32) => {
            let mut words: Vec<u32> = bytemuck::cast_slice(elements).to_vec();
            (1..words.len()).for_each(|at| words[at] = words[at].wrapping_add(words[at - 1]));
            bytemuck::cast_slice(&words).to_vec()
        }
        // A double holds every sum of multiples of 2^-24.
        Prefixes(_) | ExactPrefixes => {
            let mut sum = 0.0;
            let sums = elements.iter().map(|element| {
                sum += f64::from(*element);
                sum as f32
            });
            bytes(sums.collect())
        }
        Kept(bound) => {
            let mut kept: Vec<f32> = elements.iter().copied().filter(|element| *element < bound).collect();
            // The rest of an output stays empty.
            kept.resize(elements.len(), 0.0);
            bytes(kept)
        }
    }
}

/// Quantiles of a row.
fn quantiles(row: &[f32], at: &[f64]) -> Vec<f32> {
    let mut row = row.to_vec();
    let quantile = |q: &f64| {
        let position = q * (row.len() - 1) as f64;
        let (_, lower, above) = row.select_nth_unstable_by(position as usize, f32::total_cmp);
        let upper = above.iter().copied().min_by(f32::total_cmp).unwrap_or(*lower);
        (f64::from(*lower) + position.fract() * (f64::from(upper) - f64::from(*lower))) as f32
    };
    at.iter().map(quantile).collect()
}

/// The k largest elements of a row, and their indices; of equal ones the smaller index is first.
fn top(row: &[f32], k: usize) -> Vec<(f32, u32)> {
    let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut ranked: Vec<_> = row.iter().copied().zip(0..).collect();
    ranked.select_nth_unstable_by(k - 1, order);
    ranked.truncate(k);
    ranked.sort_unstable_by(order);
    ranked
}

/// Prints the time of each row, and how often as many elements are summed in this time.
pub fn print_sums(rows: &[Row<LibraryWork>]) {
    for row in rows {
        let LibraryWork { name, op, shape, n, .. } = &row.what;
        let is_sum = |what: &LibraryWork| (what.op.as_str(), &what.name, what.n) == (SUM.0, name, *n);
        let sum = rows.iter().find(|row| is_sum(&row.what)).and_then(|sum| sum.times.median);
        if let (Some(ms), Some(sum)) = (row.times.median, sum) {
            eprintln!("{op:24} {shape:12} {name:16} {:9.1} µs {:6.2} sums", 1e3 * ms, ms / sum);
        }
    }
}
