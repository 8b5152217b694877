//! Prefixes and selections.

use halofold::Element;
use halofold::rank::reference as rank;
use halofold::reduce::reference::running;
use halofold::reduce::{Accuracy, Op};
use halofold::scan::Scan;
use halofold::wgpu::Limits;
use halofold_cases::{Kind, data};
use serde_json::{Value, json};

use crate::groups::in_runs;
use crate::{LENS, Rows, TYPES, cuts, elements, merged, numbers, ranges, words};

pub fn scans(rows: &mut Rows) {
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

pub fn selections(rows: &mut Rows) {
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
