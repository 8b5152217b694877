//! Writes what `scripts/test-js` runs, with the results that the CPU expects: `rows.json`, whose ranges `[offset, size]` are of `rows.bin`.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use halofold::group::{GroupById, GroupByKey, reference as group};
use halofold::histogram::{Keys, reference as histogram};
use halofold::rank::{Method, reference as rank};
use halofold::reduce::reference::{Expected, Verdict, reduce, running};
use halofold::reduce::{Accuracy, Op, Scalar, Shape};
use halofold::scan::Scan;
use halofold::stencil::reference::Problem;
use halofold::stencil::{Borders, Config, Grid, Stencil};
use halofold::wgpu::{Features, Limits};
use halofold::{Element, Value as Number};
use halofold_cases::{Data, Kind, data, encode, exact, gather, groups};
use serde_json::{Map, Value, json};

/// The types of elements that every device has.
const TYPES: [Element; 3] = [Element::U32, Element::I32, Element::F32];

/// Around workgroups, subgroups and tiles.
const LENS: [usize; 9] = [0, 1, 2, 255, 257, 4095, 4096, 4097, 100_003];

const SUM: &str = "fn identity() -> Acc { return 0u; }
    fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
    fn finish(acc: Acc, n: u32) -> Acc { return acc; }";

/// The least and the greatest value that is right: both are the same if only one is.
type Range = (Number, Number);

#[derive(Default)]
struct Rows {
    rows: Vec<Value>,
    bytes: Vec<u8>,
    known: HashMap<Vec<u8>, usize>,
}

impl Rows {
    /// The range of bytes in `rows.bin`. Equal ones are stored once.
    fn store(&mut self, bytes: Vec<u8>) -> Value {
        let size = bytes.len();
        let at = *self.known.entry(bytes).or_insert_with_key(|bytes| {
            self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
            self.bytes.extend(bytes);
            self.bytes.len() - size
        });
        json!([at, size])
    }

    /// Adds a row. `more` has `len`, the `count` in a buffer, or what the output holds `before`.
    fn add(
        &mut self,
        operation: Value,
        inputs: &[(&str, &[u8])],
        outputs: &[(&str, Vec<Range>)],
        more: Value,
    ) {
        let stored = inputs.iter().map(|(name, bytes)| (name.to_string(), self.store(bytes.to_vec())));
        let inputs: Map<_, _> = stored.collect();
        let outputs: Map<_, _> =
            outputs.iter().map(|(name, ranges)| (name.to_string(), self.ranges(ranges))).collect();
        let mut row = json!({ "operation": operation, "inputs": inputs, "outputs": outputs });
        row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.rows.push(row);
    }

    /// Numbers of 64 bits: integers, or floats if one of them is.
    fn ranges(&mut self, ranges: &[Range]) -> Value {
        let is_integer = |number: &Number| matches!(number, Number::Unsigned(_) | Number::Signed(_));
        let are_integers = ranges.iter().all(|(low, _)| is_integer(low));
        let bytes = |number: Number| match number {
            Number::Unsigned(x) if are_integers => x.to_le_bytes(),
            Number::Signed(x) if are_integers => x.to_le_bytes(),
            number => number.as_f64().to_le_bytes(),
        };
        let low = self.store(ranges.iter().flat_map(|range| bytes(range.0)).collect());
        let high = self.store(ranges.iter().flat_map(|range| bytes(range.1)).collect());
        json!({ "are": if are_integers { "integers" } else { "floats" }, "low": low, "high": high })
    }
}

/// Words that are right as they are.
fn words(words: impl IntoIterator<Item = u32>) -> Vec<Range> {
    numbers(words.into_iter().map(|word| Number::Unsigned(word.into())))
}

fn numbers(numbers: impl IntoIterator<Item = Number>) -> Vec<Range> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

