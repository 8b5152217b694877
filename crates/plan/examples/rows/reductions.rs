//! Reductions and histograms.

use halofold::histogram::{Keys, reference as histogram};
use halofold::reduce::reference::reduce;
use halofold::reduce::{Op, Shape};
use halofold::wgpu::Features;
use halofold::{Element, Value as Number};
use halofold_cases::{Data, Kind, data, encode, exact, gather, groups};
use serde_json::{Value, json};

use crate::{LENS, Rows, TYPES, merged, numbers, ranges, words};

pub fn reductions(rows: &mut Rows) {
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

pub fn histograms(rows: &mut Rows) {
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
