//! Order statistics against a sort, on the adapter at hand: every distribution is a row of one input.

use halofold::rank::{Method, Outputs, Quantiles, Ranked, TopK, reference};
use halofold::reduce::{Op, Shape};
use halofold::{Element, Planned, Request, Value};

use crate::common::{Random, bits_of, elements, gpu, in_turn};
use crate::cut::{Cut, Group};
use crate::inputs::{Input, words, written};

/// The bits of an element, from its place in a row and random words. Each is a distribution.
const SPREADS: [fn(Element, usize, &mut Random) -> u64; 14] = [
    // Uniform, around 0, every pattern, ascending, descending, few values, one value.
    |element, _, random| number(element, random.unit()),
    |element, _, random| number(element, (0..12).map(|_| random.unit() - 0.5).sum()),
    |_, _, random| random.next(),
    |element, at, _| number(element, at as f64),
    |element, at, _| number(element, 100.0 - at as f64),
    |element, _, random| number(element, (random.unit() * 5.0).floor() - 2.0),
    |element, _, _| number(element, 3.5),
    // Two values far apart, values that come again and again, mostly zeros.
    |element, _, random| number(element, if random.unit() < 0.5 { -1.0 } else { 1e30 }),
    |element, at, _| number(element, (at % 256) as f64 * 0.25),
    |element, _, random| number(element, if random.unit() < 0.6 { -0.0 } else { random.unit() - 0.5 }),
    // The largest and the smallest of all.
    |_, _, _| u64::MAX >> 1,
    |element, _, _| if element.is_float() { number(element, f64::NEG_INFINITY) } else { 0 },
    // NaNs among others; zeros of either sign, numbers next to them, and infinities.
    |element, at, random| if at % 7 == 3 { u64::MAX } else { number(element, random.unit()) },
    |element, _, random| {
        let (number, sign) = (|x| number(element, x), 1 << (8 * element.size() - 1));
        let infinities = [f64::INFINITY, f64::NEG_INFINITY].map(number);
        let all = [0, 1, u64::MAX, sign, sign | 7, infinities[0], infinities[1], number(1.0)];
        // All bits are a NaN.
        let all = if element.is_float() { [&all[..2], &all[3..]].concat() } else { all[..3].to_vec() };
        all[random.next() as usize % all.len()]
    },
];

fn number(element: Element, x: f64) -> u64 {
    let scale = if element.is_float() { 1.0 } else { [1e3, 1e17][element.size() as usize / 8] };
    bits_of(element, x * scale)
}

/// The places that `shaders/rank/sample.wgsl` samples, of a row of some elements, for one rank.
fn sampled(len: usize) -> impl Iterator<Item = usize> {
    let size = 1 << (9 + len.max(1).ilog2() / 4);
    let part = len / size;
    let hash = |number: u32| {
        let x = number.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
        (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b)
    };
    // Parts are shorter than 2^16 elements.
    let within = move |at: usize| ((hash(at as u32) >> 16) as usize * part) >> 16;
    (0..size)
        .map(move |at| at * part + within(at).min(part.saturating_sub(1)))
        .take_while(move |at| *at < len)
}

/// Rows of one length, one for each distribution and one more.
fn rows(len: usize) -> Cut {
    Cut::segments(len, SPREADS.len() + 1)
}

/// Segments of some lengths, with elements that belong to none in front of the first and behind the last.
fn segments(lens: &[usize]) -> Cut {
    Cut::of_lengths(3, lens.iter().copied(), 3)
}

/// Short segments, with some around a workgroup and a vector; segments of which some are searched as whole arrays; and few.
const SHORT: &[usize] = &[0, 1, 2, 0, 7, 300, 63, 64, 65, 1023, 1024, 1025, 5, 3000, 1, 0];
const MIXED: &[usize] = &[40_001, 0, 3, 1000, 70_003, 33_000, 17, 33_000, 0];
const FEW: &[usize] = &[3, 0, 70, 1, 999];

