//! Histograms against the CPU, count by count, on the adapter at hand. What a map gives is computed here, in Rust.

use halofold::histogram::{CLEAR, COUNT, Histogram, Keys, Map, Method, Tuning, reference};
use halofold::reduce::BufferRange;
use halofold::wgpu::Features;
use halofold::{Compiled, Cut, Element, Planned};

use crate::common::{Gpu, Outputs, Random, cautious, gpu, in_turn, twice_in_a_pass};
use crate::inputs::{Input, words};

const BINS: [u32; 12] = [1, 2, 3, 10, 255, 256, 257, 1000, 4096, 4097, 65_535, 65_536];
const LENGTHS: [usize; 5] = [0, 1, 3, 1000, 100_003];
const LONGEST: usize = 1_000_000;
const UNIT: Keys = Keys::Ranges { low: 0.0, high: 1.0 };

/// The counts of one channel. The reference finds bins by halving: of few keys it is compared with a scan of all bins.
fn counts(keys: &Keys, bins: u32, words: &[u32]) -> Vec<u32> {
    let counts = reference::counts(keys, bins, words);
    if let Some(borders) = keys.borders(bins).filter(|_| words.len() * bins as usize <= 1 << 23) {
        let last = borders.len() - 2;
        let holds = |bin: usize, x: f32| {
            x >= borders[bin] && (x < borders[bin + 1] || bin == last && x <= borders[bin + 1])
        };
        let of = |bin| words.iter().filter(|word| holds(bin, f32::from_bits(**word))).count() as u32;
        assert_eq!(counts, (0..=last).map(of).collect::<Vec<_>>(), "{keys:?}");
    }
    counts
}

