//! Reductions in one dispatch under load: the last workgroup collects what the others have published.
//!
//! WGSL does not promise that the last workgroup finds every partial: it holds by how GPUs carry out atomic operations (`shaders/lib/grid/partials.wgsl`).
//! So it is tried for `HALOFOLD_STRESS_SECONDS`, with changing elements and stale partials of other reductions in the shared workspace.

use std::env;
use std::time::{Duration, Instant};

use halofold::ladder::{Finish, Rung, Setup};
use halofold::reduce::{Op, Tuning};
use halofold::{Element, Slice, Workspace};
use halofold_cases::How;

use crate::common::{Random, gpu, held, in_one_pass, is_software, read, room};

/// Reductions in one pass.
const REDUCTIONS: u64 = 64;

/// Bytes from one result to the next.
const APART: u64 = 256;

/// Workgroup sizes, and the most workgroups: few and small ones collect soon after the first has published.
const TUNINGS: [(u32, u32); 5] = [(8, 2), (32, 8), (32, 1024), (64, 64), (256, 396)];

fn expected(op: Op, elements: &[u32]) -> Vec<u32> {
    let sum: u64 = elements.iter().map(|element| u64::from(*element)).sum();
    match op {
        Op::Sum => vec![sum as u32],
        Op::WideSum => vec![sum as u32, (sum >> 32) as u32],
        _ => elements.iter().copied().max().into_iter().collect(),
    }
}

#[test]
#[ignore = "takes HALOFOLD_STRESS_SECONDS (10), and speaks for the adapter at hand only"]
fn one_launch_under_load_gives_right_results() {
    let gpu = gpu();
    let seconds = env::var("HALOFOLD_STRESS_SECONDS").map_or(10, |text| text.parse().expect("seconds"));
    let (limits, rung) = (gpu.device.limits(), Rung::named("single-pass").unwrap());
    let reducers = [Op::Sum, Op::WideSum, Op::Max].into_iter().flat_map(|op| {
        TUNINGS.map(|(size, most)| {
            let tuning = Tuning::of(rung.kernel, &limits, 0).with_workgroup_size(size);
            let tuning = Tuning { max_workgroups: most, ..tuning };
            let rung = Setup { rung, finish: Finish::LastWorkgroup, tuning };
            let how = How::default().with_rung(rung);
            (op, how.on(&gpu.device, &op.over(Element::U32).unwrap()).unwrap())
        })
    });
    let reducers: Vec<_> = reducers.collect();
    let mut elements = vec![0u32; if is_software() { 1 << 18 } else { 1 << 22 }];
    let held = held(gpu, &elements);
    let workspace = Workspace::new(&gpu.device);
    let (mut random, mut reductions, started) = (Random::new(1), 0, Instant::now());
    while started.elapsed() < Duration::from_secs(seconds) {
        elements.fill_with(|| (random.next() >> 36) as u32);
        gpu.queue.write_buffer(&held, 0, bytemuck::cast_slice(&elements));
        let results = room(gpu, REDUCTIONS * APART);
        let bind = |slot| {
            let (op, reducer) = &reducers[random.next() as usize % reducers.len()];
            let len = 1 + ((random.next() as usize % elements.len()) >> (random.next() % 12));
            let start = random.next() as usize % (elements.len() - len + 1);
            let input = Slice::new(&held, 4 * start as u64, 4 * len as u64);
            let result = Slice::new(&results, slot * APART, APART);
            let prepared = reducer.of(input).workspace(&workspace).bind(result).unwrap();
            (prepared, *op, start..start + len)
        };
        let bound: Vec<_> = (0..REDUCTIONS).map(bind).collect();
        gpu.clean(|| in_one_pass(gpu, |pass| bound.iter().for_each(|(one, ..)| one.encode_in_pass(pass))));
        for (result, (_, op, range)) in read(gpu, &results).chunks(APART as usize).zip(&bound) {
            let expected = expected(*op, &elements[range.clone()]);
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&result[..4 * expected.len()]);
            assert_eq!(words, expected, "{op:?} of {range:?}, after {reductions} reductions");
            reductions += 1;
        }
    }
    println!("{reductions} reductions in one launch each, all right");
}
