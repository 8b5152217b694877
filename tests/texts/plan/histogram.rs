//! Plans and tunings of histograms. No GPU is needed.

use halofold::histogram::{CLEAR, Histogram, Keys, Method, Tuning};
use halofold::reduce::BufferRange;
use halofold::wgpu::Limits;
use halofold::{Binding, Cut, Error, Pass, Planned};

/// Bytes of a key.
const KEY: u64 = 4;

/// A parameter of a dispatch.
fn param(pass: &Pass, name: &str) -> u64 {
    pass.param(name).expect("a parameter of histograms").into()
}

/// The dispatches over a range.
fn passes(histogram: &Histogram, offset: u64, len: u64, limits: &Limits) -> Result<Vec<Pass>, Error> {
    Ok(histogram.plan(Cut::All, BufferRange { offset, len }, None, limits)?.passes)
}

fn limits(invocations: u32, memory: u32) -> Limits {
    Limits {
        max_compute_invocations_per_workgroup: invocations,
        max_compute_workgroup_size_x: invocations,
        max_compute_workgroup_storage_size: memory,
        ..Limits::default()
    }
}

#[test]
fn fits_every_device() {
    for limits in [limits(64, 1024), Limits::default(), limits(1024, 48 << 10), limits(2048, 1 << 20)] {
        for bins in [1, 2, 3, 255, 256, 257, 4096, 4097, 12_288, 12_289, 65_536] {
            for len in [0, 1 << 24, u64::MAX] {
                let tuning = Tuning::of(&limits, bins, len);
                let config = Histogram::new(Keys::Numbers, bins).with_tuning(tuning);
                assert_eq!(config.check(&limits), Ok(()), "{bins} {tuning:?}");
            }
        }
    }
}

#[test]
fn method_follows_workgroup_memory() {
    let workgroup = |copies, slices| Method::Workgroup { copies, slices, merge: copies < 32 };
    for (kib, bins, method) in [
        (48, 128, workgroup(32, 1)),
        // Copies take at most 16 KiB.
        (48, 256, workgroup(16, 1)),
        (48, 4097, workgroup(1, 1)),
        (16, 256, workgroup(16, 1)),
        (16, 4096, workgroup(1, 1)),
        (16, 4097, workgroup(1, 2)),
        (48, 65_536, workgroup(1, 6)),
        (16, 32_769, Method::Storage),
    ] {
        assert_eq!(Tuning::of(&limits(1024, kib << 10), bins, 1 << 28).method, method, "{kib} KiB, {bins}");
    }
}

#[test]
fn windows_cover_the_input_once() {
    let limits = Limits { max_storage_buffer_binding_size: 1 << 16, ..Limits::downlevel_defaults() };
    let config = Histogram::new(Keys::Numbers, 1000);
    for (offset, len) in [(0, 0), (4, 1), (0, 16_384), (252, 100_003), (4096, 65_536)] {
        let plan = passes(&config, offset, len, &limits).unwrap();
        assert_eq!(plan[0].step, CLEAR);
        let mut at = offset;
        for pass in &plan[1..] {
            let Some(Binding::Input(0, from)) = pass.binding(0) else { panic!("no input: {pass:?}") };
            assert!(from.size <= 1 << 16 && from.offset.is_multiple_of(256));
            assert_eq!(from.offset + KEY * param(pass, "first"), at);
            at += KEY * param(pass, "len");
            assert!(at <= from.offset + from.size);
        }
        assert_eq!(at, offset + KEY * len);
    }
}

#[test]
fn iterations_are_bounded() {
    let limits = Limits {
        max_storage_buffer_binding_size: 1 << 31,
        max_compute_workgroup_storage_size: 1 << 18,
        ..Limits::default()
    };
    let method = Method::Workgroup { copies: 1, slices: 1, merge: false };
    let tuning = Tuning::of(&limits, 1, 0).with_workgroup_size(64).with_max_workgroups(1).with_method(method);
    for (keys, search) in [(Keys::Numbers, 0), (Keys::Ranges { low: 0.0, high: 1.0 }, 16)] {
        let config = Histogram::new(keys, 65_536).adding().with_tuning(tuning);
        let plan = passes(&config, 0, u32::MAX.into(), &limits).unwrap();
        for pass in plan {
            let share = param(&pass, "len").div_ceil(64 * param(&pass, "groups")) + 16;
            let walk = share / 16 + 3 + search * share;
            let clear_and_add = 3 * u64::from(config.bins) / 64;
            assert!(walk + clear_and_add < 32_768, "{walk} + {clear_and_add}");
        }
    }
}

#[test]
fn large_grids_are_folded() {
    let limits = Limits { max_compute_workgroups_per_dimension: 10, ..Limits::default() };
    let config = Histogram::new(Keys::Numbers, 256);
    let tuning = config.tuning_on(&limits);
    let of = |most| config.clone().with_tuning(tuning.with_max_workgroups(most));
    let plan = passes(&of(97), 0, 1 << 24, &limits).unwrap();
    assert_eq!((plan[1].grid, param(&plan[1], "groups")), ([10, 10], 97));
    let error = passes(&of(101), 0, 1 << 24, &limits).unwrap_err();
    let Error::Limit(limit) = error else { panic!("{error}") };
    assert_eq!((limit.name, limit.needed, limit.limit), ("max_compute_workgroups_per_dimension", 11, 10));
    assert!(limit.to_string().contains("split the input"), "{limit}");
}

#[test]
fn borders_never_fall() {
    for (low, high) in [(0.0, 1.0), (-3.0, 7.0), (1.0, 1.000_001), (f32::MIN, f32::MAX), (0.0, 1e-44)] {
        for bins in [1, 2, 10, 1000, 65_536] {
            let borders = Keys::Ranges { low, high }.borders(bins).unwrap();
            assert_eq!(borders.len(), bins as usize + 1);
            assert_eq!((borders[0], borders[bins as usize]), (low, high));
            assert!(borders.windows(2).all(|pair| pair[0] <= pair[1]), "{low} to {high}, {bins}");
        }
    }
}
