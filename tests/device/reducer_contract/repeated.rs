//! The same reduction again: on other threads, in shared scratch memory, without wgpu's checks, twenty times over.

use halofold::reduce::{Op, Prepared, Reducer, Workspace};
use halofold::{Element, Slice, wgpu};

use super::scene::{
    Bench, STORAGE, buffer, in_one_pass, options, plan, poisoned, read, reducer, room, rounding, shapes, sum,
};
use crate::common::gpu;

const LEN: u64 = 200_000;

#[test]
fn sums_of_floats_have_the_same_bits_every_time() {
    let gpu = gpu();
    let data = rounding(LEN as usize, 1);
    let bytes: &[u8] = bytemuck::cast_slice(&data);
    gpu.clean(|| {
        for shape in shapes(LEN) {
            for subgroups in [true, false] {
                let options = options(subgroups);
                let checked = Reducer::with_options(&gpu.device, sum(Element::F32), options).unwrap();
                // SAFETY: the operator is halofold's own.
                let options = unsafe { options.unchecked() };
                let unchecked = Reducer::with_options(&gpu.device, sum(Element::F32), options).unwrap();
                let bench = Bench::new(gpu, &checked, shape, bytes, None);
                let first = bench.run();
                assert!(first.iter().any(|byte| *byte != 0), "{shape:?}: nothing was added");
                for _ in 1..20 {
                    assert!(
                        bench.run() == first,
                        "{shape:?}, subgroups {subgroups}: another run, other bits"
                    );
                }
                let without = Bench::new(gpu, &unchecked, shape, bytes, None).run();
                assert!(without == first, "{shape:?}, subgroups {subgroups}: other bits without checks");
            }
        }
    });
}

#[test]
fn two_reducers_take_turns_in_one_encoder() {
    let gpu = gpu();
    let data = rounding(LEN as usize, 2);
    let bytes: &[u8] = bytemuck::cast_slice(&data);
    gpu.clean(|| {
        for (shape, other) in shapes(LEN).into_iter().zip(shapes(LEN / 3).into_iter().rev()) {
            let sums = reducer(gpu, sum(Element::F32));
            let largest = reducer(gpu, Op::ArgMax.over(Element::F32).unwrap());
            let plans = [plan(&sums, shape.0, shape.1), plan(&largest, other.0, other.1)];
            let shared = Workspace::for_plans(&gpu.device, &plans);
            let mut results = Vec::new();
            for workspace in [None, Some(&shared)] {
                let first = Bench::new(gpu, &sums, shape, bytes, workspace);
                let second = Bench::new(gpu, &largest, other, bytes, workspace);
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                for _ in 0..3 {
                    first.prepared.encode(&mut encoder);
                    second.prepared.encode(&mut encoder);
                    let mut pass = encoder.begin_compute_pass(&Default::default());
                    second.prepared.encode_in_pass(&mut pass);
                    first.prepared.encode_in_pass(&mut pass);
                }
                gpu.queue.submit([encoder.finish()]);
                results.push([first.results(), second.results()]);
                let alone = [first.run(), second.run()];
                assert!(results[0] == alone, "{shape:?} and {other:?}: alone, other results than together");
            }
            assert!(results[0] == results[1], "{shape:?} and {other:?}: sharing changes results");
        }
    });
}

/// Many times in one pass, each run counting on the ticket counter that the one before left.
#[test]
fn one_prepared_reduction_is_recorded_again_and_again() {
    let gpu = gpu();
    let data = rounding(LEN as usize, 3);
    gpu.clean(|| {
        for shape in shapes(LEN) {
            let reducer = reducer(gpu, sum(Element::F32));
            let bench = Bench::new(gpu, &reducer, shape, bytemuck::cast_slice(&data), None);
            let once = bench.run();
            for times in [2, 3, 50] {
                bench.forget();
                in_one_pass(gpu, |pass| (0..times).for_each(|_| bench.prepared.encode_in_pass(pass)));
                assert!(bench.results() == once, "{shape:?}, {times} times");
            }
        }
    });
}

/// An encoder that is dropped leaves the scratch memory as it was; new memory is ready without being cleared, whatever was in
/// it before.
#[test]
fn scratch_memory_needs_no_care() {
    let gpu = gpu();
    let data = rounding(LEN as usize, 4);
    gpu.clean(|| {
        for shape in shapes(LEN) {
            let reducer = reducer(gpu, sum(Element::F32));
            let once = Bench::new(gpu, &reducer, shape, bytemuck::cast_slice(&data), None).run();
            for size in [128, 1 << 12, 1 << 14, 1 << 20] {
                let garbage = buffer(gpu, &vec![0xab; size], STORAGE);
                gpu.queue.submit([]);
                garbage.destroy();
            }
            gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            let again = Bench::new(gpu, &reducer, shape, bytemuck::cast_slice(&data), None);
            let mut dropped = gpu.device.create_command_encoder(&Default::default());
            again.prepared.encode(&mut dropped);
            drop(dropped);
            assert!(again.run() == once, "{shape:?}");
        }
    });
}

/// A prepared reduction outlives everything that the caller holds.
#[test]
fn a_prepared_reduction_moves_to_another_thread() {
    fn sendable<T: Send + Sync + 'static>() {}
    sendable::<Reducer>();
    sendable::<Prepared>();
    sendable::<Workspace>();

    let gpu = gpu();
    let words: Vec<u32> = (0..50_000).collect();
    let expected = words.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    gpu.clean(|| {
        let output = room(gpu, 4);
        let prepared = {
            let reducer = reducer(gpu, sum(Element::U32));
            let input = poisoned(gpu, bytemuck::cast_slice(&words), 0);
            reducer.of(Slice::new(&input, 0, 4 * words.len() as u64)).into(&output).unwrap()
        };
        let recorded = std::thread::spawn(move || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            prepared.encode(&mut encoder);
            encoder.finish()
        });
        gpu.queue.submit([recorded.join().unwrap()]);
        assert_eq!(read(gpu, &output)[..4], expected.to_le_bytes());
    });
}