/// The numbers of a result, each with what else is within the bound.
fn ranges(expected: Expected, depth: u64) -> Vec<Range> {
    let one = match expected.answer {
        Scalar::One(one) => one,
        Scalar::Range { min, max } => return numbers([min, max]),
        Scalar::At { value, index } => return numbers([value, Number::Unsigned(index)]),
        other => panic!("{other}"),
    };
    let is_right = |x: f32| expected.judge(Scalar::One(Number::F32(x)), depth) == Verdict::Right;
    let Number::F32(middle) = one else { return numbers([one]) };
    assert!(is_right(middle), "{expected:?} is undecided");
    if middle.is_nan() {
        return numbers([one]);
    }
    // Integers in the order of floats: halves the distance to the last float that is right.
    let flip = |bits: i32| bits ^ if bits < 0 { i32::MAX } else { 0 };
    let last = |towards: f32| {
        let [mut right, mut wrong] = [middle, towards].map(|x| i64::from(flip(x.to_bits().cast_signed())));
        if is_right(towards) {
            return Number::F32(towards);
        }
        while right.abs_diff(wrong) > 1 {
            let half = (right + wrong).div_euclid(2);
            let is_right = is_right(f32::from_bits(flip(half as i32).cast_unsigned()));
            *(if is_right { &mut right } else { &mut wrong }) = half;
        }
        Number::F32(f32::from_bits(flip(right as i32).cast_unsigned()))
    };
    vec![(last(f32::NEG_INFINITY), last(f32::INFINITY))]
}

fn reductions(rows: &mut Rows) {
    let defined =
        || Op::ALL.iter().flat_map(|op| TYPES.map(|ty| (*op, ty))).filter(|(op, ty)| op.is_over(*ty));
    for (op, ty) in defined() {
        for len in [0, 3001] {
            reduction(rows, (op, ty, Kind::Random), len, Shape::Whole, json!({}));
        }
        if op.over(ty).is_ok_and(|monoid| monoid.accumulates() == Some(Features::empty())) {
            reduction(rows, (op, ty, Kind::Dyadic), 3001, Shape::Accumulate, json!({ "accumulate": true }));
        }
    }
    for op in [
        Op::Min,
        Op::Max,
        Op::MinMax,
        Op::ArgMin,
        Op::ArgMax,
        Op::MaxNorm,
        Op::CountNonzero,
        Op::Any,
        Op::All,
    ] {
        for kind in [Kind::Extremes, Kind::Nan] {
            reduction(rows, (op, Element::F32, kind), 1000, Shape::Whole, json!({}));
        }
    }
    let few = [
        (Op::Sum, Element::F32),
        (Op::Mean, Element::U32),
        (Op::ArgMax, Element::I32),
        (Op::Dot, Element::F32),
        (Op::Variance, Element::F32),
        (Op::WideSum, Element::I32),
        (Op::MinMax, Element::F32),
    ];
    for (op, ty) in few {
        for len in LENS {
            reduction(rows, (op, ty, Kind::Random), len, Shape::Whole, json!({}));
        }
        for len in [1, 5, 100, 5000] {
            reduction(
                rows,
                (op, ty, Kind::Random),
                4 * len,
                Shape::Segments { len: len as u64 },
                json!({ "rows": len }),
            );
        }
        for stride in [1, 7] {
            reduction(
                rows,
                (op, ty, Kind::Random),
                10_000,
                Shape::Strided { stride },
                json!({ "stride": stride }),
            );
        }
        for (outer, len, inner) in [(1, 300, 40), (3, 20, 50), (2, 100, 1)] {
            let elements = (outer * len * inner) as usize;
            reduction(
                rows,
                (op, ty, Kind::Random),
                elements,
                Shape::axis(outer, len, inner),
                json!({ "axis": [outer, len, inner] }),
            );
        }
        reduction(
            rows,
            (op, ty, Kind::Random),
            10_000,
            Shape::Offsets { count: 4 },
            json!({ "segments": 4 }),
        );
        for (shape, settings) in
            [(Shape::Whole, json!({})), (Shape::Strided { stride: 3 }, json!({ "stride": 3 }))]
        {
            let settings = merged(settings, json!({ "count": 1234 }));
            reduction(rows, (op, ty, Kind::Random), 10_000, shape, settings);
        }
    }
    for op in [Op::Sum, Op::Mean, Op::L1, Op::Dot] {
        for kind in [Kind::Random, Kind::Extremes] {
            for len in [0, 1, 5000] {
                reduction(rows, (op, Element::F32, kind), len, Shape::Whole, json!({ "exact": true }));
            }
            reduction(
                rows,
                (op, Element::F32, kind),
                5000,
                Shape::Segments { len: 50 },
                json!({ "exact": true, "rows": 50 }),
            );
        }
    }
    reduction(rows, (Op::Sum, Element::F32, Kind::Random), 100_003, Shape::Whole, json!({ "exact": true }));
}

fn merged(mut one: Value, other: Value) -> Value {
    one.as_object_mut().expect("an object").extend(other.as_object().expect("an object").clone());
    one
}