/// Rows or segments with a distribution each: their bytes, and those of each.
fn ranked(element: Element, cut: &Cut) -> (Input, Vec<Vec<u8>>) {
    let (mut random, size) = (Random::new(cut.len as u64), element.size() as usize);
    let of = |(group, nth): (Group, usize)| {
        let (len, spread) = (group.len(), SPREADS[nth % SPREADS.len()]);
        let mut row: Vec<u64> = (0..len).map(|at| spread(element, at, &mut random)).collect();
        // In the last distribution all elements that are sampled are the same, and unlike the others.
        let trap = sampled(len).filter(|_| nth == SPREADS.len());
        trap.for_each(|at| row[at] = number(element, 1e9));
        elements(element, row)
    };
    let each: Vec<Vec<u8>> = cut.groups().into_iter().zip((0..=SPREADS.len()).cycle()).map(of).collect();
    let gap = if cut.offsets.is_empty() { Vec::new() } else { vec![0xff; 3 * size] };
    let all = [&gap[..], &each.concat(), &gap].concat();
    // Inside of a vector.
    (Input::at(gpu(), &all, 16 + [6, 4, 8][element.size().ilog2() as usize - 1]), each)
}

/// An operation over the rows or segments of a cut.
fn over<'o, 'b, O: Planned>(request: Request<'o, 'b, O>, cut: &Cut) -> Request<'o, 'b, O> {
    match cut.shape {
        Shape::Segments { len } => request.rows(len),
        _ => request.segment_offsets(&cut.offsets),
    }
}

fn check_quantiles((element, cut, method): (Element, Cut, Method)) {
    const ASKED: [f64; 7] = [0.5, 0.9, 0.0, 0.25, 1.0, 0.05, 0.95];
    let (gpu, (input, rows)) = (gpu(), ranked(element, &cut));
    let quantiles = gpu.compile(Quantiles::new(element, ASKED).with_method(method));
    // Between 64-bit elements, the output has both.
    let is_pair = element.size() == 8 && !method.is_discrete();
    let bits = if element.size() == 8 { 53 } else { 24 };
    let all = rows.len() * ASKED.len() * element.size().max(4) as usize * if is_pair { 2 } else { 1 };
    written(gpu, [all as u64], |outputs| over(quantiles.of(&input), &cut).bind(outputs[0]));
    let mut got = over(quantiles.of(&input), &cut).run::<Value>(&gpu.queue).unwrap().into_iter();
    for (nth, row) in rows.iter().enumerate() {
        let by = |method| reference::quantiles(element, row, method, &ASKED);
        let ends = by(Method::Lower).into_iter().zip(by(Method::Higher));
        for ((q, want), (lower, upper)) in ASKED.iter().zip(by(method)).zip(ends) {
            let got = got.next().unwrap();
            // The ends, their distance and the sum are rounded to these bits.
            let unit = 4.0 * 2f64.powi(1 - bits) * lower.as_f64().abs().max(upper.as_f64().abs());
            let is_right = match want {
                want if method.is_discrete() => got.same(want),
                Value::F64(want) if want.is_finite() => (got.as_f64() - want).abs() <= unit + 1e-37,
                want => Value::F64(got.as_f64()).same(want),
            };
            assert!(is_right, "{method}, {q} of {element}, row {nth} of {cut}: {got} instead of {want}");
        }
    }
    assert!(got.next().is_none());
}

