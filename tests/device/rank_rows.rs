//! Order statistics of short rows against a sort, on the adapter at hand: every distribution is a row of one input.

use crate::common::{Outputs, Random, gpu, in_turn, poisoned, room, twice_in_a_pass};
use halofold::rank::{Method, Quantiles, TopK, reference};
use halofold::{Element, Slice, Value};

/// An element, as its bits, from its place and a random word. Each is a distribution.
const SPREADS: [fn(Element, usize, u64) -> u64; 10] = [
    // Uniform, around 0, every pattern, few values, one value, sorted.
    |element, _, random| number(element, unit(random)),
    |element, _, random| number(element, (0..4).map(|i| unit(random << (10 * i)) - 0.5).sum()),
    |_, _, random| random,
    |element, _, random| number(element, (random % 5) as f64 - 2.0),
    |element, _, _| number(element, 3.5),
    |element, at, _| number(element, 100.0 - at as f64),
    // The largest and the smallest of all.
    |_, _, _| u64::MAX >> 1,
    |element, _, _| if element.is_float() { number(element, f64::NEG_INFINITY) } else { 0 },
    // NaNs among others; zeros of either sign, numbers next to them, and infinities.
    |element, at, random| if at % 7 == 3 { u64::MAX } else { number(element, unit(random)) },
    |element, _, random| {
        let (number, sign) = (|x| number(element, x), 1 << (8 * element.size() - 1));
        let infinities = [f64::INFINITY, f64::NEG_INFINITY].map(number);
        let all = [0, 1, u64::MAX, sign, sign | 7, infinities[0], infinities[1], number(1.0)];
        // All bits are a NaN.
        let all = if element.is_float() { [&all[..2], &all[3..]].concat() } else { all[..3].to_vec() };
        all[random as usize % all.len()]
    },
];

fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

fn number(element: Element, x: f64) -> u64 {
    match element {
        Element::F16 => half::f16::from_f64(x).to_bits().into(),
        Element::F32 => (x as f32).to_bits().into(),
        Element::F64 => x.to_bits(),
        Element::I64 | Element::U64 => (x * 1e17) as i64 as u64,
        _ => (x * 1000.0) as i64 as u64,
    }
}

/// Elements before the first segment, and after the last.
const GAP: usize = 3;

/// Rows with a distribution each: of one length, or segments of any lengths.
struct Rows {
    lens: Vec<usize>,
    are_segments: bool,
}

impl Rows {
    fn of(len: usize) -> Self {
        Rows { lens: vec![len; SPREADS.len()], are_segments: false }
    }

    fn segments(lens: &[usize]) -> Self {
        Rows { lens: lens.to_vec(), are_segments: true }
    }

    fn gap(&self) -> usize {
        if self.are_segments { GAP } else { 0 }
    }

    /// The first and the end of each row, in elements.
    fn ends(&self) -> Vec<[usize; 2]> {
        let mut end = self.gap();
        let of_row = |len: &usize| {
            end += len;
            [end - len, end]
        };
        self.lens.iter().map(of_row).collect()
    }

    fn offsets(&self) -> Vec<u32> {
        let ends = self.ends().into_iter().map(|[_, end]| end);
        [self.gap()].into_iter().chain(ends).map(|offset| offset as u32).collect()
    }

    fn bytes(&self, element: Element) -> Vec<u8> {
        let mut random = Random::new(self.lens[0] as u64);
        let gap = vec![0xff; self.gap() * element.size() as usize];
        let mut bytes = gap.clone();
        for (len, spread) in self.lens.iter().zip(SPREADS.iter().cycle()) {
            let elements = (0..*len).map(|at| spread(element, at, random.next()).to_le_bytes());
            bytes.extend(elements.flat_map(|bits| bits[..element.size() as usize].to_vec()));
        }
        [bytes, gap].concat()
    }

    fn len(&self) -> u64 {
        (self.lens.iter().sum::<usize>() + 2 * self.gap()) as u64
    }
}