/// One reduction; a `count` is of the row, the other settings are of the operation.
fn reduction(
    rows: &mut Rows,
    (op, ty, kind): (Op, Element, Kind),
    len: usize,
    shape: Shape,
    mut settings: Value,
) {
    let count = settings.as_object_mut().expect("an object").remove("count");
    let most = count.as_ref().map_or(usize::MAX, |count| count.as_u64().expect("a count") as usize);
    let is_exact = settings["exact"] == true;
    let operation = merged(json!({ "name": "reduce", "op": op.name(), "type": ty.name() }), settings);
    let taken = if let Shape::Strided { stride } = shape { len.div_ceil(stride as usize) } else { len };
    let plan = halofold_plan::plan(json!({ "operation": operation, "len": taken })).expect("it is right");
    let depth = plan["depth"].as_u64().expect("a depth");
    let arity = if plan["inputs"][1] == "second" { 2 } else { 1 };
    let data: Vec<Data> = (0..arity).map(|seed| data(kind, op, ty, len, seed)).collect();
    let ends = [0, len / 7, len / 7, len / 2, len].map(|end| end as u32);
    let result = |part: Vec<usize>| {
        let parts: Vec<_> =
            data.iter().map(|data| gather(data.bytes(), ty.size() as usize, part.iter().copied())).collect();
        let second = parts.get(1).map(Vec::as_slice);
        if is_exact {
            let bits = exact::expected(op, ty, &parts[0], second) as u32;
            return numbers([Number::F32(f32::from_bits(bits))]);
        }
        ranges(reduce(op, ty, &parts[0], second).expect("a reference"), depth)
    };
    let expected =
        groups(shape, len, &ends, most).into_iter().flat_map(|part| result(part.collect())).collect();
    let mut inputs = vec![("elements", data[0].bytes())];
    inputs.extend(data.get(1).map(|second| ("second", second.bytes())));
    if let Shape::Offsets { .. } = shape {
        inputs.push(("offsets", bytemuck::cast_slice(&ends)));
    }
    let mut more = json!({});
    if let Some(count) = count {
        more["count"] = count;
    }
    if shape == Shape::Accumulate {
        let nothing =
            reduce(op, ty, &[], Some(&[])).and_then(|nothing| nothing.answer.value()).expect("a number");
        more["before"] =
            json!({ "output": rows.store(encode(Element::I64, [nothing.as_f64()])[..4].to_vec()) });
    }
    rows.add(operation, &inputs, &[("output", expected)], more);
}

/// Elements with many equal ones.
fn elements(ty: Element, len: usize) -> Vec<u8> {
    encode(
        ty,
        (0..len as u32).map(|i| {
            f64::from(i.wrapping_mul(2_654_435_761) >> 21) - if ty == Element::U32 { 0.0 } else { 1000.0 }
        }),
    )
}

/// Rows or segments: the settings, and the elements of each.
fn cuts(len: usize) -> Vec<(Value, Vec<std::ops::Range<usize>>)> {
    let rows = |row: usize| (0..len / row).map(|nth| nth * row..(nth + 1) * row).collect();
    let ends = [0, len / 7, len / 7, len / 2, len];
    let whole = 0..len;
    vec![
        (json!({}), vec![whole]),
        (json!({ "rows": len / 10 }), rows(len / 10)),
        (json!({ "offsets": ends }), ends.windows(2).map(|ends| ends[0]..ends[1]).collect()),
    ]
}

fn ranks(rows: &mut Rows) {
    for ty in TYPES {
        let settings = |name: &str, more: Value| merged(json!({ "name": name, "type": ty.name() }), more);
        for len in LENS.into_iter().filter(|len| *len < 10_000 || ty == Element::F32) {
            let bytes = elements(ty, len);
            let asked = [0.5, 0.0, 0.95];
            rows.add(
                settings("quantiles", json!({ "q": asked })),
                &[("elements", &bytes)],
                &[("values", quantiles(ty, &bytes, &asked))],
                json!({}),
            );
            let outputs = winners(&rank::top(ty, &bytes, 5, false));
            rows.add(settings("top-k", json!({ "k": 5 })), &[("elements", &bytes)], &outputs, json!({}));
        }
        let len = 10_000;
        let bytes = elements(ty, len);
        for (cut, parts) in cuts(len) {
            let of = |part: &std::ops::Range<usize>| &bytes[part.start * 4..part.end * 4];
            let input = [("elements", &*bytes)];
            let values = parts.iter().flat_map(|part| quantiles(ty, of(part), &[0.25, 0.75])).collect();
            rows.add(
                settings("quantiles", merged(cut.clone(), json!({ "q": [0.25, 0.75] }))),
                &input,
                &[("values", values)],
                json!({}),
            );
            let values = parts.iter().flat_map(|part| numbers(rank::nth(ty, of(part), &[7, 100]))).collect();
            rows.add(
                settings("quantiles", merged(cut.clone(), json!({ "nth": [7, 100] }))),
                &input,
                &[("values", values)],
                json!({}),
            );
            for smallest in [false, true] {
                let top: Vec<_> =
                    parts.iter().flat_map(|part| padded_top(ty, of(part), 10, smallest)).collect();
                let more = merged(cut.clone(), json!({ "k": 10, "smallest": smallest }));
                rows.add(settings("top-k", more), &input, &winners(&top), json!({}));
            }
        }
        let counted = &bytes[..4 * 777];
        let input = [("elements", &*bytes)];
        rows.add(
            settings("quantiles", json!({ "q": [0.5] })),
            &input,
            &[("values", quantiles(ty, counted, &[0.5]))],
            json!({ "count": 777 }),
        );
        rows.add(
            settings("quantiles", json!({ "q": [0.5] })),
            &input,
            &[("values", quantiles(ty, counted, &[0.5]))],
            json!({ "len": 777 }),
        );
        rows.add(
            settings("top-k", json!({ "k": 3 })),
            &input,
            &winners(&rank::top(ty, counted, 3, false)),
            json!({ "count": 777 }),
        );
    }
}