fn check_top((element, cut, k, is_smallest): (Element, Cut, u32, bool)) {
    let (gpu, (input, rows)) = (gpu(), ranked(element, &cut));
    let top = TopK::new(element, k);
    let top = if is_smallest { top.smallest() } else { top };
    let places = rows.len() * k as usize;
    let top = gpu.compile(top);
    let sizes = [element.size().max(4), 4].map(|size| size * places as u64);
    let got = written(gpu, sizes, |outputs| {
        over(top.of(&input), &cut).bind(Outputs { values: outputs[0], indices: outputs[1] })
    });
    let values = Op::Max.read(element, &got[0]);
    let mut got = values.into_iter().map(|value| value.value().unwrap()).zip(words(&got[1]));
    for (nth, row) in rows.iter().enumerate() {
        let want = reference::top(element, row, k as usize, is_smallest);
        for (place, (value, index)) in got.by_ref().take(k as usize).enumerate() {
            let is_right = want.get(place).map_or(value.as_f64() == 0.0 && index == u32::MAX, |want| {
                value.same(want.0) && index == want.1
            });
            let what = format!("{k} of {element}, smallest {is_smallest}, row {nth} of {cut}, place {place}");
            assert!(is_right, "{what}: {value} at {index} instead of {:?}", want.get(place));
        }
    }
    let winners = cut.groups().iter().map(|row| row.len().min(k as usize)).sum::<usize>();
    assert_eq!(
        over(top.of(&input), &cut).run::<Ranked<Value>>(&gpu.queue).unwrap().len(),
        winners,
        "{k} of rows on the host"
    );
}

#[test]
fn quantiles() {
    let cases = [
        (Element::F32, rows(1024), Method::Linear),
        (Element::F32, rows(999), Method::Lower),
        (Element::F32, rows(1), Method::Hazen),
        (Element::F32, rows(9000), Method::Midpoint),
        (Element::U32, rows(130), Method::Nearest),
        (Element::I32, rows(1500), Method::Linear),
        (Element::F16, rows(1001), Method::Linear),
        (Element::F16, rows(1024), Method::Nearest),
        (Element::F16, rows(40_003), Method::Lower),
        (Element::F64, rows(1), Method::Hazen),
        (Element::F64, rows(999), Method::Weibull),
        (Element::F64, rows(40_000), Method::Linear),
        (Element::I64, rows(3001), Method::Higher),
        (Element::U64, rows(70), Method::Midpoint),
        (Element::F32, segments(SHORT), Method::Linear),
        (Element::F16, segments(FEW), Method::Linear),
        (Element::F16, segments(MIXED), Method::Lower),
        (Element::F64, segments(FEW), Method::Weibull),
        (Element::I32, segments(MIXED), Method::Hazen),
    ];
    let always = (Element::F32, rows(99_997), Method::Linear);
    for case in in_turn(cases, 3, 0).chain([always]) {
        gpu().clean(|| check_quantiles(case));
    }
}

#[test]
fn winners() {
    let cases = [
        (Element::F32, rows(1024), 32, false),
        (Element::F32, rows(1000), 31, true),
        (Element::F32, rows(300), 300, false),
        (Element::I32, rows(7), 9, false),
        (Element::U32, rows(4000), 1500, true),
        (Element::I32, rows(9000), 128, false),
        (Element::F32, rows(20_001), 64, true),
        (Element::F16, rows(40_003), 300, false),
        (Element::F16, rows(99), 7, true),
        (Element::F16, rows(1024), 32, false),
        (Element::F16, rows(1500), 900, true),
        (Element::F64, rows(5000), 700, false),
        (Element::I64, rows(3), 5, true),
        (Element::U64, rows(40_000), 50, false),
        (Element::F32, segments(SHORT), 5, false),
        (Element::U32, segments(SHORT), 700, true),
        (Element::F16, segments(SHORT), 30, false),
        (Element::F32, segments(MIXED), 30, true),
        (Element::F16, segments(FEW), 5, false),
        (Element::I64, segments(FEW), 9, true),
    ];
    for case in in_turn(cases, 4, 1) {
        gpu().clean(|| check_top(case));
    }
}

/// Of a few elements up to all, and more than there are.
#[test]
fn winners_of_long_rows() {
    let lens =
        [(100_003, &[1, 300, 4096, 70_000][..]), (40_001, &[70]), (10_000, &[9999, 10_000, 10_001, 5000])];
    let all = lens.into_iter().chain([(3000, &[5000, 9999][..])]);
    let all = all.flat_map(|(len, ks)| ks.iter().map(move |k| (Element::F32, rows(len), *k)));
    for (nth, (element, rows, k)) in all.enumerate() {
        for is_smallest in in_turn([false, true], 2, nth) {
            gpu().clean(|| check_top((element, rows.clone(), k, is_smallest)));
        }
    }
}

