//! Histograms against the CPU, on the adapter at hand.
//!
//! Counts are exact, so every comparison is. Each histogram is recorded twice into one pass, over an output that held
//! something else before, with a guard behind its last bin.

mod elements;

use crate::common::{Gpu, Outputs, Random, buffer, cautious, gpu, in_turn, twice_in_a_pass};
use halofold::histogram::{CLEAR, COUNT, Histogram, Keys, Method, OperationError, Tuning, reference};
use halofold::reduce::BufferRange;
use halofold::{BufferError, OnDevice, Slice, wgpu};

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;
const BINS: [u32; 12] = [1, 2, 3, 10, 255, 256, 257, 1000, 4096, 4097, 65_535, 65_536];
const LENGTHS: [usize; 5] = [0, 1, 3, 1000, 100_003];
const LONGEST: usize = 1_000_000;

/// The output's contents before.
const BEFORE: u32 = 5;

/// Counts the words from number `first` on, twice.
fn count(gpu: &Gpu, histogram: &OnDevice<Histogram>, words: &[u32], first: usize) -> Vec<u32> {
    let bins = (histogram.config().output() / 4) as usize;
    let input = buffer(gpu, bytemuck::cast_slice(words), STORAGE);
    let outputs =
        Outputs::new(gpu, [4 * bins as u64]).starting_with(bytemuck::cast_slice(&vec![BEFORE; bins]));
    let keys = Slice::new(&input, 4 * first as u64, 4 * (words.len() - first) as u64);
    let prepared = histogram.of(keys).into_each(outputs.slices()).unwrap();
    let counts = outputs.run(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap().remove(0);
    bytemuck::pod_collect_to_vec(&counts)
}

/// Compares with the CPU.
fn check(gpu: &Gpu, histogram: &OnDevice<Histogram>, words: &[u32], first: usize) {
    let config = histogram.config();
    let once = reference::counts(&config.keys, config.bins, &words[first..]);
    let want: Vec<u32> =
        if config.add { once.iter().map(|count| BEFORE + 2 * count).collect() } else { once };
    let got = count(gpu, histogram, words, first);
    let differing = got.iter().zip(&want).position(|(got, want)| got != want);
    if let Some(bin) = differing {
        panic!(
            "bin {bin}: {} instead of {}, {} keys from {first} on, {config:?}",
            got[bin],
            want[bin],
            words.len() - first
        );
    }
}

/// Compiles a config and counts from each of some words on.
fn check_here(config: Histogram, words: &[u32], firsts: &[usize]) {
    let gpu = gpu();
    let work = || {
        let histogram = config.on(&gpu.device).map_err(|error| error.to_string())?;
        for &first in firsts {
            check(gpu, &histogram, words, first);
        }
        Ok(())
    };
    gpu.watched(work).unwrap();
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
fn numbers_of_every_kind() {
    let gpu = gpu();
    for bins in BINS {
        let histogram = Histogram::new(Keys::Numbers, bins, &gpu.device.limits()).on(&gpu.device).unwrap();
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
fn every_method() {
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
                    let config = Histogram::new(Keys::Numbers, bins, &limits).with_tuning(tuning);
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
    let limits = gpu().device.limits();
    for bins in [10, 4097, 65_536] {
        let words = numbers(bins, 5003).pop().unwrap();
        let firsts = [1, 2, 3, 4, 63, 64, 65, 5000, 5002, 5003];
        check_here(Histogram::new(Keys::Numbers, bins, &limits), &words, &firsts);
    }
}

#[test]
fn counts_are_added_where_asked() {
    let limits = gpu().device.limits();
    for keys in [Keys::Numbers, Keys::Ranges { low: 0.0, high: 1.0 }] {
        for bins in [3, 1000, 65_536] {
            let words = match &keys {
                Keys::Numbers => numbers(bins, 100_003).pop().unwrap(),
                _ => floats(0.0, 1.0, bins, 100_003),
            };
            let config = Histogram::new(keys.clone(), bins, &limits).adding();
            check_here(config, &words, &[0, words.len()]);
        }
    }
}

/// Floats around every border of some bins, in the range, outside of it and none at all, as bits.
fn floats(low: f32, high: f32, bins: u32, len: usize) -> Vec<u32> {
    let mut random = Random::new(u64::from(bins) ^ len as u64);
    let borders = Keys::Ranges { low, high }.borders(bins).unwrap();
    let odd = [
        f32::NAN,
        -f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        1e-45,
        -1e-45,
        1e-40,
        -1e-40,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
    ];
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
    let limits = gpu().device.limits();
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
            check_here(Histogram::new(Keys::Ranges { low, high }, *bins, &limits), &words, &[0]);
        }
    }
    for len in LENGTHS {
        let config = Histogram::new(Keys::Ranges { low: -1.0, high: 2.0 }, 300, &limits);
        check_here(config, &floats(-1.0, 2.0, 300, len), &[0]);
    }
}

/// Words of which many upper ones are alike, so that lower ones decide, and levels of which some are equal.
#[test]
fn integers_between_levels() {
    let limits = gpu().device.limits();
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
        let long = Keys::U64Levels(levels.into());
        check_here(Histogram::new(long, bins as u32, &limits), &words, &[0, 2, 40_000]);
        check_here(Histogram::new(Keys::U32Levels(short.into()), bins as u32, &limits), &words, &[0, 1]);
    }
    let falling = Keys::U64Levels([1, 0].into());
    assert!(matches!(Histogram::new(falling, 1, &limits).check(&limits), Err(OperationError::Levels { .. })));
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
    let binding = |keys, bins| Histogram::new(keys, bins, &gpu.device.limits()).on(&gpu.device).unwrap_err();
    for (error, bytes) in [
        (binding(Keys::Numbers, 16_385), 65_540),
        (binding(Keys::Ranges { low: 0.0, high: 1.0 }, 8193), 65_544),
    ] {
        let OperationError::Limit(limit) = error else { panic!("{error}") };
        let is = (limit.name, limit.needed, limit.limit);
        assert_eq!(is, ("max_storage_buffer_binding_size", bytes, 65_536));
        assert!(limit.to_string().ends_with("request more when you open it, or use fewer bins"), "{limit}");
    }
}

#[test]
fn wrong_bins_and_ranges_are_refused() {
    let refused =
        |keys, bins| Histogram::new(keys, bins, &gpu().device.limits()).on(&gpu().device).unwrap_err();
    for bins in [0, 65_537] {
        let OperationError::Setting(setting) = refused(Keys::Numbers, bins) else { panic!("{bins}") };
        assert_eq!((setting.value, &*setting.allowed), (bins.into(), "1 to 65536"));
    }
    for (low, high) in [
        (1.0, 1.0),
        (2.0, 1.0),
        (0.0, -0.0),
        (f32::NAN, 1.0),
        (0.0, f32::NAN),
        (f32::NEG_INFINITY, 0.0),
        (0.0, f32::INFINITY),
    ] {
        let error = refused(Keys::Ranges { low, high }, 10);
        assert!(matches!(error, OperationError::Range { .. }), "{low} to {high}: {error}");
    }
}

#[test]
fn wrong_tunings_are_refused() {
    let device = &gpu().device;
    let config = Histogram::new(Keys::Numbers, 1000, &device.limits());
    let refused = |tuning| config.clone().with_tuning(tuning).on(device).unwrap_err().to_string();
    let with = |copies, slices| config.tuning.with_method(Method::Workgroup { copies, slices, merge: false });
    for (tuning, word) in [
        (config.tuning.with_workgroup_size(96), "power of two"),
        (config.tuning.with_workgroup_size(32), "64 to"),
        (config.tuning.with_workgroup_size(2048), "64 to"),
        (config.tuning.with_max_workgroups(0), "at least 1"),
        (with(3, 1), "power of two"),
        (with(0, 1), "power of two"),
        (with(128, 1), "power of two"),
        (with(1, 0), "slices of 0: it can be 1 to 1000"),
        (with(1, 1001), "slices of 1001: it can be 1 to 1000"),
        (with(64, 1), "max_compute_workgroup_storage_size"),
    ] {
        let message = refused(tuning);
        assert!(message.contains(word), "{tuning:?}: {message}");
    }
}

#[test]
fn wrong_buffers_are_refused() {
    let gpu = gpu();
    let histogram = Histogram::new(Keys::Numbers, 100, &gpu.device.limits()).on(&gpu.device).unwrap();
    let keys = buffer(gpu, &[1; 4 * 1000], STORAGE | wgpu::BufferUsages::COPY_SRC);
    let counts = buffer(gpu, &[0; 4 * 400], STORAGE);
    let other = buffer(gpu, &[0; 4 * 1000], wgpu::BufferUsages::COPY_SRC);
    let refused = |input: &wgpu::Buffer, offset, len: u64, output: &wgpu::Buffer, at| {
        let input = Slice::new(input, offset, 4 * len);
        histogram.of(input).into(Slice::at(output, at)).unwrap_err()
    };
    use OperationError as E;
    assert_eq!(refused(&keys, 2, 10, &counts, 0), E::Buffer(BufferError::Misaligned { offset: 2, size: 4 }));
    assert_eq!(refused(&keys, 0, 1 << 32, &counts, 0), E::Buffer(BufferError::TooMany(1 << 32)));
    let far = BufferError::OutOfReach { offset: u64::MAX - 3, len: 1 };
    assert_eq!(refused(&keys, u64::MAX - 3, 1, &counts, 0), E::Buffer(far));
    let short = |role, start, end, size| E::Buffer(BufferError::TooShort { role, start, end, size });
    assert_eq!(refused(&keys, 4, 1000, &counts, 0), short("input", 4, 4004, 4000));
    assert_eq!(refused(&keys, 0, 1000, &counts, 1280), short("output", 1280, 1680, 1600));
    assert_eq!(refused(&keys, 0, 1, &counts, u64::MAX - 3), short("output", u64::MAX - 3, u64::MAX, 1600));
    let beyond = histogram.of(&keys).into(Slice::new(&counts, 0, 2000)).unwrap_err();
    assert_eq!(beyond, short("output", 0, 2000, 1600));
    let first = |n| histogram.of(&keys).len(n).plan();
    assert_eq!(first(1001).unwrap_err(), E::Buffer(BufferError::TooFew { asked: 1001, has: 1000 }));
    assert_eq!(first(10).unwrap(), histogram.plan(BufferRange { offset: 0, len: 10 }).unwrap());
    assert_eq!(
        refused(&other, 0, 10, &counts, 0),
        E::Buffer(BufferError::Usage { role: "input", usage: STORAGE })
    );
    assert_eq!(
        refused(&keys, 0, 10, &other, 0),
        E::Buffer(BufferError::Usage { role: "output", usage: STORAGE })
    );
    assert_eq!(
        refused(&keys, 0, 10, &keys, 2048),
        E::Buffer(BufferError::Aliased { first: "input", second: "output" })
    );
    assert!(matches!(
        refused(&keys, 0, 10, &counts, 4),
        E::Buffer(BufferError::Offset { role: "output", offset: 4, .. })
    ));
}

/// Nothing to count and nothing to clear is no work at all.
#[test]
fn plans_have_no_more_dispatches_than_needed() {
    let limits = gpu().device.limits();
    let config = Histogram::new(Keys::Numbers, 256, &limits);
    let steps = |config: Histogram, len| -> Vec<&'static str> {
        let plan = config.plan(BufferRange { offset: 0, len }, &limits).unwrap();
        plan.iter().map(|pass| pass.step).collect()
    };
    assert_eq!(steps(config.clone(), 1 << 20), [CLEAR, COUNT]);
    assert_eq!(steps(config.clone(), 0), [CLEAR]);
    let adding = config.adding();
    assert_eq!(steps(adding.clone(), 1 << 20), [COUNT]);
    assert!(steps(adding, 0).is_empty());
}