/// The winners of a row, with zeros in the place of those that it does not have.
fn padded_top(ty: Element, bytes: &[u8], k: usize, smallest: bool) -> Vec<(Number, u32)> {
    let mut top = rank::top(ty, bytes, k, smallest);
    top.resize(k, (rank::nth(ty, &[0; 4], &[0])[0], u32::MAX));
    top
}

/// Quantiles in 32 bits: the ends, their distance and the sum are rounded.
fn quantiles(ty: Element, bytes: &[u8], at: &[f64]) -> Vec<Range> {
    let by = |method| rank::quantiles(ty, bytes, method, at);
    let ends = by(Method::Lower).into_iter().zip(by(Method::Higher));
    let around = |(value, (lower, upper)): (Number, (Number, Number))| {
        let error = 4.0 * 2f64.powi(-23) * lower.as_f64().abs().max(upper.as_f64().abs());
        (Number::F64(value.as_f64() - error), Number::F64(value.as_f64() + error))
    };
    by(Method::Linear).into_iter().zip(ends).map(around).collect()
}

fn winners(top: &[(Number, u32)]) -> [(&'static str, Vec<Range>); 2] {
    [("values", numbers(top.iter().map(|top| top.0))), ("indices", words(top.iter().map(|top| top.1)))]
}

fn histograms(rows: &mut Rows) {
    let levels = [0.0f32, 0.25, 0.25, 0.5, 0.875];
    let kinds = [
        (json!({ "bins": 100 }), Keys::Numbers, 100),
        (json!({ "bins": 5000 }), Keys::Numbers, 5000),
        (json!({ "bins": 50, "range": [0, 1] }), Keys::Ranges { low: 0.0, high: 1.0 }, 50),
        (json!({ "bins": 6000, "range": [0.25, 0.75] }), Keys::Ranges { low: 0.25, high: 0.75 }, 6000),
        (json!({ "bins": 4, "edges": levels }), Keys::Levels(levels.into()), 4),
    ];
    for (settings, keys, bins) in kinds {
        for len in LENS {
            let key = |i: u32| match keys {
                Keys::Numbers => i.wrapping_mul(2_654_435_761) % (bins + 3),
                _ => ((i % 1000) as f32 / 999.0).to_bits(),
            };
            let words_of: Vec<u32> = (0..len as u32).map(key).collect();
            let input: [(&str, &[u8]); 1] = [("elements", bytemuck::cast_slice(&words_of))];
            let counts = histogram::counts(&keys, bins, &words_of);
            let of = |more| merged(merged(json!({ "name": "histogram" }), settings.clone()), more);
            rows.add(of(json!({})), &input, &[("counts", words(counts.clone()))], json!({}));
            if len == 4097 {
                let more = counts.iter().map(|count| count + 7);
                let before = vec![7.0; bins as usize];
                let before = rows.store(encode(Element::U32, before));
                rows.add(
                    of(json!({ "add": true })),
                    &input,
                    &[("counts", words(more))],
                    json!({ "before": { "counts": before } }),
                );
                let some = histogram::counts(&keys, bins, &words_of[..999]);
                rows.add(of(json!({})), &input, &[("counts", words(some))], json!({ "count": 999 }));
            }
        }
    }
}

fn grouped(rows: &mut Rows) {
    type Asked = (&'static [&'static str], fn(GroupById) -> GroupById);
    let asked: [Asked; 2] = [
        (&["count", "sum", "mean", "min", "max"], |by| by.count().sum().mean().min().max()),
        (&["variance", "sample_variance"], |by| by.variance().sample_variance()),
    ];
    for ty in TYPES {
        for (names, ask) in asked {
            for (len, most) in
                [(0, 4), (1, 4), (5000, 10), (if ty == Element::F32 { 100_003 } else { 9000 }, 3000)]
            {
                let values = elements(ty, len);
                let ids: Vec<u32> =
                    (0..len as u32).map(|i| i.wrapping_mul(0x9e37_79b1) % (most + 1)).collect();
                let inputs = [("values", &*values), ("keys", bytemuck::cast_slice(&ids))];
                let (results, rejected) = group::by_id(&ask(GroupById::new(ty, most)), &values, &ids);
                let mut outputs: Vec<_> = names
                    .iter()
                    .enumerate()
                    .map(|(nth, name)| (*name, numbers(results.iter().map(|of| of[nth]))))
                    .collect();
                outputs.push(("rejected", words([rejected])));
                rows.add(
                    json!({ "name": "group-by-id", "type": ty.name(), "groups": most, "results": names }),
                    &inputs,
                    &outputs,
                    json!({}),
                );
            }
            for key in TYPES {
                let (len, most) = (5000, 50);
                let values = elements(ty, len);
                let keys =
                    encode(key, (0..len as u32).map(|i| f64::from(i.wrapping_mul(0x9e37_79b1) % most)));
                let inputs = [("keys", &*keys), ("values", &*values)];
                let mut by_key = GroupByKey::new(key, ty, most);
                for name in names {
                    by_key = match *name {
                        "count" => by_key.count(),
                        "sum" => by_key.sum(),
                        "mean" => by_key.mean(),
                        "min" => by_key.min(),
                        "max" => by_key.max(),
                        "variance" => by_key.variance(),
                        _ => by_key.sample_variance(),
                    };
                }
                let found = group::group_by(&by_key, &keys, &values);
                let mut outputs = vec![
                    ("keys", numbers(found.iter().map(|(key, _)| *key))),
                    ("len", words([found.len() as u32])),
                ];
                let results = names
                    .iter()
                    .enumerate()
                    .map(|(nth, name)| (*name, numbers(found.iter().map(|(_, of)| of[nth]))));
                outputs.extend(results);
                outputs.push(("rejected", words([0])));
                let operation = json!({ "name": "group-by-key", "key": key.name(), "type": ty.name(), "groups": most, "results": names });
                rows.add(operation, &inputs, &outputs, json!({}));
            }
        }
    }
}

