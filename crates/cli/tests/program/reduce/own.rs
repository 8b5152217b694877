//! `halofold reduce --wgsl`: operators of the user's own.

use serde_json::{Value, json};

use crate::files::{Folder, npy, parsed, refused};

/// Maps x -> scale * x + shift, one after the other: associative, and another result in any other order.
const AFFINE: &str = include_str!("../files/affine.wgsl");

/// The mean of the elements above zero, and their number.
const MEAN_ABOVE_ZERO: &str = "
struct Acc { sum: f32, count: u32 }
struct Out { mean: f32, count: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(f32(max(elem, Elem(0))), select(0u, 1u, elem > Elem(0))); }
fn identity() -> Acc { return Acc(0.0, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.count + b.count); }
fn finish(acc: Acc, n: u32) -> Out { return Out(acc.sum / f32(max(acc.count, 1u)), acc.count); }
";

fn value(folder: &Folder, request: &str) -> Value {
    let mut rows: Vec<Value> = parsed(&folder.run(&format!("reduce {request} --json")));
    rows[0]["value"].take()
}

#[test]
fn operators_of_a_whole_file_take_elements_in_order() {
    let folder = Folder::new("own-order");
    folder.write("affine.wgsl", AFFINE.as_bytes());
    let items: Vec<u32> = (0..20_011u32).map(|i| i.wrapping_mul(2_654_435_769)).collect();
    folder.write("a.npy", &npy("<u4", false, &[items.len()], bytemuck::cast_slice(&items)));
    let step = |[scale, shift]: [u32; 2], (index, elem): (u32, &u32)| {
        let by = 2u32.wrapping_mul(*elem).wrapping_add(1);
        [scale.wrapping_mul(by), shift.wrapping_mul(by).wrapping_add(elem ^ index)]
    };
    let rows: Value = parsed(&folder.run("reduce a.npy --wgsl affine.wgsl --json"));
    let expected = (0..).zip(&items).fold([1, 0], step);
    assert_eq!((&rows[0]["value"], &rows[0]["op"]), (&json!(expected), &json!("affine")));
}

#[test]
fn operators_take_every_type_and_axis() {
    let folder = Folder::new("own-types");
    folder.write("mean.wgsl", MEAN_ABOVE_ZERO.as_bytes());
    for (kind, data) in [
        ("<f4", [1.0f32, -2.0, 3.0, 4.0, -5.0, 8.0].map(f32::to_le_bytes).concat()),
        ("|i1", vec![1, 254, 3, 4, 251, 8]),
    ] {
        folder.write("a.npy", &npy(kind, false, &[2, 3], &data));
        assert_eq!(value(&folder, "a.npy --wgsl mean.wgsl"), json!([4.0, 4]), "{kind}");
        assert_eq!(value(&folder, "a.npy --wgsl mean.wgsl --axis=1"), json!([[2.0, 2], [6.0, 2]]));
    }
    refused(&folder.run("reduce a.npy --wgsl mean.wgsl --axis=1 -o out.npy"), &["`mean` gives 2"]);
}