#[test]
fn ranks_of_long_rows() {
    for len in [33_333, 40_000, 100_003] {
        let (cut, last) = (rows(len), len as u64 - 1);
        let (input, rows) = ranked(Element::F32, &cut);
        for ranks in [&[0][..], &[last / 2], &[7, 16_666], &[last / 2, last, 0, last / 3, last / 3 + 1]] {
            let nth = gpu().compile(Quantiles::nth(Element::F32, ranks.iter().copied()));
            let got = gpu().clean(|| over(nth.of(&input), &cut).run::<Value>(&gpu().queue).unwrap());
            let want: Vec<_> = rows.iter().flat_map(|row| reference::nth(Element::F32, row, ranks)).collect();
            assert_eq!(got.len(), want.len());
            for (nth, (got, want)) in got.iter().zip(&want).enumerate() {
                assert!(got.same(*want), "{nth}, ranks {ranks:?} of {len}: {got} instead of {want}");
            }
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
    let input = Input::new(gpu, &pairs);
    let medians = gpu.compile(Quantiles::new(Element::F32, [0.5]));
    for ([a, b], got) in pairs.iter().zip(medians.of(&input).rows(2).run::<f32>(&gpu.queue).unwrap()) {
        let want = (f64::from(*a) + f64::from(*b)) / 2.0;
        // The distance is rounded, and the result, which may be subnormal.
        let most =
            f64::from(a.abs().max(b.abs())).mul_add(f64::from(f32::EPSILON), f64::from(f32::from_bits(1)));
        assert!((f64::from(got) - want).abs() <= most, "{a:e} and {b:e}: {got} instead of {want:e}");
    }
}

/// Nothing between filled segments, whose memory an empty one finds; no segments; and nothing at all.
#[test]
fn empty_input_has_no_winners_and_no_median_on_every_adapter() {
    let gpu = gpu();
    for element in in_turn([Element::U64, Element::F64, Element::I64, Element::F32], 2, 1) {
        check_quantiles((element, segments(&[0, 5, 0, 2, 0]), Method::Lower));
        check_top((element, segments(&[0, 5, 0, 2, 0]), 1, false));
    }
    check_quantiles((Element::F32, segments(&[]), Method::Linear));
    let none = gpu.compile(Quantiles::new(Element::F32, [0.5]));
    assert!(
        none.of(&Input::new(gpu, &[0f32; 10]))
            .segment_offsets(&[])
            .run::<f32>(&gpu.queue)
            .unwrap()
            .is_empty()
    );

    let nothing = Input::new::<u8>(gpu, &[]);
    let methods =
        [(Element::U64, Method::Linear), (Element::F32, Method::Lower), (Element::F16, Method::Lower)];
    for (element, method) in methods {
        let top = gpu.compile(TopK::new(element, 3));
        assert_eq!(top.of(&nothing).run::<Ranked<Value>>(&gpu.queue).unwrap(), []);
        let median = gpu.compile(Quantiles::new(element, [0.5]).with_method(method));
        let got = median.of(&nothing).run::<Value>(&gpu.queue).unwrap()[0];
        assert!(got.same(reference::quantiles(element, &[], method, &[0.5])[0]), "{element}: {got:?}");
    }
}

#[test]
fn ranks_past_the_end_have_no_element() {
    let nth = |element, words: &[u32], ranks: &[u64]| {
        let nth = gpu().compile(Quantiles::nth(element, ranks.iter().copied()));
        nth.of(&Input::new(gpu(), words)).run::<Value>(&gpu().queue).unwrap()
    };
    let zeros = [0; 50_000];
    assert_eq!(nth(Element::U32, &[4, 2, 3], &[2, 3, 0]), [4, 0, 2].map(Value::Unsigned));
    assert_eq!(nth(Element::I32, &zeros, &[49_999, 50_000, u64::MAX]), [Value::Signed(0); 3]);
    assert!(nth(Element::F32, &zeros, &[50_000])[0].as_f64().is_nan());
}
