//! Histograms of elements that are no row of keys: levels, strides, channels and maps.
//!
//! The oracle is a scan of all borders for each key; what a map gives is computed here, in Rust.

use halofold::Element;
use halofold::histogram::{Histogram, Keys, Map, Method};
use halofold::wgpu::Features;

use super::{compare, floats, histogram, numbers, small_device, some_keys};
use crate::common::{Gpu, Random, gpu, in_turn};

/// The counts of one channel, by a scan of all bins for each key.
fn scanned(keys: &Keys, bins: u32, words: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut counts = vec![0; bins as usize];
    let borders = keys.borders(bins);
    for word in words {
        let Some(borders) = &borders else {
            counts.get_mut(word as usize).into_iter().for_each(|count| *count += 1);
            continue;
        };
        let x = f32::from_bits(word);
        let last = bins as usize - 1;
        let holds =
            |bin: usize| x >= borders[bin] && (x < borders[bin + 1] || bin == last && x <= borders[bin + 1]);
        (0..=last).rev().find(|bin| holds(*bin)).into_iter().for_each(|bin| counts[bin] += 1);
    }
    counts
}

/// Counts on a device and compares: `given` has the keys of every element, a list each.
fn check(gpu: &Gpu, config: &Histogram, words: &[u32], from: usize, given: &[Vec<u32>]) {
    let taken: Vec<_> = given.iter().skip(config.first as usize).step_by(config.stride as usize).collect();
    let counts = (0..config.channels as usize)
        .flat_map(|channel| scanned(&config.keys, config.bins, taken.iter().map(|keys| keys[channel])));
    compare(gpu, &config.clone().on(&gpu.device).unwrap(), words, from, &counts.collect::<Vec<_>>());
}

/// The same with elements that are their own keys.
fn check_rows(gpu: &Gpu, config: &Histogram, words: &[u32], from: usize) {
    let rows = words[from..].chunks_exact(config.channels as usize).map(<[u32]>::to_vec);
    check(gpu, config, words, from, &rows.collect::<Vec<_>>());
}

/// Both methods, and a number of slices that does not divide the bins.
fn methods(config: &Histogram) -> [Histogram; 3] {
    let methods = [
        config.tuning.method,
        Method::Storage,
        Method::Workgroup { copies: 1, slices: 3.min(config.bins), merge: true },
    ];
    methods.map(|method| config.clone().with_tuning(config.tuning.with_method(method)))
}

/// Levels that rise irregularly, with equal ones among them.
fn levels(bins: u32) -> Vec<f32> {
    let mut random = Random::new(bins.into());
    let mut levels: Vec<f32> =
        (0..=bins).map(|_| ((random.next() >> 40) as f32 / 1e5 - 80.0).trunc() / 7.0).collect();
    levels.sort_by(f32::total_cmp);
    levels
}

#[test]
fn levels_are_borders() {
    let special: [&[f32]; 7] = [
        &[0.0, 1.0],
        &[1.0, 1.0],
        &[0.0, 1.0, 1.0, 2.0],
        &[0.0, 1.0, 1.0],
        &[-0.0, 1e-45, 1e-40, f32::MIN_POSITIVE],
        &[f32::NEG_INFINITY, -1.0, 0.0, f32::INFINITY],
        &[f32::MIN, -0.0, 0.0, f32::MAX],
    ];
    for list in special.into_iter().map(<[f32]>::to_vec).chain([2, 10, 255, 1000].map(levels)) {
        let around = list.iter().flat_map(|level| [*level, level.next_up(), level.next_down()]);
        let words = [floats(-2.0, 2.0, 10, 3001), around.map(f32::to_bits).collect()].concat();
        let config = histogram(Keys::Levels(list[..].into()), list.len() as u32 - 1);
        for config in methods(&config) {
            check_rows(gpu(), &config, &words, 0);
        }
        check_rows(gpu(), &config.adding(), &words, 3);
    }
    let config = histogram(Keys::Levels(levels(65_536).into()), 65_536);
    check_rows(gpu(), &config, &floats(-12.0, 12.0, 100, 2000), 0);
}

#[test]
fn every_strideth_element_counts() {
    #[rustfmt::skip]
    let strides = [
        (1, 5), (2, 0), (2, 1), (3, 2), (64, 63), (1000, 999), (5003, 0), (1, 5003), (7, 9999), (u32::MAX, 4),
    ];
    for (turn, (stride, first)) in strides.into_iter().enumerate() {
        for (keys, bins) in [(Keys::Numbers, 10), (Keys::Ranges { low: 0.0, high: 1.0 }, 300)] {
            let words = some_keys(&keys, bins, 5003);
            let config = histogram(keys, bins).with_stride(stride, first);
            for config in in_turn(methods(&config), 3, turn) {
                check_rows(gpu(), &config, &words, 0);
            }
            check_rows(gpu(), &config.adding(), &words, 7);
        }
    }
}

