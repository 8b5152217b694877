//! Histograms against the CPU, on the adapter at hand.
//!
//! Counts are exact, so every comparison is. Each histogram is recorded twice into one pass, over an output that held
//! something else before, with a guard behind its last bin.

mod elements;

use halofold::OnDevice;
use halofold::histogram::{CLEAR, COUNT, Histogram, Keys, Method, Tuning, reference};
use halofold::reduce::BufferRange;

use crate::common::{Gpu, Outputs, Random, cautious, gpu, in_turn, twice_in_a_pass};
use crate::inputs::{Input, words};

const BINS: [u32; 12] = [1, 2, 3, 10, 255, 256, 257, 1000, 4096, 4097, 65_535, 65_536];
const LENGTHS: [usize; 5] = [0, 1, 3, 1000, 100_003];
const LONGEST: usize = 1_000_000;

/// The output's contents before.
const BEFORE: u32 = 5;

/// Counts the words from number `first` on, twice, and compares with what one count should give.
fn compare(gpu: &Gpu, histogram: &OnDevice<Histogram>, keys: &[u32], first: usize, once: &[u32]) {
    let config = histogram.config();
    let before = vec![BEFORE; once.len()];
    let outputs = Outputs::new(gpu, [config.output()]).starting_with(bytemuck::cast_slice(&before));
    let input = Input::at(gpu, &keys[first..], 4 * first as u64);
    let prepared = histogram.of(&input).into_each(outputs.slices()).unwrap();
    let counts = outputs.run(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap();
    for (bin, (got, once)) in words(&counts[0]).into_iter().zip(once).enumerate() {
        let expected = if config.add { BEFORE + 2 * once } else { *once };
        assert_eq!(got, expected, "bin {bin}, {} keys from {first} on, {config:?}", keys.len() - first);
    }
    assert_eq!(counts[0].len(), 4 * once.len());
}

/// Compares with the CPU.
fn check(gpu: &Gpu, histogram: &OnDevice<Histogram>, keys: &[u32], first: usize) {
    let config = histogram.config();
    compare(gpu, histogram, keys, first, &reference::counts(&config.keys, config.bins, &keys[first..]));
}

/// Compiles a config and counts from each of some words on.
fn check_here(config: Histogram, keys: &[u32], firsts: &[usize]) {
    gpu().clean(|| {
        let histogram = config.on(&gpu().device).unwrap();
        firsts.iter().for_each(|first| check(gpu(), &histogram, keys, *first));
    });
}

/// A histogram of these keys for the device at hand.
fn histogram(keys: Keys, bins: u32) -> Histogram {
    Histogram::new(keys, bins, &gpu().device.limits())
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

#[test]
fn numbers_of_every_kind_on_every_adapter() {
    let gpu = gpu();
    for bins in BINS {
        let histogram = histogram(Keys::Numbers, bins).on(&gpu.device).unwrap();
        for len in LENGTHS {
            for words in numbers(bins, len) {
                check(gpu, &histogram, &words, 0);
            }
        }
        if [1, 256, 4097, 65_536].contains(&bins) {
            let kinds = numbers(bins, LONGEST);
            check(gpu, &histogram, &kinds[1], 0);
            check(gpu, &histogram, kinds.last().unwrap(), 0);
        }
    }
}

/// Every method and every size of workgroup, with copies and slices that do not divide evenly.
#[test]
fn every_method_on_every_adapter() {
    let limits = gpu().device.limits();
    for bins in [1, 256, 1000, 65_536] {
        let mut words = numbers(bins, 20_003).pop().unwrap();
        let random = words.len();
        words.extend(vec![bins / 2; 20_000]);
        for workgroup_size in [64, 256] {
            let mut methods = vec![Method::Storage];
            for (copies, slices) in [(1, 1), (64, 1), (4, 3), (2, 16)] {
                methods.push(Method::Workgroup { copies, slices, merge: slices != 3 });
            }
            for method in methods {
                for max_workgroups in [1, 50] {
                    let tuning = Tuning::of(&limits, bins, u64::MAX)
                        .with_workgroup_size(workgroup_size)
                        .with_max_workgroups(max_workgroups)
                        .with_method(method);
                    let config = histogram(Keys::Numbers, bins).with_tuning(tuning);
                    if config.check(&limits).is_ok() {
                        check_here(config, &words, &[1, random]);
                    }
                }
            }
        }
    }
}

#[test]
fn any_offset() {
    for bins in [10, 4097, 65_536] {
        let words = numbers(bins, 5003).pop().unwrap();
        let firsts = [1, 2, 3, 4, 63, 64, 65, 5000, 5002, 5003];
        check_here(histogram(Keys::Numbers, bins), &words, &firsts);
    }
}

#[test]
fn counts_are_added_where_asked() {
    for keys in [Keys::Numbers, Keys::Ranges { low: 0.0, high: 1.0 }] {
        for bins in [3, 1000, 65_536] {
            let words = some_keys(&keys, bins, 100_003);
            check_here(histogram(keys.clone(), bins).adding(), &words, &[0, words.len()]);
        }
    }
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
    let step = (f64::from(high) - f64::from(low)) / f64::from(bins);
    let margin = (f64::from(bins) * step + f64::from(low.abs().max(high.abs()))) / f64::from(1 << 20);
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
            _ => {
                let unit = (word >> 11) as f64 / (1u64 << 53) as f64;
                (f64::from(low) + unit * (f64::from(high) - f64::from(low))) as f32
            }
        }
    };
    (0..len).map(value).map(f32::to_bits).collect()
}

