//! Order statistics of short rows against a sort, on the adapter at hand: every distribution is a row of one input.

use halofold::rank::{Method, Quantiles, TopK, reference};
use halofold::{Element, Value};

use crate::common::{Random, gpu, in_turn};
use crate::inputs::{Input, written};

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

/// Quantiles that are asked for.
const ASKED: [f64; 5] = [0.5, 0.9, 0.0, 0.25, 1.0];

/// Elements before the first segment, and after the last.
const GAP: usize = 3;

/// Rows of one length, or segments of any lengths.
pub struct Rows {
    element: Element,
    bytes: Vec<u8>,
    lens: Vec<usize>,
    /// Where the segments begin and end, if they are not rows.
    offsets: Option<Vec<u32>>,
}

impl Rows {
    /// Rows of some floats.
    pub fn of_floats(floats: &[f32], row: usize) -> Self {
        let bytes = bytemuck::cast_slice(floats).to_vec();
        Rows { element: Element::F32, bytes, lens: vec![row; floats.len() / row], offsets: None }
    }

    /// Rows with a distribution each.
    fn new(element: Element, len: usize) -> Self {
        let lens = vec![len; SPREADS.len()];
        Rows { element, bytes: spread(element, &lens), lens, offsets: None }
    }

    /// Segments with a distribution each.
    fn segments(element: Element, lens: &[usize]) -> Self {
        let gap = vec![0xff; GAP * element.size() as usize];
        let bytes = [gap.clone(), spread(element, lens), gap].concat();
        let ends = (0..=lens.len()).map(|nth| (GAP + lens[..nth].iter().sum::<usize>()) as u32);
        Rows { element, bytes, lens: lens.to_vec(), offsets: Some(ends.collect()) }
    }

    /// The bytes of each row.
    fn each(&self) -> impl Iterator<Item = &[u8]> {
        let size = self.element.size() as usize;
        let mut rest = &self.bytes[if self.offsets.is_some() { GAP * size } else { 0 }..];
        self.lens.iter().map(move |len| {
            let (row, behind) = rest.split_at(len * size);
            rest = behind;
            row
        })
    }

    fn input(&self) -> Input {
        // Inside of a vector.
        let at = 16 + [6, 4, 8][self.element.size().ilog2() as usize - 1];
        Input::at(gpu(), &self.bytes, at)
    }
}

/// The bytes of rows with a distribution each.
fn spread(element: Element, lens: &[usize]) -> Vec<u8> {
    let mut random = Random::new(lens[0] as u64);
    let mut bytes = Vec::new();
    for (len, spread) in lens.iter().zip(SPREADS.iter().cycle()) {
        let elements = (0..*len).map(|at| spread(element, at, random.next()).to_le_bytes());
        bytes.extend(elements.flat_map(|bits| bits[..element.size() as usize].to_vec()));
    }
    bytes
}

