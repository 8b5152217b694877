//! The library inside another application: small limits, caller's passes, wrong buffers.

use crate::common::gpu;
use halofold::read::Readback;
use halofold::reduce::ladder::{Finish, RUNGS, Rung};
use halofold::reduce::plan::Src;
use halofold::reduce::{Op, Prepared, ReduceError, Workspace};
use halofold::{BufferError, Element, Slice, adapter, wgpu};
use halofold_measure::Job;
use wgpu::util::DeviceExt as _;

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;

/// A device as a cautious application would open it: no features, and bindings as small as this.
fn small_device(binding: u64) -> (wgpu::Device, wgpu::Queue) {
    let adapter = pollster::block_on(adapter::preferred(true)).expect("an adapter");
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: binding,
        max_compute_workgroups_per_dimension: 100,
        ..wgpu::Limits::downlevel_defaults()
    };
    let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
    pollster::block_on(adapter.request_device(&descriptor)).expect("default limits are everywhere")
}

fn buffer(device: &wgpu::Device, contents: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let contents = bytemuck::cast_slice(contents);
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some("test"), contents, usage })
}

fn job(device: &wgpu::Device, rung: &'static Rung, workgroup_size: u32, len: u64) -> Job {
    let job = Job::new(rung, Op::Sum, Element::U32, &device.limits(), len).unwrap();
    Job { tuning: job.tuning.with_workgroup_size(workgroup_size), ..job }
}

/// Sums the words from the `first` on, on this device, in a pass of the caller's.
fn sum(device: &wgpu::Device, queue: &wgpu::Queue, job: Job, words: &[u32], first: u64) -> u32 {
    let input = buffer(device, words, STORAGE);
    let output = buffer(device, &[0xDEAD_BEEF], STORAGE | wgpu::BufferUsages::COPY_SRC);
    let prepared = job.reducer(device).unwrap().of(Slice::at(&input, 4 * first)).into(&output).unwrap();
    run(device, queue, &prepared, &output)
}

fn run(device: &wgpu::Device, queue: &wgpu::Queue, prepared: &Prepared, output: &wgpu::Buffer) -> u32 {
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        prepared.encode_in_pass(&mut pass);
        prepared.encode_in_pass(&mut pass);
    }
    let readback = Readback::new(device, 4);
    readback.encode(&mut encoder, output, 0, 4).unwrap();
    queue.submit([encoder.finish()]);
    bytemuck::pod_read_unaligned(&readback.wait(4).unwrap())
}

/// Windows of 64 KiB over 1.2 MiB, grids of at most 100 × 100 workgroups, an offset that is no multiple of anything but four.
#[test]
fn inputs_larger_than_a_binding_are_windowed() {
    let (device, queue) = small_device(1 << 16);
    let words: Vec<u32> = (0..300_007u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    for rung in RUNGS {
        let job = job(&device, rung, 64, words.len() as u64);
        if let Err(error) = job.check(device.features(), &device.limits()) {
            let excused = matches!(error, ReduceError::MissingFeature { .. } | ReduceError::NotExact { .. });
            assert!(excused, "{}: {error}", rung.name());
            continue;
        }
        for first in [0, 77] {
            let windows = job.plan(4 * first, words.len() as u64 - first, &device.limits()).unwrap();
            let elements =
                windows.launches().iter().filter(|launch| matches!(launch.src, Src::Inputs { .. }));
            assert!(elements.count() >= 18, "{}", rung.name());
            let expected = words[first as usize..].iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
            assert_eq!(sum(&device, &queue, job, &words, first), expected, "{} from {first}", rung.name());
        }
    }
}

/// Three reductions that share one workspace, recorded one after the other into one pass.
#[test]
fn a_workspace_is_shared() {
    let gpu = gpu();
    let words: Vec<u32> = (0..100_000).collect();
    let input = buffer(&gpu.device, &words, STORAGE);
    for name in ["sequential", "vectorized", "single-pass"] {
        let rung = Rung::named(name).unwrap();
        let job = job(&gpu.device, rung, 64, 100_000);
        let reducer = job.reducer(&gpu.device).unwrap();
        let plan = job.plan(0, 100_000, &gpu.device.limits()).unwrap();
        let workspace = Workspace::new(&gpu.device, &plan);
        let lengths = [100_000, 99_999, 1234];
        let outputs = lengths.map(|_| buffer(&gpu.device, &[7], STORAGE | wgpu::BufferUsages::COPY_SRC));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for (len, output) in lengths.into_iter().zip(&outputs) {
                let input = Slice::new(&input, 0, 4 * len);
                let prepared = reducer.of(input).workspace(&workspace).into(output).unwrap();
                prepared.encode_in_pass(&mut pass);
            }
        }
        let readback = Readback::new(&gpu.device, 12);
        gpu.queue.submit([encoder.finish()]);
        for (len, output) in lengths.into_iter().zip(&outputs) {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            readback.encode(&mut encoder, output, 0, 4).unwrap();
            gpu.queue.submit([encoder.finish()]);
            let bytes = pollster::block_on(async {
                let read = readback.read(4);
                gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
                read.await
            });
            let got: u32 = bytemuck::pod_read_unaligned(&bytes.unwrap());
            assert_eq!(got, (0..len as u32).fold(0, u32::wrapping_add), "{name} of {len}");
        }
    }
}