#[test]
fn ranges_of_floats() {
    let ranges = [
        (0.0, 1.0),
        (-1.0, 1.0),
        (-0.0, 255.0),
        (1e6, 1_000_001.0),
        (0.1, 0.3),
        (f32::MIN, f32::MAX),
        (-1e38, 3e38),
        (0.0, 1e-40),
        (-1e-44, 1e-38),
        (1.0, 1.000_001),
        (-7.3, -7.2),
        (0.0, 1e-28),
        (0.0, 1e-30),
    ];
    for (turn, (low, high)) in in_turn(ranges.into_iter().enumerate(), 2, 0) {
        for bins in in_turn(if low == 0.1 { &BINS[..] } else { &[1, 10, 256, 65_536] }, 2, turn / 2) {
            let words = floats(low, high, *bins, 20_003);
            check_here(histogram(Keys::Ranges { low, high }, *bins), &words, &[0]);
        }
    }
    for len in LENGTHS {
        let keys = Keys::Ranges { low: -1.0, high: 2.0 };
        check_here(histogram(keys, 300), &floats(-1.0, 2.0, 300, len), &[0]);
    }
}

/// Words of which many upper ones are alike, so that lower ones decide, and levels of which some are equal.
#[test]
fn integers_between_levels() {
    let mut random = Random::new(3);
    let upper = |word: u64| word & 0x8000_0003_ffff_ffff;
    let words: Vec<_> = (0..20_001).flat_map(|_| [0, 32].map(|by| upper(random.next()) >> by)).collect();
    let words: Vec<_> = words.into_iter().map(|word| word as u32).collect();
    for bins in [1, 7, 1000, 20_000] {
        let mut levels: Vec<_> = (0..=bins).map(|_| upper(random.next())).collect();
        levels.sort_unstable();
        levels[bins / 2] = levels[bins.div_ceil(2)];
        let mut short: Vec<_> = levels.iter().map(|level| *level as u32).collect();
        short.sort_unstable();
        check_here(histogram(Keys::U64Levels(levels.into()), bins as u32), &words, &[0, 2, 40_000]);
        check_here(histogram(Keys::U32Levels(short.into()), bins as u32), &words, &[0, 1]);
    }
}

/// A device without features, with bindings of 64 KiB and few workgroups a dimension.
fn small_device() -> Gpu {
    cautious(|limits| {
        limits.max_storage_buffer_binding_size = 1 << 16;
        limits.max_compute_workgroups_per_dimension = 20;
    })
}

/// Windows over 1.2 MiB.
#[test]
fn inputs_larger_than_a_binding_are_windowed() {
    let gpu = small_device();
    for bins in [3, 256, 4097, 16_384] {
        for first in [0, 77] {
            let words = numbers(bins, 300_007).pop().unwrap();
            let histogram =
                Histogram::new(Keys::Numbers, bins, &gpu.device.limits()).on(&gpu.device).unwrap();
            let extent = BufferRange { offset: 4 * first as u64, len: (words.len() - first) as u64 };
            let plan = histogram.plan(extent).unwrap();
            assert!(plan.iter().filter(|pass| pass.step == COUNT).count() >= 19);
            check(&gpu, &histogram, &words, first);
        }
    }
    let ranges = Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, 8192, &gpu.device.limits())
        .on(&gpu.device)
        .unwrap();
    check(&gpu, &ranges, &floats(0.0, 1.0, 8192, 200_001), 3);
}

/// Nothing to count and nothing to clear is no work at all.
#[test]
fn plans_have_no_more_dispatches_than_needed() {
    let limits = gpu().device.limits();
    let config = histogram(Keys::Numbers, 256);
    let steps = |config: Histogram, len| -> Vec<&'static str> {
        let plan = config.plan(BufferRange { offset: 0, len }, &limits).unwrap();
        plan.iter().map(|pass| pass.step).collect()
    };
    assert_eq!(steps(config.clone(), 1 << 20), [CLEAR, COUNT]);
    assert_eq!(steps(config.clone(), 0), [CLEAR]);
    let adding = config.clone().adding();
    assert_eq!(steps(adding.clone(), 1 << 20), [COUNT]);
    assert!(steps(adding, 0).is_empty());
    // The first keys of a longer buffer.
    let (histogram, keys) = (config.on(&gpu().device).unwrap(), Input::new(gpu(), &[1u32; 1000]));
    let plan = histogram.plan(BufferRange { offset: 0, len: 10 });
    assert_eq!(histogram.of(&keys).len(10).plan().unwrap(), plan.unwrap());
}
