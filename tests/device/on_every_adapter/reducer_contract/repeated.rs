//! The same reduction again: on other threads, in used scratch memory, without wgpu's checks, many times over.

use halofold::reduce::{Bound, Reduce};
use halofold::{Compiled, Element, Options, Workspace, wgpu};

use super::{Bench, reducer, rounding, shapes, sum};
use crate::common::{buffer, gpu, in_one_pass, read, room};
use crate::cut::Cut;

#[test]
fn sums_of_floats_have_the_same_bits_every_time() {
    const LEN: usize = 200_000;
    let (gpu, data) = (gpu(), rounding(LEN, 1));
    gpu.clean(|| {
        for cut in shapes(LEN) {
            for subgroups in [true, false] {
                let options = Options::default().with_subgroups(subgroups);
                // SAFETY: the operator is halofold's own.
                let unchecked = unsafe { options.unchecked() };
                let sum = Reduce::new(sum(Element::F32));
                let [checked, unchecked] = [options, unchecked]
                    .map(|options| Compiled::new(&gpu.device, sum.clone(), &options).unwrap());
                let bench = Bench::new(gpu, &checked, &cut, &data);
                let first = bench.run(1);
                assert!(first.iter().any(|byte| *byte != 0), "{cut}: nothing was added");
                // In one pass each run counts on the ticket counter that the one before left.
                for times in [1; 19].into_iter().chain([2, 3, 50]) {
                    assert!(
                        bench.run(times) == first,
                        "{cut}, subgroups {subgroups}: other bits in {times} runs"
                    );
                }
                let unchecked = Bench::new(gpu, &unchecked, &cut, &data).run(1);
                assert!(unchecked == first, "{cut}, subgroups {subgroups}: other bits without checks");

                // New scratch memory is ready without being cleared, whatever was in it before.
                for size in [128, 1 << 12, 1 << 14, 1 << 20] {
                    let garbage = buffer(gpu, &vec![0xab; size], wgpu::BufferUsages::STORAGE);
                    gpu.queue.submit([]);
                    garbage.destroy();
                }
                gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
                let again = Bench::new(gpu, &checked, &cut, &data);
                // An encoder that is dropped leaves it as it was.
                again.prepared.encode(&mut gpu.device.create_command_encoder(&Default::default()));
                assert!(again.run(1) == first, "{cut}, subgroups {subgroups}: other bits in new memory");
            }
        }
    });
}

/// A prepared reduction outlives everything that the caller holds.
#[test]
fn a_prepared_reduction_moves_to_another_thread() {
    fn sendable<T: Send + Sync + 'static>() {}
    sendable::<(Compiled<Reduce>, Bound, Workspace)>();
    let gpu = gpu();
    let words: Vec<u32> = (0..50_000).collect();
    let expected = words.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    gpu.clean(|| {
        let output = room(gpu, 4);
        let prepared = {
            let held = Cut::whole(words.len()).hold(gpu, 4, &[bytemuck::cast_slice(&words)]);
            held.reduction(&reducer(gpu, sum(Element::U32))).bind(&output).unwrap()
        };
        std::thread::spawn(move || in_one_pass(gpu, |pass| prepared.encode_in_pass(pass))).join().unwrap();
        assert_eq!(read(gpu, &output)[..4], expected.to_le_bytes());
    });
}
