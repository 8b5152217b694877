//! Results by id, by key and of runs.

use halofold::group::{GroupById, GroupByKey, reference as group};
use halofold::reduce::reference::reduce;
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Value as Number};
use halofold_cases::{Kind, data, encode, exact};
use serde_json::json;

use crate::{LENS, Rows, TYPES, elements, numbers, ranges, words};

pub fn grouped(rows: &mut Rows) {
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
pub fn in_runs(len: usize) -> Vec<u32> {
    (0..)
        .flat_map(|i: usize| vec![(i as u32).wrapping_mul(2_654_435_761) >> 20; 1 + i % 5])
        .take(len)
        .collect()
}

pub fn runs(rows: &mut Rows) {
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