/// Runs of one to five equal words.
fn in_runs(len: usize) -> Vec<u32> {
    (0..)
        .flat_map(|i: usize| vec![(i as u32).wrapping_mul(2_654_435_761) >> 20; 1 + i % 5])
        .take(len)
        .collect()
}

fn runs(rows: &mut Rows) {
    for len in LENS {
        let keys = in_runs(len);
        let bytes: &[u8] = bytemuck::cast_slice(&keys);
        let found: Vec<_> = keys.chunk_by(u32::eq).collect();
        let own = || words(found.iter().map(|run| run[0]));
        let count = || words([found.len() as u32]);
        let lengths = words(found.iter().map(|run| run.len() as u32));
        rows.add(
            json!({ "name": "run-lengths", "key": "u32" }),
            &[("elements", bytes)],
            &[("keys", own()), ("results", lengths), ("len", count())],
            json!({}),
        );
        rows.add(
            json!({ "name": "unique", "type": "u32" }),
            &[("elements", bytes)],
            &[("kept", own()), ("count", count())],
            json!({}),
        );
        for (op, ty) in [
            (Op::Sum, Element::U32),
            (Op::Max, Element::I32),
            (Op::Sum, Element::F32),
            (Op::ArgMin, Element::F32),
        ] {
            let values = data(Kind::Random, op, ty, len, 5);
            let mut at = 0;
            let of = |run: &&[u32]| {
                let mut expected =
                    reduce(op, ty, &values.bytes()[4 * at..4 * (at + run.len())], None).expect("a reference");
                // Places count from the start of the input.
                if let Scalar::At { index, .. } = &mut expected.answer {
                    *index += at as u64;
                }
                at += run.len();
                ranges(expected, len as u64)
            };
            let results = found.iter().flat_map(of).collect();
            let operation =
                json!({ "name": "reduce-runs", "key": "u32", "op": op.name(), "type": ty.name() });
            rows.add(
                operation,
                &[("keys", bytes), ("values", values.bytes())],
                &[("keys", own()), ("results", results), ("len", count())],
                json!({}),
            );
        }
    }
    let (keys, values) = (in_runs(5000), data(Kind::Random, Op::Sum, Element::F32, 5000, 5));
    let operation = json!({ "name": "reduce-runs", "key": "u32", "op": "sum", "type": "f32", "exact": true });
    let found: Vec<_> = keys.chunk_by(u32::eq).collect();
    let mut left = values.bytes();
    let sums = found.iter().map(|run| {
        let own = left.split_off(..4 * run.len()).expect("a run");
        Number::F32(f32::from_bits(exact::expected(Op::Sum, Element::F32, own, None) as u32))
    });
    let outputs = [
        ("keys", words(found.iter().map(|run| run[0]))),
        ("results", numbers(sums)),
        ("len", words([found.len() as u32])),
    ];
    rows.add(
        operation,
        &[("keys", bytemuck::cast_slice(&keys)), ("values", values.bytes())],
        &outputs,
        json!({}),
    );
}