/// The description for these rows.
macro_rules! over {
    ($operation:expr, $rows:expr) => {
        match &$rows.offsets {
            Some(offsets) => $operation.segment_offsets(offsets.iter().copied()),
            None => $operation.rows($rows.lens[0] as u64),
        }
    };
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

pub fn check_quantiles(rows: &Rows, method: Method, asked: &[f64]) {
    let (gpu, element, input) = (gpu(), rows.element, rows.input());
    let quantiles = Quantiles::new(element, asked.iter().copied()).unwrap().with_method(method);
    let quantiles = over!(quantiles, rows).on(&gpu.device).unwrap();
    // Between 64-bit elements, the output has both.
    let is_pair = element.size() == 8 && !method.is_discrete();
    let bits = if element.size() == 8 { 53 } else { 24 };
    let all = rows.lens.len() * asked.len() * size(element) * if is_pair { 2 } else { 1 };
    written(gpu, [all as u64], |outputs| quantiles.of(&input).into_each(outputs));
    let mut got = quantiles.of(&input).wait(&gpu.queue).unwrap().into_iter();
    for (nth, row) in rows.each().enumerate() {
        let by = |method| reference::quantiles(element, row, method, asked);
        let ends = by(Method::Lower).into_iter().zip(by(Method::Higher));
        for ((q, want), (lower, upper)) in asked.iter().zip(by(method)).zip(ends) {
            let got = got.next().unwrap();
            // The ends, their distance and the sum are rounded to these bits.
            let unit = 4.0 * 2f64.powi(1 - bits) * lower.as_f64().abs().max(upper.as_f64().abs());
            let is_right = match want {
                want if method.is_discrete() => got.same(want),
                Value::F64(want) if want.is_finite() => (got.as_f64() - want).abs() <= unit + 1e-37,
                want => Value::F64(got.as_f64()).same(want),
            };
            let len = rows.lens[nth];
            assert!(is_right, "{method}, {q} of {len} {element}, row {nth}: {got} instead of {want}");
        }
    }
    assert!(got.next().is_none());
}

pub fn check_ranks(rows: &Rows, ranks: &[u64]) {
    let nth = over!(Quantiles::nth(rows.element, ranks.iter().copied()), rows);
    let got = nth.on(&gpu().device).unwrap().of(&rows.input()).wait(&gpu().queue).unwrap();
    let want: Vec<_> = rows.each().flat_map(|row| reference::nth(rows.element, row, ranks)).collect();
    assert_eq!(got.len(), want.len());
    for (nth, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!(got.same(*want), "{nth}, ranks {ranks:?}: {got} instead of {want}");
    }
}

pub fn check_top(rows: &Rows, k: u32, is_smallest: bool) {
    let (gpu, element, input) = (gpu(), rows.element, rows.input());
    let top = over!(TopK::new(element, k).unwrap(), rows);
    let top = if is_smallest { top.smallest() } else { top };
    let indices = top.indices_at(rows.bytes.len() as u64 / element.size()) as usize;
    let k = k as usize;
    let all = indices + rows.lens.len() * k * 4;
    let top = top.on(&gpu.device).unwrap();
    let got = written(gpu, [all as u64], |outputs| top.of(&input).into_each(outputs)).remove(0);
    let on_host = top.of(&input).wait(&gpu.queue).unwrap();
    for (nth, row) in rows.each().enumerate() {
        let want = reference::top(element, row, k, is_smallest);
        for place in 0..k {
            let at = nth * k + place;
            let index = u32::from_le_bytes(got[indices + 4 * at..][..4].try_into().unwrap());
            let bits = &got[size(element) * at..][..size(element)];
            let is_none = || index == u32::MAX && bits.iter().all(|byte| *byte == 0);
            let is_right = want
                .get(place)
                .map_or_else(is_none, |(want, wanted)| value(element, bits).same(*want) && index == *wanted);
            let len = rows.lens[nth];
            let what = format!("{k} of {len} {element}, smallest {is_smallest}, row {nth}, place {place}");
            assert!(is_right, "{what}: {} at {index} instead of {:?}", value(element, bits), want.get(place));
        }
    }
    let winners = rows.lens.iter().map(|len| k.min(*len)).sum::<usize>();
    assert_eq!(on_host.len(), winners, "{k} of rows on the host");
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
        gpu().clean(|| check_quantiles(&Rows::new(element, len), method, &ASKED));
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
        gpu().clean(|| check_top(&Rows::new(element, len), k, is_smallest));
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
        gpu().clean(|| check_quantiles(&Rows::segments(element, lens), method, &ASKED));
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
        gpu().clean(|| check_top(&Rows::segments(element, lens), k, is_smallest));
    }
}

#[test]
fn no_segments_have_no_result() {
    let input = Input::new(gpu(), &[0f32; 10]);
    for offsets in [&[][..], &[7]] {
        let median = Quantiles::new(Element::F32, [0.5]).unwrap().segment_offsets(offsets.iter().copied());
        let found = median.on(&gpu().device).unwrap().of(&input).wait(&gpu().queue);
        assert_eq!(found.unwrap(), []);
    }
}

#[test]
fn nothing_has_no_winners_and_no_median_on_every_adapter() {
    let gpu = gpu();
    let nothing = Input::new::<u8>(gpu, &[]);
    let cases = [
        (Element::F32, Method::Lower),
        (Element::I32, Method::Lower),
        (Element::F64, Method::Lower),
        (Element::U64, Method::Linear),
    ];
    for (element, method) in in_turn(cases, 2, 1) {
        let median = Quantiles::new(element, [0.5]).unwrap().with_method(method);
        let got = median.on(&gpu.device).unwrap().of(&nothing).wait(&gpu.queue).unwrap();
        assert!(got[0].same(reference::quantiles(element, &[], method, &[0.5])[0]), "{element}: {got:?}");
    }
    for element in [Element::F32, Element::F16] {
        let top = TopK::new(element, 3).unwrap().on(&gpu.device).unwrap();
        assert_eq!(top.of(&nothing).wait(&gpu.queue).unwrap(), []);
    }
}

/// An empty segment behind a filled one finds the filled one's memory.
#[test]
fn nothing_between_filled_segments_has_no_winners_and_no_median_on_every_adapter() {
    let gpu = gpu();
    let offsets = [0, 0, 5, 5, 5, 7, 7];
    let zeros = Input::new(gpu, &[0u8; 56]);
    for element in in_turn([Element::U64, Element::F64, Element::I64, Element::F32], 2, 1) {
        let input = zeros.part(0, 7 * element.size());
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
    let nth = Quantiles::nth(Element::U32, [2, 3, 0]).on(&gpu().device).unwrap();
    let got = nth.of(&Input::new(gpu(), &[4u32, 2, 3])).wait(&gpu().queue).unwrap();
    assert_eq!(got, [4, 0, 2].map(Value::Unsigned));
}
