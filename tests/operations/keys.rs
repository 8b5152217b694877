//! Histograms.

use halofold::histogram::{Histogram, Keys, reference};
use halofold::{Element, Map};

use super::{End, Operation, Scene, text};

/// The elements that keys come from.
#[derive(Clone, Copy, Debug)]
enum Of {
    Keys,
    EveryThird,
    TwoChannels,
    /// A map in WGSL, which halves.
    Halves,
}

const UNIT: Keys = Keys::Ranges { low: 0.0, high: 1.0 };

pub fn operations() -> Vec<Operation> {
    let of = |name: &str, keys, bins| Operation { name: name.to_owned(), ..operation(keys, bins, Of::Keys) };
    vec![
        of("histogram of numbers", Keys::Numbers, 100),
        of("histogram of many bins", Keys::Numbers, 3000),
        of("histogram of ranges", UNIT, 50),
    ]
}

/// Each kind of keys, in workgroup memory, in slices and in storage, from elements of each kind.
pub fn every_kind() -> Vec<Operation> {
    let levels = Keys::Levels([0.0, 0.25, 0.25, 0.5, 0.875].into());
    let kinds = [
        (Keys::Numbers, 100),
        (Keys::Numbers, 5000),
        (Keys::Numbers, 32_768),
        (UNIT, 50),
        (UNIT, 6000),
        (levels, 4),
        (Keys::U32Levels([7, 7, 1 << 20, 0xc000_0000].into()), 3),
        (Keys::U64Levels([3, 5 << 32, 5 << 32 | 1 << 31, u64::MAX].into()), 3),
    ];
    let elements = [Of::Keys, Of::EveryThird, Of::TwoChannels, Of::Halves];
    kinds.iter().flat_map(|(keys, bins)| elements.map(|of| operation(keys.clone(), *bins, of))).collect()
}

fn operation(keys: Keys, bins: u32, of: Of) -> Operation {
    let name = format!("{keys:?} in {bins} bins, {of:?}");
    Operation::new(name, move |scene| Box::pin(count(scene, keys.clone(), bins, of)))
}

async fn count(scene: &Scene, keys: Keys, bins: u32, of: Of) -> Result<End, String> {
    let words: Vec<u32> = (0..scene.words(5000) as u32)
        .map(|i| match &keys {
            Keys::Numbers => i.wrapping_mul(2_654_435_761) % bins,
            Keys::U32Levels(_) => i.wrapping_mul(2_654_435_761),
            // Lower words, and upper ones of which many are alike.
            Keys::U64Levels(_) if i % 2 == 1 => i / 2 % 7,
            Keys::U64Levels(_) => i.wrapping_mul(2_654_435_761),
            _ => ((i % 1000) as f32 / 999.0).to_bits(),
        })
        .collect();
    let input = scene.buffer(bytemuck::cast_slice(&words))?;
    scene.stage();
    let limits = scene.device.limits();
    let config = Histogram::new(keys.clone(), bins, &limits);
    let is_long = matches!(keys, Keys::U64Levels(_));
    let every = |first: usize, stride: usize| {
        words.chunks_exact(1 + usize::from(is_long)).skip(first).step_by(stride).flatten().copied().collect()
    };
    let (config, channels): (_, Vec<Vec<u32>>) = match of {
        Of::Keys => (config, vec![words.clone()]),
        Of::EveryThird => (config.with_stride(3, 1), vec![every(1, 3)]),
        Of::TwoChannels => (config.with_channels(2, &limits), vec![every(0, 2), every(1, 2)]),
        Of::Halves => {
            let (text_of, half): (_, fn(&u32) -> u32) = match keys {
                Keys::Numbers | Keys::U32Levels(_) => ("u32 { return elem / 2u; }", |word| word / 2),
                // One key of an element of one word.
                Keys::U64Levels(_) => ("vec2<u32> { return vec2(elem / 2u, 5u); }", |word| word / 2),
                _ => ("f32 { return bitcast<f32>(elem) * 0.5; }", |word| {
                    (f32::from_bits(*word) * 0.5).to_bits()
                }),
            };
            let map = Map::custom(Element::U32, &format!("fn map(elem: Elem, index: u32) -> {text_of}"));
            let halves = words.iter().flat_map(|word| [half(word)].into_iter().chain(is_long.then_some(5)));
            (config.with_map(map.map_err(text)?, &limits), vec![halves.collect()])
        }
    };
    let histogram = config.on(&scene.device).map_err(text)?;
    let output = scene.room(histogram.config().output())?;
    scene.stage();
    let prepared = histogram.of(&input).into(&output).map_err(text)?;
    let counts = channels.iter().map(|words| reference::counts(&keys, bins, words));
    let expected: Vec<u32> = counts.flatten().collect();
    scene.compare(|encoder| prepared.encode(encoder), &output, bytemuck::cast_slice(&expected)).await
}
