//! Order statistics of short rows, modes, and numbers of distinct values.

use halofold::Element;
use halofold::rank::{Distinct, Mode, Quantiles, TopK, reference};

use super::{End, Operation, Scene, text};

/// Elements of a row, and the number of largest ones.
const ROW: usize = 100;
const K: u32 = 5;

pub fn operations() -> Vec<Operation> {
    vec![
        Operation::new("third smallest elements of rows", |scene| Box::pin(third(scene))),
        Operation::new("largest elements of rows", |scene| Box::pin(largest(scene))),
        Operation::new("number of distinct values", |scene| Box::pin(distinct(scene))),
        Operation::new("mode", |scene| Box::pin(mode(scene))),
        Operation::new("registers of distinct values", |scene| Box::pin(registers(scene))),
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
    let third = Quantiles::nth(Element::U32, [2]).rows(ROW as u64).on(&scene.device).map_err(text)?;
    let output = scene.room((4 * elements.len() / ROW) as u64)?;
    scene.stage();
    let prepared = third.of(&input).into(&output).map_err(text)?;
    let of = |row: &[u32]| reference::nth(Element::U32, bytemuck::cast_slice(row), &[2])[0].as_f64() as u32;
    let expected: Vec<u32> = elements.chunks(ROW).map(of).collect();
    scene.compare(|encoder| prepared.encode(encoder), &output, bytemuck::cast_slice(&expected)).await
}

async fn largest(scene: &Scene) -> Result<End, String> {
    let elements = elements(scene);
    let input = scene.buffer(bytemuck::cast_slice(&elements))?;
    scene.stage();
    let top = TopK::new(Element::U32, K).map_err(text)?.rows(ROW as u64).on(&scene.device).map_err(text)?;
    let indices = top.config().indices_at(elements.len() as u64) as usize / 4;
    let winners = elements.len() / ROW * K as usize;
    let output = scene.room(4 * (indices + winners) as u64)?;
    scene.stage();
    let prepared = top.of(&input).into(&output).map_err(text)?;
    let mut expected = vec![0; indices + winners];
    let of = |row: &[u32]| reference::top(Element::U32, bytemuck::cast_slice(row), K as usize, false);
    for (place, (value, index)) in elements.chunks(ROW).flat_map(of).enumerate() {
        expected[place] = value.as_f64() as u32;
        expected[indices + place] = index;
    }
    scene.compare(|encoder| prepared.encode(encoder), &output, bytemuck::cast_slice(&expected)).await
}

async fn distinct(scene: &Scene) -> Result<End, String> {
    let elements = elements(scene);
    let input = scene.buffer(bytemuck::cast_slice(&elements))?;
    scene.stage();
    let distinct =
        Distinct::new(Element::F16).and_then(|distinct| distinct.on(&scene.device)).map_err(text)?;
    let output = scene.room(4)?;
    scene.stage();
    let prepared = distinct.of(&input).into(&output).map_err(text)?;
    let expected = reference::distinct(Element::F16, bytemuck::cast_slice(&elements)) as u32;
    scene.compare(|encoder| prepared.encode(encoder), &output, &expected.to_ne_bytes()).await
}

async fn mode(scene: &Scene) -> Result<End, String> {
    let elements = elements(scene);
    let input = scene.buffer(bytemuck::cast_slice(&elements))?;
    scene.stage();
    let mode = Mode::new(Element::U32).and_then(|mode| mode.on(&scene.device)).map_err(text)?;
    let output = scene.room(8)?;
    scene.stage();
    let prepared = mode.of(&input).into(&output).map_err(text)?;
    let (value, number) = reference::mode(Element::U32, bytemuck::cast_slice(&elements));
    let expected = [value.as_f64() as u32, number as u32];
    scene.compare(|encoder| prepared.encode(encoder), &output, bytemuck::cast_slice(&expected)).await
}

/// Elements that are all 0: its hash begins with 4848, in 14 bits, and 001.
async fn registers(scene: &Scene) -> Result<End, String> {
    let input = scene.buffer(bytemuck::cast_slice(&vec![0u32; scene.words(1000) as usize]))?;
    scene.stage();
    let estimated = Distinct::estimated(Element::U32).on(&scene.device).map_err(text)?;
    let output = scene.room(4 << 14)?;
    scene.stage();
    let prepared = estimated.of(&input).into(&output).map_err(text)?;
    let mut expected = vec![0u32; 1 << 14];
    expected[4848] = 3;
    scene.compare(|encoder| prepared.encode(encoder), &output, bytemuck::cast_slice(&expected)).await
}