/// Counts the elements from a word on, twice, and compares with the counts of the keys that they give.
fn compare(gpu: &Gpu, histogram: &Compiled<Histogram>, all: &[u32], first: usize, given: &[u32]) {
    /// The output's contents before.
    const BEFORE: u32 = 5;
    let config = histogram.operation();
    let (channels, width) =
        (config.channels as usize, if matches!(config.keys, Keys::U64Levels(_)) { 2 } else { 1 });
    let elements = given.chunks_exact(channels * width);
    let taken = elements.skip(config.first as usize).step_by(config.stride as usize);
    let of = |channel: usize| taken.clone().flat_map(move |keys| &keys[channel * width..][..width]).copied();
    let once = (0..channels).flat_map(|nth| counts(&config.keys, config.bins, &of(nth).collect::<Vec<_>>()));
    let once: Vec<u32> = once.collect();
    let before = vec![BEFORE; once.len()];
    let outputs = Outputs::new(gpu, [config.output()]).starting_with(bytemuck::cast_slice(&before));
    let input = Input::at(gpu, &all[first..], 4 * first as u64);
    let prepared = histogram.of(&input).bind(outputs.slices().next().unwrap()).unwrap();
    let got = outputs.run(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap();
    assert_eq!(got[0].len(), 4 * once.len());
    for (bin, (got, once)) in words(&got[0]).into_iter().zip(once).enumerate() {
        let expected = if config.add { BEFORE + 2 * once } else { once };
        assert_eq!(got, expected, "bin {bin}, {} keys from {first} on, {config:?}", all.len() - first);
    }
}

/// Compiles a config, and compares elements that are their own keys, from each of some words on.
fn check(gpu: &Gpu, config: Histogram, words: &[u32], firsts: &[usize]) {
    check_each(gpu, config, [words.to_vec()], firsts);
}

fn check_each(gpu: &Gpu, config: Histogram, all: impl IntoIterator<Item = Vec<u32>>, firsts: &[usize]) {
    gpu.clean(|| {
        let histogram = gpu.compile(config);
        for words in all {
            firsts.iter().for_each(|first| compare(gpu, &histogram, &words, *first, &words[*first..]));
        }
    });
}

/// Both methods, and a number of slices that does not divide the bins.
fn methods(config: &Histogram) -> [Histogram; 3] {
    let tuning = config.tuning_on(&gpu().device.limits());
    let methods = [
        tuning.method,
        Method::Storage,
        Method::Workgroup { copies: 1, slices: 3.min(config.bins), merge: true },
    ];
    methods.map(|method| config.clone().with_tuning(tuning.with_method(method)))
}

/// Keys of several kinds; all but the last are mostly numbers of bins.
fn numbers(bins: u32, len: usize) -> Vec<Vec<u32>> {
    let mut random = Random::new(u64::from(bins) ^ len as u64);
    let mut below = |limit: u64| (random.next() % limit) as u32;
    let some: Vec<u32> = (0..len).map(|_| below(u64::from(bins))).collect();
    let mut sorted = some.clone();
    sorted.sort_unstable();
    vec![
        sorted,
        vec![bins - 1; len],
        (0..len).map(|_| [0, bins - 1][below(2) as usize]).collect(),
        // Half of them are no bin's number.
        (0..len).map(|_| below(2 * u64::from(bins))).collect(),
        (0..len).map(|_| [bins, u32::MAX, u32::MAX - bins, 0x8000_0000][below(4) as usize]).collect(),
        some,
    ]
}

/// Keys inside of bins and outside.
fn some_keys(keys: &Keys, bins: u32, len: usize) -> Vec<u32> {
    match keys {
        Keys::Numbers => numbers(bins, len).pop().unwrap(),
        Keys::Ranges { low, high } => floats(*low, *high, bins, len),
        _ => floats(-1.0, 1.0, bins, len),
    }
}

/// Floats around every border of some bins, in the range, outside of it and none at all, as bits.
fn floats(low: f32, high: f32, bins: u32, len: usize) -> Vec<u32> {
    let mut random = Random::new(u64::from(bins) ^ len as u64);
    let borders = Keys::Ranges { low, high }.borders(bins).unwrap();
    let largest = [f32::NAN, f32::INFINITY, f32::MAX];
    let smallest = [0.0, 1e-45, 1e-40, f32::MIN_POSITIVE];
    let odd: Vec<f32> = largest.into_iter().chain(smallest).flat_map(|x| [x, -x]).collect();
    // Kernels look at borders from this distance of a float on, or take it for granted: see `shaders/histogram/bins/ranges.wgsl`.
    let step = (f64::from(high) - f64::from(low)) / f64::from(bins) * f64::from(bins.next_power_of_two());
    let margin = (2.0 * step + 5.0 * f64::from(low.abs().max(high.abs()))) / f64::from(1 << 23);
    let value = |_| {
        let word = random.next();
        let border = borders[(word >> 8) as usize % borders.len()];
        match word % 10 {
            0 => border,
            1 => border.next_up(),
            2 => border.next_down(),
            3 => odd[(word >> 8) as usize % odd.len()],
            4 => f32::from_bits((word >> 16) as u32),
            5 => (f64::from(border) + margin) as f32,
            6 => (f64::from(border) - margin).next_up() as f32,
            _ => (f64::from(low) + random.unit() * (f64::from(high) - f64::from(low))) as f32,
        }
    };
    (0..len).map(value).map(f32::to_bits).collect()
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
fn numbers_of_every_kind_on_every_adapter() {
    for bins in BINS {
        let few = LENGTHS.into_iter().flat_map(|len| numbers(bins, len));
        let is_long = [1, 256, 4097, 65_536].contains(&bins);
        let long = is_long
            .then(|| numbers(bins, LONGEST))
            .into_iter()
            .flat_map(|kinds| [kinds[1].clone(), kinds[5].clone()]);
        check_each(gpu(), Histogram::new(Keys::Numbers, bins), few.chain(long), &[0]);
    }
}

/// Every method and every size of workgroup, with copies and slices that do not divide evenly.
#[test]
fn every_method_on_every_adapter() {
    let limits = gpu().device.limits();
    let workgroup = |(copies, slices)| Method::Workgroup { copies, slices, merge: slices != 3 };
    let methods = [(1, 1), (64, 1), (4, 3), (2, 16)].map(workgroup).into_iter().chain([Method::Storage]);
    for bins in [1, 256, 1000, 65_536] {
        let random = numbers(bins, 20_003).pop().unwrap();
        let words = [&random[..], &vec![bins / 2; 20_000]].concat();
        for (size, most) in [(64, 1), (64, 50), (256, 1), (256, 50)] {
            for method in methods.clone() {
                let tuning = Tuning::of(&limits, bins, u64::MAX).with_workgroup_size(size);
                let tuning = tuning.with_max_workgroups(most).with_method(method);
                let config = Histogram::new(Keys::Numbers, bins).with_tuning(tuning);
                if config.check(&limits).is_ok() {
                    check(gpu(), config, &words, &[1, random.len()]);
                }
            }
        }
    }
}

#[test]
fn any_offset_and_counts_that_are_added() {
    let firsts = [0, 1, 2, 3, 4, 63, 64, 65, 5000, 5002, 5003];
    for bins in [3, 10, 1000, 4097, 65_536] {
        for keys in [Keys::Numbers, UNIT] {
            let (words, config) = (some_keys(&keys, bins, 5003), Histogram::new(keys.clone(), bins));
            check(gpu(), config.clone().adding(), &some_keys(&keys, bins, 100_003), &[0, 100_003]);
            check(gpu(), config, &words, &firsts);
        }
    }
}

#[test]
fn ranges_of_floats() {
    let ends = "0 1 -1 1 -0 255 1e6 1000001 0.1 0.3 -3.4028235e38 3.4028235e38 -1e38 3e38 0 1e-40 -1e-44 1e-38 1 1.000001 \
                -7.3 -7.2 0 1e-28 0 1e-30 172.64977 182.06085";
    let ends: Vec<f32> = ends.split(' ').map(|end| end.parse().unwrap()).collect();
    for (turn, range) in in_turn(ends.chunks(2).enumerate(), 2, 0) {
        let (low, high) = (range[0], range[1]);
        for bins in in_turn(if low == 0.1 { &BINS[..] } else { &[1, 10, 256, 65_536] }, 2, turn / 2) {
            let words = floats(low, high, *bins, 20_003);
            check(gpu(), Histogram::new(Keys::Ranges { low, high }, *bins), &words, &[0]);
        }
    }
    // No guess is sure.
    let (low, high) = (8.3499e-41, 9.613154e-34);
    check(gpu(), Histogram::new(Keys::Ranges { low, high }, 3), &floats(low, high, 3, 20_003), &[0]);
    let keys = Keys::Ranges { low: -1.0, high: 2.0 };
    check_each(gpu(), Histogram::new(keys, 300), LENGTHS.map(|len| floats(-1.0, 2.0, 300, len)), &[0]);
}

/// Words of which many upper ones are alike, so that lower ones decide, and levels of which some are equal.
#[test]
fn integers_between_levels() {
    let mut random = Random::new(3);
    let upper = |word: u64| word & 0x8000_0003_ffff_ffff;
    let words = (0..20_001).flat_map(|_| [0, 32].map(|by| (upper(random.next()) >> by) as u32));
    let words: Vec<u32> = words.collect();
    for bins in [1, 7, 1000, 20_000] {
        // At equal distances, and keys at them and beside them.
        let even: Vec<_> = (0..=bins as u64).map(|i| (5 + i * 0xffff_0000 / bins as u64) as u32).collect();
        let around =
            (0..20_001).map(|_| even[random.next() as usize % even.len()] + random.next() as u32 % 3 - 1);
        let around: Vec<u32> = around.chain(words[..5000].iter().copied()).collect();
        check(gpu(), Histogram::new(Keys::U32Levels(even.into()), bins as u32), &around, &[0, 3]);
        let mut levels: Vec<_> = (0..=bins).map(|_| upper(random.next())).collect();
        levels.sort_unstable();
        levels[bins / 2] = levels[bins.div_ceil(2)];
        let mut short: Vec<_> = levels.iter().map(|level| *level as u32).collect();
        short.sort_unstable();
        check(gpu(), Histogram::new(Keys::U64Levels(levels.into()), bins as u32), &words, &[0, 2, 40_000]);
        check(gpu(), Histogram::new(Keys::U32Levels(short.into()), bins as u32), &words, &[0, 1]);
    }
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
        let config = Histogram::new(Keys::Levels(list[..].into()), list.len() as u32 - 1);
        methods(&config).into_iter().for_each(|config| check(gpu(), config, &words, &[0]));
        check(gpu(), config.adding(), &words, &[3]);
    }
    let config = Histogram::new(Keys::Levels(levels(65_536).into()), 65_536);
    check(gpu(), config, &floats(-12.0, 12.0, 100, 2000), &[0]);
}

/// Channels have counts of their own; an input starts at an element.
#[test]
fn every_strideth_element_counts_in_every_channel() {
    let kinds = [(Keys::Numbers, 10), (UNIT, 300), (Keys::Levels(levels(20).into()), 20)];
    let one = [(1, 5), (2, 0), (2, 1), (3, 2), (64, 63), (1000, 999), (5003, 0), (1, 5003), (7, 9999)];
    let one = one.into_iter().chain([(u32::MAX, 4)]).map(|stride| (1, stride));
    let several =
        [2, 3, 4, 16].into_iter().flat_map(|channels| [(1, 0), (2, 1)].map(|stride| (channels, stride)));
    for (turn, (channels, (stride, first))) in one.chain(several).enumerate() {
        for (keys, bins) in &kinds {
            let words = some_keys(keys, *bins, 4800 + channels as usize);
            let config =
                Histogram::new(keys.clone(), *bins).with_channels(channels).with_stride(stride, first);
            let all = methods(&config).into_iter().chain([config.adding()]);
            in_turn(all, 4, turn)
                .for_each(|config| check(gpu(), config, &words, &[0, 7 * channels as usize]));
        }
    }
}

/// The bytes of pixels, a number of integers that uses the index, two coordinates of points of twelve bytes, and 64-bit floats.
#[test]
fn maps_give_the_keys() {
    let gpu = gpu();
    let check = |config: Histogram, words: &[u32], first: usize, given: &[u32]| {
        gpu.clean(|| compare(gpu, &gpu.compile(config), words, first, given));
    };
    let mut random = Random::new(5);
    let words: Vec<u32> = (0..6000).map(|_| random.next() as u32).collect();
    let bytes: Vec<u32> = words.iter().flat_map(|word| word.to_le_bytes().map(u32::from)).collect();
    for config in methods(&Histogram::new(Keys::Numbers, 256).with_map(Map::bytes())) {
        check(config.clone(), &words, 0, &bytes);
        check(config.with_stride(5, 3), &words, 1, &bytes[4..]);
    }

    let text = "const SHIFT = vec2<i32>(3, 0);
        fn half(x: i32) -> i32 { return x / 2; }
        fn map(elem: Elem, index: u32) -> u32 { return u32(half(elem) + SHIFT.x) + index % 2u; }";
    let map = Map::custom(Element::I32, text).unwrap();
    let mapped = |words: &[u32]| -> Vec<_> {
        let key = |(word, index): (&u32, u32)| ((*word as i32 / 2 + 3) as u32).wrapping_add(index % 2);
        words.iter().zip(0..).map(key).collect()
    };
    let small: Vec<u32> = words.iter().map(|word| (*word as i32 % 100) as u32).collect();
    let config = Histogram::new(Keys::Numbers, 50).with_map(map);
    check(config.clone(), &small, 0, &mapped(&small));
    check(config.with_stride(3, 1), &small, 9, &mapped(&small[9..]));

    let text = "struct Elem { x: f32, y: f32, z: f32 }
        fn map(elem: Elem, index: u32) -> vec2<f32> { return vec2(elem.z, elem.x); }";
    let map = Map::custom_struct(12, text).unwrap();
    // A map computes with floats, and a device may flush those that are no normal numbers.
    let is_normal = |word: &u32| f32::from_bits(*word) == 0.0 || f32::from_bits(*word).is_normal();
    let points = floats(0.0, 1.0, 40, 6000);
    let points: Vec<_> = points.chunks_exact(3).filter(|point| point.iter().all(is_normal)).collect();
    let given: Vec<_> = points.iter().flat_map(|point| [point[2], point[0]]).collect();
    for keys in [UNIT, Keys::Levels(levels(40).into())] {
        check(Histogram::new(keys, 40).with_map(map.clone()), &points.concat(), 0, &given);
    }

    if !gpu.device.features().contains(Features::SHADER_F64) {
        return eprintln!("histograms of f64: this device has no SHADER_F64");
    }
    let text = "fn map(elem: Elem, index: u32) -> f32 { return f32(elem) * 0.5; }";
    let map = Map::custom(Element::F64, text).unwrap();
    let doubles: Vec<f64> = (0..3000).map(|i| f64::from(i % 40) * 0.5).collect();
    let given: Vec<_> = doubles.iter().map(|x| (*x as f32 * 0.5).to_bits()).collect();
    let config = Histogram::new(Keys::Ranges { low: 0.0, high: 8.0 }, 16).with_map(map);
    check(config, bytemuck::cast_slice(&doubles), 0, &given);
}

/// On a device without features, with few workgroups a dimension. Strides pass over whole windows.
#[test]
fn inputs_larger_than_a_binding_are_windowed() {
    let gpu = cautious(|limits| {
        limits.max_storage_buffer_binding_size = 1 << 16;
        limits.max_compute_workgroups_per_dimension = 20;
    });
    let limits = gpu.device.limits();
    for bins in [3, 256, 4097, 16_384] {
        let words = numbers(bins, 300_007).pop().unwrap();
        let plan = Histogram::new(Keys::Numbers, bins)
            .plan(Cut::All, BufferRange { offset: 308, len: 299_930 }, None, &limits)
            .unwrap();
        assert!(plan.passes.iter().filter(|pass| pass.step == COUNT).count() >= 19);
        check(&gpu, Histogram::new(Keys::Numbers, bins), &words, &[0, 77]);
    }
    check(&gpu, Histogram::new(UNIT, 8192), &floats(0.0, 1.0, 8192, 200_001), &[3]);
    let (words, config) = (numbers(30, 90_000).pop().unwrap(), Histogram::new(Keys::Numbers, 30));
    for (stride, first) in [(1, 20_000), (3, 50_000), (20_000, 3), (89_999, 0)] {
        check(&gpu, config.clone().with_stride(stride, first), &words, &[0]);
    }
    let config = config.with_channels(3);
    check(&gpu, config.clone(), &words, &[0]);
    check(&gpu, config.with_stride(7, 2), &words, &[3]);
}

/// Nothing to count and nothing to clear is no work at all.
#[test]
fn plans_have_no_more_dispatches_than_needed() {
    let limits = gpu().device.limits();
    let config = Histogram::new(Keys::Numbers, 256);
    let steps = |config: Histogram, len| -> Vec<&'static str> {
        let plan = config.plan(Cut::All, BufferRange { offset: 0, len }, None, &limits).unwrap();
        plan.passes.iter().map(|pass| pass.step).collect()
    };
    assert_eq!(steps(config.clone(), 1 << 20), [CLEAR, COUNT]);
    assert_eq!(steps(config.clone(), 0), [CLEAR]);
    let adding = config.clone().adding();
    assert_eq!(steps(adding.clone(), 1 << 20), [COUNT]);
    assert!(steps(adding, 0).is_empty());
    // The first keys of a longer buffer.
    let (histogram, keys) = (gpu().compile(config), Input::new(gpu(), &[1u32; 1000]));
    let plan = histogram.operation().plan(Cut::All, BufferRange { offset: 0, len: 10 }, None, &limits);
    assert_eq!(histogram.of(&keys).len(10).plan().unwrap(), plan.unwrap());
}