fn scans(rows: &mut Rows) {
    let all = [
        (Op::Sum, Element::U32),
        (Op::Sum, Element::F32),
        (Op::Max, Element::I32),
        (Op::WideSum, Element::U32),
    ];
    let scan = |rows: &mut Rows,
                (op, ty): (Op, Element),
                len: usize,
                cut: &(Value, Vec<std::ops::Range<usize>>),
                is_exclusive,
                accuracy| {
        let values = data(Kind::Random, op, ty, len, 3);
        let depth = Scan::new(op.over(ty).expect("it is right")).depth(len as u64, &Limits::default());
        let of = |part: &std::ops::Range<usize>| {
            let part = &values.bytes()[part.start * 4..part.end * 4];
            running(op, ty, accuracy, is_exclusive).expect("a reference")(part)
        };
        let expected = cut.1.iter().flat_map(of).flat_map(|expected| ranges(expected, depth)).collect();
        let own = json!({ "name": "scan", "op": op.name(), "type": ty.name(), "exclusive": is_exclusive, "exact": accuracy == Accuracy::Exact });
        rows.add(
            merged(own, cut.0.clone()),
            &[("elements", values.bytes())],
            &[("prefixes", expected)],
            json!({}),
        );
    };
    for of in all {
        for len in LENS {
            let all = 0..len;
            let whole = (json!({}), vec![all]);
            scan(rows, of, len, &whole, false, Accuracy::Fast);
        }
        for cut in cuts(10_000) {
            scan(rows, of, 10_000, &cut, true, Accuracy::Fast);
        }
    }
    for cut in cuts(3000) {
        scan(rows, (Op::Sum, Element::F32), 3000, &cut, false, Accuracy::Exact);
    }
}

fn selections(rows: &mut Rows) {
    for ty in TYPES {
        for len in LENS {
            let bytes = elements(ty, len);
            let number = |at: usize| rank::nth(ty, &bytes[4 * at..4 * at + 4], &[0])[0];
            let wgsl = "fn keep(elem: Elem, index: u32) -> bool { return elem > Elem(900) || index == 7u; }";
            let places: Vec<_> = (0..len).filter(|at| number(*at).as_f64() > 900.0 || *at == 7).collect();
            let count = words([places.len() as u32]);
            for indices in [false, true] {
                let kept = if indices {
                    words(places.iter().map(|at| *at as u32))
                } else {
                    numbers(places.iter().map(|at| number(*at)))
                };
                let operation =
                    json!({ "name": "select", "type": ty.name(), "wgsl": wgsl, "indices": indices });
                rows.add(
                    operation,
                    &[("elements", &bytes)],
                    &[("kept", kept), ("count", count.clone())],
                    json!({}),
                );
            }
        }
    }
    let (all, pair) = (in_runs(5000), [5u32, 1]);
    let wgsl = "@group(0) @binding(10) var<storage> pair: vec2<u32>;
        fn keep(elem: Elem, index: u32) -> bool { return elem % pair.x == pair.y; }";
    let kept: Vec<_> = all.iter().copied().filter(|word| word % 5 == 1).collect();
    let inputs: [(&str, &[u8]); 2] =
        [("elements", bytemuck::cast_slice(&all)), ("parameters", bytemuck::cast_slice(&pair))];
    let outputs = [("count", words([kept.len() as u32])), ("kept", words(kept))];
    rows.add(json!({ "name": "select", "type": "u32", "wgsl": wgsl }), &inputs, &outputs, json!({}));
}