#[test]
fn wrong_buffers_are_errors() {
    let gpu = gpu();
    let device = &gpu.device;
    let rung = Rung::named("vectorized").unwrap();
    let job = job(device, rung, 64, 1000);
    let plan = |len| job.plan(0, len, &device.limits()).unwrap();
    let reducer = job.reducer(device).unwrap();
    let workspace = Workspace::new(device, &plan(1000));
    let good = buffer(device, &[1; 1000], STORAGE);
    let result = buffer(device, &[0; 128], STORAGE);
    let bare = buffer(device, &[1; 1000], wgpu::BufferUsages::COPY_SRC);
    let refused = |input: &wgpu::Buffer, offset, len: u64, output: &wgpu::Buffer, at| {
        let input = Slice::new(input, offset, len.saturating_mul(4));
        reducer.of(input).workspace(&workspace).into(Slice::at(output, at)).unwrap_err()
    };
    assert!(matches!(
        refused(&bare, 0, 1000, &result, 0),
        ReduceError::Buffer(BufferError::Usage { role: "input", .. })
    ));
    assert!(matches!(
        refused(&good, 0, 1000, &bare, 0),
        ReduceError::Buffer(BufferError::Usage { role: "output", .. })
    ));
    assert!(matches!(
        refused(&good, 0, 1001, &result, 0),
        ReduceError::Buffer(BufferError::TooShort { role: "input", .. })
    ));
    assert!(matches!(
        refused(&good, 4, 1000, &result, 0),
        ReduceError::Buffer(BufferError::TooShort { role: "input", .. })
    ));
    assert!(matches!(
        refused(&good, 0, u64::MAX, &result, 0),
        ReduceError::Buffer(BufferError::OutOfReach { .. })
    ));
    assert!(matches!(refused(&good, 0, 1 << 33, &result, 0), ReduceError::Buffer(BufferError::TooMany(_))));
    assert!(matches!(refused(&good, 2, 10, &result, 0), ReduceError::Buffer(BufferError::Misaligned { .. })));
    let beyond = refused(&good, u64::MAX - 3, 4, &result, 0);
    assert!(matches!(beyond, ReduceError::Buffer(BufferError::OutOfReach { .. })));
    let mut encoder = device.create_command_encoder(&Default::default());
    assert!(Readback::new(device, 4).encode(&mut encoder, &good, 0, 4).is_err());
    assert!(Readback::new(device, 4).encode(&mut encoder, &bare, 3996, 8).is_err());
    assert!(matches!(
        refused(&good, 0, 10, &result, 512),
        ReduceError::Buffer(BufferError::TooShort { role: "output", .. })
    ));
    assert!(matches!(refused(&good, 0, 10, &result, 4), ReduceError::Buffer(BufferError::Offset { .. })));
    assert!(matches!(refused(&good, 0, 10, &good, 0), ReduceError::Buffer(BufferError::Aliased { .. })));
    let small = Workspace::new(device, &plan(10));
    let error = reducer.of(&good).workspace(&small).into(&result);
    match plan(1000).scratch()[0] {
        0..=128 => assert!(error.is_ok()),
        _ => assert!(matches!(error.unwrap_err(), ReduceError::Buffer(BufferError::TooShort { .. }))),
    }
}

#[test]
fn missing_features_are_named() {
    let (device, _queue) = small_device(1 << 20);
    let rung = Rung::named("vectorized").unwrap();
    for (element, name) in
        [(Element::F64, "SHADER_F64"), (Element::I64, "SHADER_INT64"), (Element::F16, "SHADER_F16")]
    {
        let error = Job { element, ..job(&device, rung, 64, 10) }.reducer(&device).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let shuffle = Rung::named("subgroup-shuffle").unwrap();
    let error = job(&device, shuffle, 64, 10).reducer(&device).unwrap_err();
    assert!(error.to_string().contains("SUBGROUP"), "{error}");
    let job = Job { finish: Finish::Atomic, ..job(&device, rung, 64, 10) };
    assert!(matches!(job.reducer(&device), Err(ReduceError::Finish { .. })));
}
