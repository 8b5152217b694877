//! One result of everything: in windows, added up, of a length that the GPU knows.

use halofold::read::Readback;
use halofold::reduce::{Arity, BufferRange, Monoid, Op, Shape};
use halofold::{Element, Slice};

use super::scene::{GPU, NARROW, POISON, buffer, cases, check, compare, elements, reducers, run, words};

#[test]
fn whole_inputs_in_windows() {
    const WINDOW: usize = (64 << 10) / 4;
    for case in cases() {
        let ways = reducers(&NARROW, &case.monoid);
        for (len, passes) in [
            (WINDOW - 8, 1),
            (WINDOW, 1),
            (WINDOW + 1, 1),
            (2 * WINDOW - 3, 1),
            (2 * WINDOW, 1),
            (2 * WINDOW + 1, 2),
            (3 * WINDOW + 7, 2),
            (5 * WINDOW, 3),
        ] {
            let data = elements(len);
            let want = (case.model)(&mut data.iter().copied());
            let plan =
                ways[0].plan(Shape::Whole, &[BufferRange { offset: 0, len: len as u64 }], None).unwrap();
            // Two windows a dispatch.
            assert_eq!(plan.launches().len(), passes, "{len}");
            for offset in [0, 1, 7, 64] {
                check(&NARROW, &ways, Shape::Whole, &data, offset, &want);
            }
        }
    }
}

/// An accumulator with a vector of three among its members, which has a gap behind it, and a result of four words.
#[test]
fn accumulators_with_vectors() {
    const COUNTED: &str = "
struct Acc { key: u32, seen: vec3<i32>, index: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, vec3<i32>(i32(elem & 15u), 1, -1), index); }
fn identity() -> Acc { return Acc(0u, vec3<i32>(), 0xffffffffu); }
fn better(a: Acc, b: Acc) -> bool { return a.key > b.key || (a.key == b.key && a.index < b.index); }
fn combine(a: Acc, b: Acc) -> Acc { var c = b; if better(a, b) { c = a; } c.seen = a.seen + b.seen; return c; }
fn finish(acc: Acc, n: u32) -> vec4<u32> { return vec4<u32>(acc.index, vec2<u32>(acc.seen.xy), u32(-acc.seen.z)); }
";
    let monoid = Monoid::custom("counted", Element::U32, Arity::One, COUNTED).unwrap();
    let data = elements(200_000);
    let want = |part: &[u32]| {
        let largest = (0..part.len()).rev().max_by_key(|&i| part[i]).unwrap() as u32;
        let low = part.iter().map(|element| element & 15).sum();
        [largest, low, part.len() as u32, part.len() as u32]
    };
    for (shape, len) in [
        (Shape::Whole, data.len()),
        (Shape::Segments { len: 50_000 }, 50_000),
        (Shape::Segments { len: 10 }, 10),
    ] {
        let want: Vec<_> = data.chunks(len).flat_map(want).collect();
        check(&GPU, &reducers(&GPU, &monoid), shape, &data, 1, &want);
    }
}

/// Calls that go on where the one before stopped: other lengths, other buffers, a length from the GPU.
#[test]
fn accumulation_continues_over_any_lengths_and_buffers() {
    let sum = || Op::Sum.over(Element::U32).unwrap();
    for gpu in [&*GPU, &NARROW] {
        for reducer in reducers(gpu, &sum()) {
            let result = buffer(gpu, &[17], 64);
            let mut total = 17u32;
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            for (len, counted) in [
                (1, None),
                (1000, None),
                (0, None),
                (100_003, None),
                (70_000, Some(5_001)),
                (70_000, Some(99_999)),
            ] {
                let data = elements(len);
                let held = [buffer(gpu, &data[..len / 3], 5), buffer(gpu, &data[len / 3..], 2)];
                let counts = buffer(gpu, &[counted.unwrap_or(0)], 0);
                let parts = reducer.of(words(&held[0], 5, len / 3)).chain(words(&held[1], 2, len - len / 3));
                let adding = parts.accumulate();
                let adding = if counted.is_some() { adding.count_buffer(&counts) } else { adding };
                let plan = adding.plan().unwrap();
                assert_eq!((plan.partials(), plan.scratch(), plan.output()), (0, [0; 2], 4));
                let prepared = adding.into(Slice::at(&result, 256)).unwrap();
                // Twice, as an application would in two frames.
                prepared.encode(&mut encoder);
                prepared.encode(&mut encoder);
                let taken = counted.map_or(len, |count| len.min(count as usize));
                let once = data[..taken].iter().fold(0, |sum: u32, elem| sum.wrapping_add(*elem));
                total = total.wrapping_add(once.wrapping_mul(2));
            }
            let readback = Readback::new(&gpu.device, result.size());
            readback.encode(&mut encoder, &result, 0, result.size()).unwrap();
            gpu.queue.submit([encoder.finish()]);
            let bytes = readback.wait(result.size()).unwrap();
            let words: &[u32] = bytemuck::cast_slice(&bytes);
            assert_eq!(words[64], total);
            assert!(words.iter().enumerate().all(|(at, word)| at == 64 || *word == POISON));
        }
    }
}

#[test]
fn lengths_known_to_the_gpu() {
    for gpu in [&*GPU, &NARROW] {
        for case in cases() {
            let data = elements(100_003);
            let held: Vec<_> = [(0, 50_000, 1), (50_000, 50_001, 0), (50_001, 100_003, 6)]
                .map(|(begin, end, offset)| (buffer(gpu, &data[begin..end], offset), offset, end - begin))
                .into();
            let inputs: Vec<_> =
                held.iter().map(|(buffer, offset, len)| words(buffer, *offset, *len)).collect();
            let ways = reducers(gpu, &case.monoid);
            for count in [0, 1, 5, 49_999, 50_000, 50_001, 50_002, 77_777, 100_003, 100_004, u32::MAX] {
                let counts = buffer(gpu, &[count], 67);
                let place = words(&counts, 67, 1);
                let taken = data.len().min(count as usize);
                let want = (case.model)(&mut data[..taken].iter().copied());
                for reducer in &ways {
                    let all = reducer.of(inputs[0]).chain(inputs[1]).chain(inputs[2]);
                    let got = run(gpu, &all.count_buffer(place));
                    compare(&got, &want, &format!("{} of {count}", reducer.monoid().name()));
                }
                // Every third one of the last part.
                let taken = 16_000.min(count as usize);
                let want = (case.model)(&mut data[50_001..].iter().copied().step_by(3).take(taken));
                for reducer in &ways {
                    let part = words(&held[2].0, held[2].1, 48_000);
                    let got = run(gpu, &reducer.of(part).strided(3).count_buffer(place));
                    compare(&got, &want, &format!("{} of {count} strides", reducer.monoid().name()));
                }
            }
        }
    }
}