#[test]
fn channels_have_counts_of_their_own() {
    let levels = Keys::Levels(levels(20).into());
    let kinds = [(Keys::Numbers, 256), (Keys::Ranges { low: -1.0, high: 1.0 }, 33), (levels, 20)];
    let all = [2, 3, 4, 16].into_iter().flat_map(|channels| kinds.clone().map(|kind| (channels, kind)));
    for (turn, (channels, (keys, bins))) in all.enumerate() {
        let words = some_keys(&keys, bins, 4801);
        let config = histogram(keys, bins).with_channels(channels, &gpu().device.limits());
        // An input starts at an element.
        let strided = (config.clone().with_stride(2, 1), 5 * channels as usize);
        let plain = methods(&config).into_iter().map(|config| (config, 0));
        for (config, from) in in_turn(plain.chain([strided]), 4, turn) {
            check_rows(gpu(), &config, &words, from);
        }
    }
}

/// The bytes of pixels, a number of integers that uses the index, and two coordinates of points of twelve bytes.
#[test]
fn maps_give_the_keys() {
    let gpu = gpu();
    let limits = gpu.device.limits();
    let mut random = Random::new(5);
    let words: Vec<u32> = (0..6000).map(|_| random.next() as u32).collect();
    let bytes: Vec<_> = words.iter().map(|word| word.to_le_bytes().map(u32::from).to_vec()).collect();
    let config = histogram(Keys::Numbers, 256).with_map(Map::bytes(), &limits);
    for config in methods(&config) {
        check(gpu, &config, &words, 0, &bytes);
        check(gpu, &config.with_stride(5, 3), &words, 1, &bytes[1..]);
    }

    let text = "const SHIFT = vec2<i32>(3, 0);
        fn half(x: i32) -> i32 { return x / 2; }
        fn map(elem: Elem, index: u32) -> u32 { return u32(half(elem) + SHIFT.x) + index % 2u; }";
    let map = Map::custom(Element::I32, text).unwrap();
    let mapped = |words: &[u32]| -> Vec<_> {
        let key =
            |(index, word): (usize, &u32)| ((*word as i32 / 2 + 3) as u32).wrapping_add(index as u32 % 2);
        words.iter().enumerate().map(|pair| vec![key(pair)]).collect()
    };
    let small: Vec<u32> = words.iter().map(|word| (*word as i32 % 100) as u32).collect();
    let config = histogram(Keys::Numbers, 50).with_map(map, &limits);
    check(gpu, &config, &small, 0, &mapped(&small));
    check(gpu, &config.with_stride(3, 1), &small, 9, &mapped(&small[9..]));

    let text = "struct Elem { x: f32, y: f32, z: f32 }
        fn map(elem: Elem, index: u32) -> vec2<f32> { return vec2(elem.z, elem.x); }";
    let map = Map::custom_struct(12, text).unwrap();
    // A map computes with floats, and a device may flush those that are no normal numbers.
    let is_normal = |word: &u32| f32::from_bits(*word) == 0.0 || f32::from_bits(*word).is_normal();
    let points = floats(0.0, 1.0, 40, 6000);
    let points: Vec<_> = points.chunks_exact(3).filter(|point| point.iter().all(is_normal)).collect();
    let given: Vec<_> = points.iter().map(|point| vec![point[2], point[0]]).collect();
    for keys in [Keys::Ranges { low: 0.0, high: 1.0 }, Keys::Levels(levels(40).into())] {
        check(gpu, &histogram(keys, 40).with_map(map.clone(), &limits), &points.concat(), 0, &given);
    }
}

/// Windows of 64 KiB: of words, of elements of twelve bytes, and with strides that pass over whole windows.
#[test]
fn elements_in_windows() {
    let gpu = &small_device();
    let limits = gpu.device.limits();
    let words = numbers(30, 90_000).pop().unwrap();
    let config = Histogram::new(Keys::Numbers, 30, &limits);
    for (stride, first) in [(1, 20_000), (3, 50_000), (20_000, 3), (89_999, 0)] {
        check_rows(gpu, &config.clone().with_stride(stride, first), &words, 0);
    }
    let config = config.with_channels(3, &limits);
    check_rows(gpu, &config, &words, 0);
    check_rows(gpu, &config.with_stride(7, 2), &words, 3);
}

#[test]
fn maps_of_wide_elements() {
    let gpu = gpu();
    if !gpu.device.features().contains(Features::SHADER_F64) {
        return eprintln!("histograms of f64: this device has no SHADER_F64");
    }
    let text = "fn map(elem: Elem, index: u32) -> f32 { return f32(elem) * 0.5; }";
    let config = histogram(Keys::Ranges { low: 0.0, high: 8.0 }, 16)
        .with_map(Map::custom(Element::F64, text).unwrap(), &gpu.device.limits());
    let doubles: Vec<f64> = (0..3000).map(|i| f64::from(i % 40) * 0.5).collect();
    let given: Vec<_> = doubles.iter().map(|x| vec![(*x as f32 * 0.5).to_bits()]).collect();
    check(gpu, &config, bytemuck::cast_slice(&doubles), 0, &given);
}
