//! Own operators, stencils, and what is refused.

use halofold::stencil::reference::Problem;
use halofold::stencil::{Borders, Config, Grid, Stencil};
use halofold::{Element, Value as Number};
use halofold_cases::encode;
use serde_json::json;

use crate::{Rows, SUM, merged, numbers, words};

/// Operators in WGSL: over words, with parameters, over two inputs, and over structs.
pub fn own_operators(rows: &mut Rows) {
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

pub fn stencils(rows: &mut Rows) {
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
pub fn errors(rows: &mut Rows) {
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
