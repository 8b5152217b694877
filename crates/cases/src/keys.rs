//! Histograms.

use halofold::histogram::{Histogram, Keys, reference};
use halofold::{Element, Map};

use super::{Case, End, Scene, Tag, text};

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

/// Each kind of keys, in workgroup memory, in slices and in storage, from elements of each kind.
pub fn cases() -> Vec<Case> {
    let levels = Keys::Levels([0.0, 0.25, 0.25, 0.5, 0.875].into());
    let kinds = [
        (Keys::Numbers, 100, Tag::Losses),
        (Keys::Numbers, 3000, Tag::Losses),
        (Keys::Numbers, 5000, Tag::Once),
        (Keys::Numbers, 32_768, Tag::Once),
        (UNIT, 50, Tag::Losses),
        (UNIT, 6000, Tag::Once),
        (levels, 4, Tag::Once),
        (Keys::U32Levels([7, 7, 1 << 20, 0xc000_0000].into()), 3, Tag::Once),
        // At equal distances.
        (Keys::U32Levels((0..=1000).map(|i| i * 4_294_967).collect()), 1000, Tag::Once),
        (Keys::U64Levels([3, 5 << 32, 5 << 32 | 1 << 31, u64::MAX].into()), 3, Tag::Once),
    ];
    let case = |(keys, bins, tag): &(Keys, u32, Tag), of: Of| {
        let (keys, bins) = (keys.clone(), *bins);
        let name = format!("{keys:?} in {bins} bins, {of:?}");
        let case = Case::new("Histogram", name, async move |scene: &Scene| {
            count(scene, keys.clone(), bins, of).await
        });
        case.tagged(if matches!(of, Of::Keys) { *tag } else { Tag::Once })
    };
    let elements = [Of::Keys, Of::EveryThird, Of::TwoChannels, Of::Halves];
    kinds.iter().flat_map(|kind| elements.map(|of| case(kind, of))).collect()
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
    let config = Histogram::new(keys.clone(), bins);
    let is_long = matches!(keys, Keys::U64Levels(_));
    let every = |first: usize, stride: usize| {
        words.chunks_exact(1 + usize::from(is_long)).skip(first).step_by(stride).flatten().copied().collect()
    };
    let (config, channels): (_, Vec<Vec<u32>>) = match of {
        Of::Keys => (config, vec![words.clone()]),
        Of::EveryThird => (config.with_stride(3, 1), vec![every(1, 3)]),
        Of::TwoChannels => (config.with_channels(2), vec![every(0, 2), every(1, 2)]),
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
            (config.with_map(map.map_err(text)?), vec![halves.collect()])
        }
    };
    let histogram = scene.compile(Ok(config))?;
    let counts = channels.iter().flat_map(|words| reference::counts(&keys, bins, words));
    scene.gives(&[counts.collect()], |outputs| histogram.of(&input).bind(&outputs[0])).await
}