/// Operators in WGSL: over words, with parameters, over two inputs, and over structs.
fn own_operators(rows: &mut Rows) {
    let all: Vec<u32> = (0..5000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&all);
    let sum = |of: &dyn Fn(usize) -> u32, parts: std::ops::Range<usize>| {
        parts.fold(0u32, |sum, at| sum.wrapping_add(of(at)))
    };
    let squares = format!(
        "alias Acc = u32; fn map(elem: Elem, index: u32) -> Acc {{ return elem * elem + index; }} {SUM}"
    );
    let square = |at: usize| all[at].wrapping_mul(all[at]).wrapping_add(at as u32);
    let operation = json!({ "name": "reduce", "type": "u32", "wgsl": squares });
    rows.add(
        operation.clone(),
        &[("elements", bytes)],
        &[("output", words([sum(&square, 0..5000)]))],
        json!({}),
    );
    rows.add(
        operation,
        &[("elements", bytes)],
        &[("output", words([sum(&square, 0..99)]))],
        json!({ "count": 99 }),
    );
    let scaled = format!(
        "@group(0) @binding(9) var<uniform> factor: vec4<u32>;
        alias Acc = u32; fn map(elem: Elem, index: u32) -> Acc {{ return elem * factor.y; }} {SUM}"
    );
    let operation = json!({ "name": "reduce", "type": "u32", "wgsl": scaled, "rows": 1000 });
    let triples = (0..5).map(|row| sum(&|at| all[at].wrapping_mul(3), row * 1000..(row + 1) * 1000));
    let factor = [0u32, 3, 0, 0];
    rows.add(
        operation,
        &[("elements", bytes), ("parameters", bytemuck::cast_slice(&factor))],
        &[("output", words(triples))],
        json!({}),
    );
    let prefixes = (0..5000).scan(0u32, |sum, at| {
        *sum = sum.wrapping_add(all[at].wrapping_mul(3));
        Some(*sum)
    });
    rows.add(
        json!({ "name": "scan", "type": "u32", "wgsl": scaled }),
        &[("elements", bytes), ("parameters", bytemuck::cast_slice(&factor))],
        &[("prefixes", words(prefixes))],
        json!({}),
    );
    let differences =
        format!("alias Acc = u32; fn map(a: Elem, b: Elem, index: u32) -> Acc {{ return a ^ b; }} {SUM}");
    let other: Vec<u32> = all.iter().rev().copied().collect();
    let operation = json!({ "name": "reduce", "type": "u32", "wgsl": differences, "inputs": 2 });
    let inputs = [("elements", bytes), ("second", bytemuck::cast_slice(&other))];
    rows.add(operation, &inputs, &[("output", words([sum(&|at| all[at] ^ other[at], 0..5000)]))], json!({}));
    let structs = format!(
        "struct Elem {{ x: u32, y: u32 }} alias Acc = u32;
        fn map(elem: Elem, index: u32) -> Acc {{ return elem.x ^ elem.y; }} {SUM}"
    );
    let operation = json!({ "name": "reduce", "elementSize": 8, "wgsl": structs });
    rows.add(
        operation,
        &[("elements", bytes)],
        &[("output", words([sum(&|at| all[2 * at] ^ all[2 * at + 1], 0..2500)]))],
        json!({}),
    );
}

fn stencils(rows: &mut Rows) {
    let grids = [
        ("5", Grid::plane(37, 50)),
        ("9", Grid::plane(37, 50)),
        ("7", Grid { planes: 9, rows: 10, cols: 11 }),
        ("27", Grid { planes: 9, rows: 10, cols: 11 }),
    ];
    for (name, grid) in grids {
        let stencil: &'static Stencil = name.parse().expect("a stencil");
        let sides = if grid.planes > 1 {
            format!("{}x{}x{}", grid.planes, grid.rows, grid.cols)
        } else {
            format!("{}x{}", grid.rows, grid.cols)
        };
        for border in ["fixed", "reflect", "mirror", "wrap", "constant=2"] {
            for has_rhs in [false, true] {
                // Small integers: with weights that are powers of two nothing is rounded.
                let cells: Vec<_> = (0..grid.cells())
                    .map(|at| f64::from((at as u32).wrapping_mul(2_654_435_761) >> 29))
                    .collect();
                let rhs: Vec<_> = cells.iter().rev().copied().collect();
                let borders = Borders::all(border.parse().expect("a border"));
                let config =
                    Config::new(stencil, stencil.general(), Element::F32, grid).with_borders(borders);
                let problem = Problem::of(&config, stencil.dyadic);
                let problem = if has_rhs { problem.with_rhs(&rhs) } else { problem };
                let mut next = cells.clone();
                problem.step(&cells, &mut next);
                let (cells, rhs) = (encode(Element::F32, cells), encode(Element::F32, rhs.clone()));
                let mut inputs = vec![("cells", &*cells)];
                inputs.extend(has_rhs.then_some(("rhs", &*rhs)));
                let weights = stencil.dyadic.of_classes(stencil);
                let operation = json!({ "name": "jacobi", "stencil": name, "type": "f32", "grid": sides, "border": border, "weights": weights, "rhs": has_rhs });
                let next = numbers(next.into_iter().map(Number::F64));
                let before = rows.store(cells.clone());
                rows.add(operation, &inputs, &[("next", next)], json!({ "before": { "next": before } }));
            }
        }
    }
}

