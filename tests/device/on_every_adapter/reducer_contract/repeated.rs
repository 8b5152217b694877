//! The same reduction again: on other threads, in shared scratch memory, without wgpu's checks, twenty times over.

use halofold::reduce::{Op, Options, Prepared, Reducer, Workspace};
use halofold::{Element, wgpu};

use super::scene::{Bench, STORAGE, buffer, in_one_pass, read, reducer, room, rounding, shapes, sum};
use crate::common::gpu;
use crate::cut::Cut;

const LEN: usize = 200_000;

#[test]
fn sums_of_floats_have_the_same_bits_every_time() {
    let (gpu, data) = (gpu(), rounding(LEN, 1));
    gpu.clean(|| {
        for cut in shapes(LEN) {
            for subgroups in [true, false] {
                let options = Options::default().with_subgroups(subgroups);
                // SAFETY: the operator is halofold's own.
                let unchecked = unsafe { options.unchecked() };
                let [checked, unchecked] = [options, unchecked].map(|options| {
                    let reducer = Reducer::with_options(&gpu.device, sum(Element::F32), options).unwrap();
                    Bench::new(gpu, &reducer, &cut, &data, None)
                });
                let first = checked.run();
                assert!(first.iter().any(|byte| *byte != 0), "{cut}: nothing was added");
                for _ in 1..20 {
                    assert!(checked.run() == first, "{cut}, subgroups {subgroups}: another run, other bits");
                }
                assert!(unchecked.run() == first, "{cut}, subgroups {subgroups}: other bits without checks");
            }
        }
    });
}

#[test]
fn two_reducers_take_turns_in_one_encoder() {
    let (gpu, data) = (gpu(), rounding(LEN, 2));
    gpu.clean(|| {
        for (cut, other) in shapes(LEN).into_iter().zip(shapes(LEN / 3).into_iter().rev()) {
            let sums = reducer(gpu, sum(Element::F32));
            let largest = reducer(gpu, Op::ArgMax.over(Element::F32).unwrap());
            let bind = |space| {
                [(&sums, &cut), (&largest, &other)]
                    .map(|(reducer, cut)| Bench::new(gpu, reducer, cut, &data, space))
            };
            let alone = bind(None);
            let plans = alone.each_ref().map(|bench| bench.prepared.plan().clone());
            let shared = Workspace::for_plans(&gpu.device, &plans);
            let results = alone.each_ref().map(Bench::run);
            for [first, second] in [&alone, &bind(Some(&shared))] {
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                for _ in 0..3 {
                    first.prepared.encode(&mut encoder);
                    second.prepared.encode(&mut encoder);
                    let mut pass = encoder.begin_compute_pass(&Default::default());
                    second.prepared.encode_in_pass(&mut pass);
                    first.prepared.encode_in_pass(&mut pass);
                }
                gpu.queue.submit([encoder.finish()]);
                let together = [first.results(), second.results()];
                assert!(together == results, "{cut} and {other}: together, other results than alone");
                let again = [first.run(), second.run()];
                assert!(again == results, "{cut} and {other}: sharing changes results");
            }
        }
    });
}

/// Many times in one pass, each run counting on the ticket counter that the one before left.
#[test]
fn one_prepared_reduction_is_recorded_again_and_again() {
    let (gpu, data) = (gpu(), rounding(LEN, 3));
    gpu.clean(|| {
        for cut in shapes(LEN) {
            let bench = Bench::new(gpu, &reducer(gpu, sum(Element::F32)), &cut, &data, None);
            let once = bench.run();
            for times in [2, 3, 50] {
                bench.forget();
                in_one_pass(gpu, |pass| (0..times).for_each(|_| bench.prepared.encode_in_pass(pass)));
                assert!(bench.results() == once, "{cut}, {times} times");
            }
        }
    });
}

/// An encoder that is dropped leaves the scratch memory as it was; new memory is ready without being cleared, whatever was in
/// it before.
#[test]
fn scratch_memory_needs_no_care() {
    let (gpu, data) = (gpu(), rounding(LEN, 4));
    gpu.clean(|| {
        for cut in shapes(LEN) {
            let reducer = reducer(gpu, sum(Element::F32));
            let once = Bench::new(gpu, &reducer, &cut, &data, None).run();
            for size in [128, 1 << 12, 1 << 14, 1 << 20] {
                let garbage = buffer(gpu, &vec![0xab; size], STORAGE);
                gpu.queue.submit([]);
                garbage.destroy();
            }
            gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            let again = Bench::new(gpu, &reducer, &cut, &data, None);
            let mut dropped = gpu.device.create_command_encoder(&Default::default());
            again.prepared.encode(&mut dropped);
            drop(dropped);
            assert!(again.run() == once, "{cut}");
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
            let held = Cut::whole(words.len()).hold(gpu, 4, &[bytemuck::cast_slice(&words)]);
            held.reduction(&reducer(gpu, sum(Element::U32))).into(&output).unwrap()
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
