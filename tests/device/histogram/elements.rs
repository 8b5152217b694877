//! Histograms of elements that are no row of keys: levels, strides, channels and maps.
//!
//! The oracle is a scan of all borders for each key; what a map gives is computed here, in Rust.

use super::{BEFORE, count, floats, numbers, small_device};
use crate::common::{Gpu, Random, buffer, gpu, in_turn};
use halofold::histogram::{Histogram, Keys, Map, Method, OperationError};
use halofold::reduce::MonoidError;
use halofold::wgpu::{self, Features, Limits};
use halofold::{BufferError, Element};

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
    let expected: Vec<u32> = (0..config.channels as usize)
        .flat_map(|channel| scanned(&config.keys, config.bins, taken.iter().map(|keys| keys[channel])))
        .map(|count| if config.add { BEFORE + 2 * count } else { count })
        .collect();
    let histogram = config.clone().on(&gpu.device).unwrap();
    let got = count(gpu, &histogram, words, from);
    assert!(got == expected, "{} elements, {config:?}", given.len());
}

/// The keys of elements that are their own keys.
fn rows(words: &[u32], channels: usize) -> Vec<Vec<u32>> {
    words.chunks_exact(channels).map(<[u32]>::to_vec).collect()
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
fn levels(bins: u32) -> Keys {
    let mut random = Random::new(bins.into());
    let mut levels: Vec<f32> =
        (0..=bins).map(|_| ((random.next() >> 40) as f32 / 1e5 - 80.0).trunc() / 7.0).collect();
    levels.sort_by(f32::total_cmp);
    Keys::Levels(levels.into())
}

#[test]
fn levels_are_borders() {
    let gpu = gpu();
    let limits = gpu.device.limits();
    let listed = |levels: &[f32]| Keys::Levels(levels.into());
    let special = [
        listed(&[0.0, 1.0]),
        listed(&[1.0, 1.0]),
        listed(&[0.0, 1.0, 1.0, 2.0]),
        listed(&[0.0, 1.0, 1.0]),
        listed(&[-0.0, 1e-45, 1e-40, f32::MIN_POSITIVE]),
        listed(&[f32::NEG_INFINITY, -1.0, 0.0, f32::INFINITY]),
        listed(&[f32::MIN, -0.0, 0.0, f32::MAX]),
    ];
    for keys in special.into_iter().chain([2, 10, 255, 1000].map(levels)) {
        let Keys::Levels(list) = &keys else { unreachable!() };
        let bins = list.len() as u32 - 1;
        let words: Vec<u32> = floats(-2.0, 2.0, 10, 3001)
            .into_iter()
            .chain(
                list.iter().flat_map(|level| [*level, level.next_up(), level.next_down()]).map(f32::to_bits),
            )
            .collect();
        let config = Histogram::new(keys.clone(), bins, &limits);
        for config in methods(&config) {
            check(gpu, &config, &words, 0, &rows(&words, 1));
        }
        check(gpu, &config.adding(), &words, 3, &rows(&words[3..], 1));
    }
    let keys = levels(65_536);
    let words = floats(-12.0, 12.0, 100, 2000);
    check(gpu, &Histogram::new(keys, 65_536, &limits), &words, 0, &rows(&words, 1));
}

#[test]
fn every_strideth_element_counts() {
    let gpu = gpu();
    let limits = gpu.device.limits();
    let strides = [
        (1, 5),
        (2, 0),
        (2, 1),
        (3, 2),
        (64, 63),
        (1000, 999),
        (5003, 0),
        (1, 5003),
        (7, 9999),
        (u32::MAX, 4),
    ];
    for (turn, (stride, first)) in strides.into_iter().enumerate() {
        for (keys, bins) in [(Keys::Numbers, 10), (Keys::Ranges { low: 0.0, high: 1.0 }, 300)] {
            let words = match keys {
                Keys::Numbers => numbers(bins, 5003).pop().unwrap(),
                _ => floats(0.0, 1.0, bins, 5003),
            };
            let config = Histogram::new(keys, bins, &limits).with_stride(stride, first);
            for config in in_turn(methods(&config), 3, turn) {
                check(gpu, &config, &words, 0, &rows(&words, 1));
            }
            check(gpu, &config.adding(), &words, 7, &rows(&words[7..], 1));
        }
    }
}

#[test]
fn channels_have_counts_of_their_own() {
    let gpu = gpu();
    let limits = gpu.device.limits();
    let mut turn = 0;
    for channels in [2, 3, 4, 16] {
        for (keys, bins) in
            [(Keys::Numbers, 256), (Keys::Ranges { low: -1.0, high: 1.0 }, 33), (levels(20), 20)]
        {
            let words = match keys {
                Keys::Numbers => numbers(bins, 4801).pop().unwrap(),
                _ => floats(-1.0, 1.0, bins, 4801),
            };
            let given = rows(&words, channels as usize);
            let config = Histogram::new(keys, bins, &limits).with_channels(channels, &limits);
            let from = channels as usize * 5;
            // An input starts at an element.
            let strided = config.clone().with_stride(2, 1);
            let plain = methods(&config).into_iter().map(|config| (config, 0, &given[..]));
            for (config, from, given) in in_turn(plain.chain([(strided, from, &given[5..])]), 4, turn) {
                check(gpu, &config, &words, from, given);
            }
            turn += 1;
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
    let config = Histogram::new(Keys::Numbers, 256, &limits).with_map(Map::bytes(), &limits);
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
    let config = Histogram::new(Keys::Numbers, 50, &limits).with_map(map, &limits);
    check(gpu, &config, &small, 0, &mapped(&small));
    check(gpu, &config.with_stride(3, 1), &small, 9, &mapped(&small[9..]));

    let text = "struct Elem { x: f32, y: f32, z: f32 }
        fn map(elem: Elem, index: u32) -> vec2<f32> { return vec2(elem.z, elem.x); }";
    let map = Map::custom_struct(12, text).unwrap();
    let points = floats(0.0, 1.0, 40, 6000);
    let given: Vec<_> = points.chunks_exact(3).map(|point| vec![point[2], point[0]]).collect();
    for keys in [Keys::Ranges { low: 0.0, high: 1.0 }, levels(40)] {
        let config = Histogram::new(keys, 40, &limits).with_map(map.clone(), &limits);
        // A map computes with floats, and a device may flush those that are no normal numbers.
        let is_normal = |word: &u32| f32::from_bits(*word) == 0.0 || f32::from_bits(*word).is_normal();
        let (points, given): (Vec<_>, Vec<_>) = points
            .chunks_exact(3)
            .zip(&given)
            .filter(|(point, _)| point.iter().all(is_normal))
            .map(|(point, keys)| (point.to_vec(), keys.clone()))
            .unzip();
        check(gpu, &config, &points.concat(), 0, &given);
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
        check(gpu, &config.clone().with_stride(stride, first), &words, 0, &rows(&words, 1));
    }
    let config = config.with_channels(3, &limits);
    check(gpu, &config, &words, 0, &rows(&words, 3));
    check(gpu, &config.with_stride(7, 2), &words, 3, &rows(&words[3..], 3));
}

#[test]
fn wrong_elements_are_refused() {
    let device = &gpu().device;
    let limits = Limits::default();
    let config = Histogram::new(Keys::Numbers, 10, &limits);
    let refused = |config: &Histogram| {
        let error = config.clone().on(device).unwrap_err();
        error.to_string()
    };
    let map = |text: &str| Map::custom(Element::F32, text).unwrap();
    let to_float = map("fn map(elem: Elem, index: u32) -> f32 { return elem; }");
    let collides = map(
        "fn count(x: u32) -> u32 { return x; } fn map(elem: Elem, index: u32) -> u32 { return count(index); }",
    );
    let listed = |levels: &[f32]| Histogram::new(Keys::Levels(levels.into()), 2, &limits);
    for (config, word) in [
        (config.clone().with_channels(0, &limits), "channels of 0: it can be 1 to 16"),
        (config.clone().with_channels(17, &limits), "channels of 17: it can be 1 to 16"),
        (config.clone().with_map(Map::bytes(), &limits).with_channels(3, &limits), "it can be 4 to 4"),
        (
            Histogram::new(Keys::Numbers, 20_000, &limits).with_channels(4, &limits),
            "bins of all channels of 80000",
        ),
        (config.clone().with_stride(0, 0), "stride of 0"),
        (config.clone().with_map(to_float, &limits), "the map returns `f32`: let it return u32"),
        (config.clone().with_map(collides, &limits), "rename"),
        (listed(&[0.0, 1.0]), "2 levels for 2 bins"),
        (listed(&[0.0, 2.0, 1.0]), "none below the one before"),
        (listed(&[0.0, f32::NAN, 1.0]), "none NaN"),
    ] {
        let message = refused(&config);
        assert!(message.contains(word), "{config:?}: {message}");
    }
    let text = |wgsl| Map::custom(Element::F32, wgsl).unwrap_err();
    let is_pure = |error| matches!(error, MonoidError::NotPure { .. });
    assert!(is_pure(text("var<private> x: u32; fn map(elem: Elem, index: u32) -> u32 { return x; }")));
    assert!(is_pure(text("fn map(elem: Elem, index: u32) -> u32 { workgroupBarrier(); return index; }")));
    assert!(text("fn map(elem: Elem) -> u32 { return 1u; }").to_string().contains("fn map(f32, u32) -> u32"));
    assert!(text("\nfn map(elem: Elem, index: u32) -> u32 { return elem; }").to_string().contains("line 2"));
    assert!(matches!(text("fn other() {}"), MonoidError::Missing { .. }));
    assert!(matches!(
        Map::custom_struct(
            16,
            "struct Elem { x: f32 } fn map(elem: Elem, index: u32) -> f32 { return elem.x; }"
        ),
        Err(MonoidError::Stride { wgsl: 4, said: 16 })
    ));
    let points = config.with_channels(3, &limits);
    let histogram = points.on(device).unwrap();
    let words = buffer(gpu(), &[0; 4 * 30], wgpu::BufferUsages::STORAGE);
    let output = buffer(gpu(), &[0; 4 * 30], wgpu::BufferUsages::STORAGE);
    let between = BufferError::Misaligned { offset: 4, size: 12 };
    let at = halofold::Slice::at(&words, 4);
    assert_eq!(histogram.of(at).into(&output).unwrap_err(), OperationError::Buffer(between));
}

/// A map of a type for which a device needs a feature, on one that has it and on one that lacks it.
#[test]
fn maps_of_wide_elements() {
    let gpu = gpu();
    let text = "fn map(elem: Elem, index: u32) -> f32 { return f32(elem) * 0.5; }";
    let config = |limits: &Limits| {
        let keys = Keys::Ranges { low: 0.0, high: 8.0 };
        Histogram::new(keys, 16, limits).with_map(Map::custom(Element::F64, text).unwrap(), limits)
    };
    let small = small_device().device;
    let error = config(&small.limits()).on(&small).unwrap_err();
    assert_eq!(
        error,
        OperationError::Map(MonoidError::MissingFeature {
            what: "the map".to_owned(),
            features: Features::SHADER_F64
        })
    );
    if !gpu.device.features().contains(Features::SHADER_F64) {
        eprintln!("histograms of f64: this device has no SHADER_F64");
        return;
    }
    let doubles: Vec<f64> = (0..3000).map(|i| f64::from(i % 40) * 0.5).collect();
    let given: Vec<_> = doubles.iter().map(|x| vec![(*x as f32 * 0.5).to_bits()]).collect();
    let words = bytemuck::cast_slice(&doubles);
    check(gpu, &config(&gpu.device.limits()), words, 0, &given);
}