/// Requests that are refused, and a part of the message.
fn errors(rows: &mut Rows) {
    let sum = |more| merged(json!({ "name": "reduce", "op": "sum", "type": "f32" }), more);
    let refused = [
        (sum(json!({ "opp": 1 })), "has no setting `opp`"),
        (sum(json!({ "type": "f23" })), "unknown type `f23`; the types are u32, i32, f32"),
        (sum(json!({ "op": "som" })), "unknown operator `som`"),
        (sum(json!({ "op": null })), "needs `op`"),
        (sum(json!({ "rows": 3, "stride": 2 })), "one of `rows`, `stride`"),
        (sum(json!({ "rows": "3" })), "`rows`"),
        (sum(json!({ "rows": 3 })), "100 elements"),
        (json!({ "name": "sum" }), "unknown operation `sum`"),
        (
            json!({ "name": "select", "type": "f32", "wgsl": "fn keep(elem: Elem) -> bool { return elm; }" }),
            "elm",
        ),
        (
            json!({ "name": "reduce", "type": "f32", "wgsl": "alias Acc = f32;" }),
            "lacks the function `fn identity() -> Acc`",
        ),
        (
            json!({ "name": "group-by-id", "type": "f32", "groups": 3, "results": ["median"] }),
            "no result `median`",
        ),
        (json!({ "name": "quantiles", "type": "f32", "q": [1.5] }), "1.5"),
        (json!({ "name": "jacobi", "type": "f32", "stencil": "6", "grid": "8x8" }), "unknown stencil `6`"),
    ];
    let bytes = encode(Element::F32, (0..100).map(f64::from));
    for (operation, message) in refused {
        let main = if operation["name"] == "group-by-id" {
            vec![("values", &*bytes), ("keys", &bytes)]
        } else if operation["name"] == "jacobi" {
            vec![("cells", &*bytes)]
        } else {
            vec![("elements", &*bytes)]
        };
        rows.add(operation, &main, &[], json!({ "error": message }));
    }
    let input = [("elements", &*bytes)];
    rows.add(
        sum(json!({ "rows": 10 })),
        &input,
        &[],
        json!({ "outputSize": 36, "error": "output: 36 bytes of 40" }),
    );
    let two = [("elements", &*bytes), ("second", &*bytes)];
    rows.add(sum(json!({})), &two, &[], json!({ "error": "the operation takes elements" }));
    let list = [("elements", &*bytes), ("offsets", &[0; 8])];
    let start = json!({ "starts": { "offsets": 8 }, "error": "offsets: 8 is no multiple of 256" });
    rows.add(sum(json!({ "segments": 1 })), &list, &[], start);
    let grid = json!({ "name": "jacobi", "type": "f32", "stencil": "5", "grid": "10x10" });
    let start = json!({ "starts": { "cells": 8 }, "error": "a grid starts at a multiple of 256 bytes" });
    rows.add(grid, &[("cells", &*bytes)], &[], start);
    rows.add(sum(json!({})), &[("element", &bytes)], &[], json!({ "error": "element is no input" }));
    let more = json!({ "len": 101, "error": "101 elements: the buffer has 100" });
    rows.add(sum(json!({})), &input, &[], more);
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let mut rows = Rows::default();
    for add in
        [reductions, ranks, histograms, grouped, runs, scans, selections, own_operators, stencils, errors]
    {
        add(&mut rows);
    }
    fs::write(folder.join("rows.bin"), &rows.bytes).expect("a folder that can be written");
    fs::write(folder.join("rows.json"), json!(rows.rows).to_string()).expect("a folder that can be written");
}
