//! Order statistics of short rows.

use halofold::Element;
use halofold::rank::{Outputs, Quantiles, TopK, reference};

use super::{Case, End, Scene};

/// Elements of a row, and the number of largest ones.
const ROW: usize = 100;
const K: u32 = 5;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("Quantiles", "third smallest elements of rows", third),
        Case::new("TopK", "largest elements of rows", largest),
    ]
}

/// Whole rows that a device has room for.
fn elements(scene: &Scene) -> Vec<u32> {
    let len = scene.words(1000) as usize / ROW * ROW;
    (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect()
}

async fn third(scene: &Scene) -> Result<End, String> {
    let elements = elements(scene);
    let input = scene.buffer(bytemuck::cast_slice(&elements))?;
    scene.stage();
    let third = scene.compile(Ok(Quantiles::nth(Element::U32, [2])))?;
    let of = |row: &[u32]| reference::nth(Element::U32, bytemuck::cast_slice(row), &[2])[0].as_f64() as u32;
    let expected = elements.chunks(ROW).map(of).collect();
    scene.gives(&[expected], |outputs| third.of(&input).rows(ROW as u64).bind(&outputs[0])).await
}

async fn largest(scene: &Scene) -> Result<End, String> {
    let elements = elements(scene);
    let input = scene.buffer(bytemuck::cast_slice(&elements))?;
    scene.stage();
    let top = scene.compile(Ok(TopK::new(Element::U32, K)))?;
    let of = |row: &[u32]| reference::top(Element::U32, bytemuck::cast_slice(row), K as usize, false);
    let winners = elements.chunks(ROW).flat_map(of).map(|(value, index)| (value.as_f64() as u32, index));
    let (values, indices) = winners.unzip();
    scene
        .gives(&[values, indices], |outputs| {
            top.of(&input).rows(ROW as u64).bind(Outputs { values: &outputs[0], indices: &outputs[1] })
        })
        .await
}