/// The description for these rows.
macro_rules! over {
    ($operation:expr, $rows:expr) => {
        if $rows.are_segments {
            $operation.segment_offsets($rows.offsets())
        } else {
            $operation.rows($rows.lens[0] as u64)
        }
    };
}

/// Records an operation twice, over poison, and returns the bytes of its output, and the values in it.
macro_rules! run {
    ($operation:expr, $element:expr, $bytes:expr, $size:expr) => {{
        let gpu = gpu();
        let operation = $operation.on(&gpu.device).unwrap();
        // Inside of a vector.
        let at = 16 + [6, 4, 8][$element.size().ilog2() as usize - 1];
        let input = poisoned(gpu, &$bytes, at);
        let outputs = Outputs::new(gpu, [$size as u64]);
        let elements = Slice::new(&input, at, $bytes.len() as u64);
        let prepared = operation.of(elements).into_each(outputs.slices()).unwrap();
        let results = outputs.run(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap().remove(0);
        (results, operation.of(elements).wait(&gpu.queue).unwrap())
    }};
}

/// Bytes of a value: a 16-bit float becomes one of 32 bits.
fn size(element: Element) -> usize {
    element.size().max(4) as usize
}

fn value(element: Element, bytes: &[u8]) -> Value {
    let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    match element {
        Element::U32 | Element::U64 => Value::Unsigned(bits),
        Element::I32 => Value::Signed((bits as i32).into()),
        Element::I64 => Value::Signed(bits as i64),
        Element::F64 => Value::F64(f64::from_bits(bits)),
        _ => Value::F32(f32::from_bits(bits as u32)),
    }
}

fn check_quantiles(element: Element, rows: &Rows, method: Method) {
    let asked = [0.5, 0.9, 0.0, 0.25, 1.0];
    let bytes = rows.bytes(element);
    let quantiles = over!(Quantiles::new(element, asked).unwrap().with_method(method), rows);
    // Between 64-bit elements, the output has both.
    let (is_pair, bits) =
        (element.size() == 8 && !method.is_discrete(), if element.size() == 8 { 53 } else { 24 });
    let each = size(element) * if is_pair { 2 } else { 1 };
    let (_, got) = run!(quantiles, element, bytes, rows.lens.len() * asked.len() * each);
    for (nth, [first, end]) in rows.ends().into_iter().enumerate() {
        let row = &bytes[first * element.size() as usize..end * element.size() as usize];
        let want = reference::quantiles(element, row, method, &asked);
        let [lower, upper] =
            [Method::Lower, Method::Higher].map(|method| reference::quantiles(element, row, method, &asked));
        for (i, want) in want.into_iter().enumerate() {
            let got = got[nth * asked.len() + i];
            // The ends, their distance and the sum are rounded to these bits.
            let unit = 4.0 * 2f64.powi(1 - bits) * lower[i].as_f64().abs().max(upper[i].as_f64().abs());
            let is_right = match want {
                want if method.is_discrete() => got.same(want),
                Value::F64(want) if want.is_finite() => (got.as_f64() - want).abs() <= unit + 1e-37,
                want => Value::F64(got.as_f64()).same(want),
            };
            let q = asked[i];
            assert!(
                is_right,
                "{method}, {q} of {} {element}, row {nth}: {got} instead of {want}",
                end - first
            );
        }
    }
}

fn check_top(element: Element, rows: &Rows, k: u32, is_smallest: bool) {
    let bytes = rows.bytes(element);
    let top = over!(TopK::new(element, k).unwrap(), rows);
    let top = if is_smallest { top.smallest() } else { top };
    let (k, indices) = (k as usize, top.indices_at(rows.len()) as usize);
    let (got, _) = run!(top, element, bytes, indices + rows.lens.len() * k * 4);
    for (nth, [first, end]) in rows.ends().into_iter().enumerate() {
        let row = &bytes[first * element.size() as usize..end * element.size() as usize];
        let want = reference::top(element, row, k, is_smallest);
        for place in 0..k {
            let at = nth * k + place;
            let index = u32::from_le_bytes(got[indices + 4 * at..][..4].try_into().unwrap());
            let bits = &got[size(element) * at..][..size(element)];
            let is_none = || index == u32::MAX && bits.iter().all(|byte| *byte == 0);
            let is_right = want
                .get(place)
                .map_or_else(is_none, |(want, wanted)| value(element, bits).same(*want) && index == *wanted);
            let what =
                format!("{k} of {} {element}, smallest {is_smallest}, row {nth}, place {place}", end - first);
            assert!(is_right, "{what}: {} at {index} instead of {:?}", value(element, bits), want.get(place));
        }
    }
}

#[test]
fn quantiles_of_every_distribution() {
    let cases = [
        (Element::F32, 1024, Method::Linear),
        (Element::F32, 999, Method::Lower),
        (Element::F32, 1, Method::Hazen),
        (Element::F32, 9000, Method::Midpoint),
        (Element::U32, 130, Method::Nearest),
        (Element::I32, 1500, Method::Linear),
        (Element::F16, 1001, Method::Linear),
        (Element::F16, 1024, Method::Nearest),
        (Element::F16, 40_003, Method::Lower),
        (Element::F64, 1, Method::Hazen),
        (Element::F64, 999, Method::Weibull),
        (Element::F64, 40_000, Method::Linear),
        (Element::I64, 3001, Method::Higher),
        (Element::U64, 70, Method::Midpoint),
    ];
    for (element, len, method) in in_turn(cases, 3, 0) {
        gpu().clean(|| check_quantiles(element, &Rows::of(len), method));
    }
}

#[test]
fn winners_of_every_distribution() {
    let cases = [
        (Element::F32, 1024, 32, false),
        (Element::F32, 1000, 31, true),
        (Element::F32, 300, 300, false),
        (Element::I32, 7, 9, false),
        (Element::U32, 4000, 1500, true),
        (Element::I32, 9000, 128, false),
        (Element::F32, 20_001, 64, true),
        (Element::F16, 40_003, 300, false),
        (Element::F16, 99, 7, true),
        (Element::F16, 1024, 32, false),
        (Element::F16, 1500, 900, true),
        (Element::F64, 5000, 700, false),
        (Element::I64, 3, 5, true),
        (Element::U64, 40_000, 50, false),
    ];
    for (element, len, k, is_smallest) in in_turn(cases, 4, 1) {
        gpu().clean(|| check_top(element, &Rows::of(len), k, is_smallest));
    }
}

/// Lengths of short segments, with some around a workgroup and a vector; and of segments of which some are searched as whole arrays.
const SHORT: [usize; 16] = [0, 1, 2, 0, 7, 300, 63, 64, 65, 1023, 1024, 1025, 5, 3000, 1, 0];
const MIXED: [usize; 9] = [40_001, 0, 3, 1000, 70_003, 33_000, 17, 33_000, 0];

#[test]
fn quantiles_of_segments_of_any_lengths() {
    let cases = [
        (Element::F32, &SHORT[..], Method::Linear),
        (Element::I32, &MIXED, Method::Hazen),
        (Element::F16, &MIXED, Method::Lower),
        (Element::F64, &[0, 70, 1, 999], Method::Weibull),
        (Element::F16, &[3, 0, 70, 1, 999], Method::Linear),
    ];
    for (element, lens, method) in in_turn(cases, 2, 1) {
        gpu().clean(|| check_quantiles(element, &Rows::segments(lens), method));
    }
}

#[test]
fn winners_of_segments_of_any_lengths() {
    let cases = [
        (Element::F32, &SHORT[..], 5, false),
        (Element::U32, &SHORT, 700, true),
        (Element::F16, &SHORT, 30, false),
        (Element::F32, &MIXED, 30, true),
        (Element::F16, &[3, 0, 70, 1, 999], 5, false),
        (Element::I64, &[3, 0, 70, 1, 999], 9, true),
    ];
    for (element, lens, k, is_smallest) in in_turn(cases, 3, 0) {
        gpu().clean(|| check_top(element, &Rows::segments(lens), k, is_smallest));
    }
}

#[test]
fn offsets_that_do_not_ascend_are_an_error_and_none_are_no_result() {
    let gpu = gpu();
    let input = room(gpu, 40);
    let median = |offsets: &[u32]| {
        let median = Quantiles::new(Element::F32, [0.5]).unwrap().segment_offsets(offsets.iter().copied());
        median.on(&gpu.device).unwrap().of(Slice::new(&input, 0, 40)).wait(&gpu.queue)
    };
    for (offsets, error) in
        [(&[0, 4, 3][..], "segment 1 from 4 to 3, of 10 elements"), (&[1, 11], "segment 0 from 1 to 11")]
    {
        let found = median(offsets).unwrap_err().to_string();
        assert!(found.contains(error), "{found}");
    }
    assert_eq!((median(&[]).unwrap(), median(&[7]).unwrap()), (Vec::new(), Vec::new()));
}

#[test]
fn nothing_has_no_winners_and_no_median() {
    let gpu = gpu();
    let input = room(gpu, 4);
    let nothing = Slice::new(&input, 0, 0);
    let cases = [
        (Element::F32, Method::Lower),
        (Element::I32, Method::Lower),
        (Element::F64, Method::Lower),
        (Element::U64, Method::Linear),
    ];
    for (element, method) in in_turn(cases, 2, 1) {
        let median = Quantiles::new(element, [0.5]).unwrap().with_method(method);
        let got = median.on(&gpu.device).unwrap().of(nothing).wait(&gpu.queue).unwrap();
        assert!(got[0].same(reference::quantiles(element, &[], method, &[0.5])[0]), "{element}: {got:?}");
    }
    for element in [Element::F32, Element::F16] {
        let top = TopK::new(element, 3).unwrap().on(&gpu.device).unwrap();
        assert_eq!(top.of(nothing).wait(&gpu.queue).unwrap(), []);
    }
}

/// An empty segment behind a filled one finds the filled one's memory.
#[test]
fn nothing_between_filled_segments_has_no_winners_and_no_median() {
    let gpu = gpu();
    let offsets = [0, 0, 5, 5, 5, 7, 7];
    let zeros = poisoned(gpu, &[0; 56], 0);
    for element in in_turn([Element::U64, Element::F64, Element::I64, Element::F32], 2, 1) {
        let input = Slice::new(&zeros, 0, 7 * element.size());
        let top = TopK::new(element, 1).unwrap().segment_offsets(offsets).on(&gpu.device).unwrap();
        let found = top.of(input).wait(&gpu.queue).unwrap();
        assert_eq!(found.iter().map(|(_, index)| *index).collect::<Vec<_>>(), [0, 0], "{element}: {found:?}");
        let medians =
            Quantiles::new(element, [0.5]).unwrap().with_method(Method::Lower).segment_offsets(offsets);
        let got = medians.on(&gpu.device).unwrap().of(input).wait(&gpu.queue).unwrap();
        let lens = offsets.windows(2).map(|ends| u64::from(ends[1] - ends[0]) * element.size());
        for (got, len) in got.iter().zip(lens) {
            let bytes = vec![0; len as usize];
            let expected = reference::quantiles(element, &bytes, Method::Lower, &[0.5])[0];
            assert!(got.same(expected), "{element}: {got:?} of {len} bytes, not {expected:?}");
        }
    }
}

#[test]
fn a_rank_past_the_end_has_no_element() {
    let gpu = gpu();
    let input = poisoned(gpu, bytemuck::cast_slice(&[4u32, 2, 3]), 0);
    let nth = Quantiles::nth(Element::U32, [2, 3, 0]).on(&gpu.device).unwrap();
    let got = nth.of(Slice::new(&input, 0, 12)).wait(&gpu.queue).unwrap();
    assert_eq!(got, [4, 0, 2].map(Value::Unsigned));
}
