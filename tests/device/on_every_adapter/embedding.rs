//! The library inside another application: small limits, caller's passes, wrong buffers.

use crate::common::{Gpu, Outputs, cautious, gpu, in_one_pass, poison, poisoned, read, room};
use crate::refusals;
use halofold::reduce::ladder::{Finish, RUNGS, Rung};
use halofold::reduce::plan::Src;
use halofold::reduce::{Op, ReduceError, Workspace};
use halofold::{Element, Slice, wgpu};
use halofold_measure::Job;

/// A device with bindings as small as this.
fn small_device(binding: u64) -> Gpu {
    cautious(|limits| {
        limits.max_storage_buffer_binding_size = binding;
        limits.max_compute_workgroups_per_dimension = 100;
    })
}

fn job(device: &wgpu::Device, rung: &'static Rung, workgroup_size: u32, len: u64) -> Job {
    let job = Job::new(rung, Op::Sum, Element::U32, &device.limits(), len).unwrap();
    Job { tuning: job.tuning.with_workgroup_size(workgroup_size), ..job }
}

/// Sums the words from the `first` on, twice in a pass of the caller's.
fn sum(gpu: &Gpu, job: Job, words: &[u32], first: u64) -> u32 {
    let input = poisoned(gpu, bytemuck::cast_slice(words), 0);
    let output = room(gpu, 4);
    let rest = Slice::new(&input, 4 * first, 4 * (words.len() as u64 - first));
    let prepared = job.reducer(&gpu.device).unwrap().of(rest).into(&output).unwrap();
    in_one_pass(gpu, |pass| (0..2).for_each(|_| prepared.encode_in_pass(pass)));
    bytemuck::pod_read_unaligned(&read(gpu, &output)[..4])
}

/// Windows of 64 KiB over 1.2 MiB, grids of at most 100 × 100 workgroups, an offset that is no multiple of anything but four.
#[test]
fn inputs_larger_than_a_binding_are_windowed() {
    let gpu = small_device(1 << 16);
    let device = &gpu.device;
    let words: Vec<u32> = (0..300_007u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    for rung in RUNGS {
        let job = job(device, rung, 64, words.len() as u64);
        if let Err(error) = job.check(device.features(), &device.limits()) {
            let excused = matches!(error, ReduceError::Monoid(_) | ReduceError::NotExact { .. });
            assert!(excused, "{}: {error}", rung.name());
            continue;
        }
        for first in [0, 77] {
            let windows = job.plan(4 * first, words.len() as u64 - first, &device.limits()).unwrap();
            let elements =
                windows.launches().iter().filter(|launch| matches!(launch.src, Src::Inputs { .. }));
            assert!(elements.count() >= 18, "{}", rung.name());
            let expected = words[first as usize..].iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
            assert_eq!(sum(&gpu, job, &words, first), expected, "{} from {first}", rung.name());
        }
    }
}

/// Three reductions that share one workspace, recorded one after the other into one pass.
#[test]
fn a_workspace_is_shared() {
    let gpu = gpu();
    let words: Vec<u32> = (0..100_000).collect();
    let input = poisoned(gpu, bytemuck::cast_slice(&words), 0);
    for name in ["sequential", "vectorized", "single-pass"] {
        let job = job(&gpu.device, Rung::named(name).unwrap(), 64, 100_000);
        let reducer = job.reducer(&gpu.device).unwrap();
        let plan = job.plan(0, 100_000, &gpu.device.limits()).unwrap();
        let workspace = Workspace::new(&gpu.device, &plan);
        let bound = [100_000, 99_999, 1234].map(|len| {
            let output = room(gpu, 4);
            let all = reducer.of(Slice::new(&input, 0, 4 * len)).workspace(&workspace);
            (len, all.into(&output).unwrap(), output)
        });
        in_one_pass(gpu, |pass| bound.iter().for_each(|(_, prepared, _)| prepared.encode_in_pass(pass)));
        for (len, _, output) in bound {
            let expected = words[..len as usize].iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
            assert_eq!(read(gpu, &output)[..4], expected.to_le_bytes(), "{name} of {len}");
        }
    }
}

#[test]
fn missing_features_are_named() {
    let device = small_device(1 << 20).device;
    let vectorized = job(&device, Rung::named("vectorized").unwrap(), 64, 10);
    let refused = |job: Job| job.reducer(&device).unwrap_err();
    let shuffle = job(&device, Rung::named("subgroup-shuffle").unwrap(), 64, 10);
    refusals::check([
        (refused(Job { element: Element::F64, ..vectorized }), "", "SHADER_F64"),
        (refused(Job { element: Element::I64, ..vectorized }), "", "SHADER_INT64"),
        (refused(Job { element: Element::F16, ..vectorized }), "", "SHADER_F16"),
        (refused(shuffle), "", "SUBGROUP"),
        (refused(Job { finish: Finish::Atomic, ..vectorized }), "Finish", ""),
    ]);
}

#[test]
fn outputs_notice_what_is_written_beside_them_and_what_moves() {
    let gpu = gpu();
    let outputs = Outputs::new(gpu, [8, 6]);
    let slices: Vec<_> = outputs.slices().collect();
    let clear = |output: usize, at: u64| {
        outputs.run(|encoder| {
            encoder.clear_buffer(slices[output].buffer(), slices[output].offset() + at, Some(4))
        })
    };
    assert_eq!(clear(0, 4).unwrap()[0], [poison(4), vec![0; 4]].concat());
    for (output, at) in [(0, 8), (1, 4)] {
        assert!(clear(output, at).unwrap_err().contains("beside its outputs"));
    }
    let turn = std::cell::Cell::new(0);
    let moved = outputs.run(|encoder| {
        encoder.clear_buffer(slices[0].buffer(), slices[0].offset() + turn.replace(4), Some(4));
    });
    assert!(moved.unwrap_err().contains("differ"));
}
