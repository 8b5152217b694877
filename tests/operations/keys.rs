//! Histograms.

use halofold::histogram::{Histogram, Keys, reference};

use super::{End, Operation, Scene, text};

pub fn operations() -> Vec<Operation> {
    let of = |name: &str, keys, bins| Operation::new(name, move |scene| count(scene, &keys, bins));
    vec![
        of("histogram of numbers", Keys::Numbers, 100),
        of("histogram of many bins", Keys::Numbers, 3000),
        of("histogram of ranges", Keys::Ranges { low: 0.0, high: 1.0 }, 50),
    ]
}

fn count(scene: &Scene, keys: &Keys, bins: u32) -> Result<End, String> {
    let words: Vec<u32> = (0..scene.words(5000) as u32)
        .map(|i| match keys {
            Keys::Numbers => i.wrapping_mul(2_654_435_761) % bins,
            _ => ((i % 1000) as f32 / 999.0).to_bits(),
        })
        .collect();
    let input = scene.buffer(bytemuck::cast_slice(&words))?;
    scene.stage();
    let histogram = Histogram::new(&scene.device, keys.clone(), bins).map_err(text)?;
    let output = scene.room(histogram.config().output())?;
    scene.stage();
    let prepared = histogram.of(&input).into(&output).map_err(text)?;
    let expected = reference::counts(keys, bins, &words);
    scene.compare(|encoder| prepared.encode(encoder), &output, bytemuck::cast_slice(&expected))
}
