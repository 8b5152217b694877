//! Order statistics.

use halofold::rank::{Method, reference as rank};
use halofold::{Element, Value as Number};
use serde_json::{Value, json};

use crate::{LENS, Range, Rows, TYPES, cuts, elements, merged, numbers, words};

pub fn ranks(rows: &mut Rows) {
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
