//! Reductions in one launch under load: the last workgroup collects what the others have published.
//!
//! That the last workgroup finds every partial holds by how GPUs carry out atomic operations, not by any specification
//! (`shaders/shared/partials.wgsl`). So it is tried for as long as `HALOFOLD_STRESS_SECONDS` says (10 by default), with changing
//! elements and stale partials of other reductions in the shared workspace:
//!
//! `cargo test --release --test device one_launch -- --ignored --nocapture`

use std::env;
use std::time::{Duration, Instant};

use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::{Op, Options, Plan, Reducer, Strategy, Tuning, Workspace};
use halofold::{Element, Slice};

use crate::common::{Random, buffer, gpu, in_one_pass, is_software, read, room};

/// Reductions in one pass.
const REDUCTIONS: u64 = 64;

/// Bytes from one result to the next.
const APART: u64 = 256;

/// Workgroup sizes, and the most workgroups. The fewer and smaller they are, the sooner after the first one the last one collects.
const TUNINGS: [(u32, u32); 5] = [(8, 2), (32, 8), (32, 1024), (64, 64), (256, 396)];

fn expected(op: Op, elements: &[u32]) -> Vec<u32> {
    let sum: u64 = elements.iter().map(|element| u64::from(*element)).sum();
    match op {
        Op::Sum => vec![sum as u32],
        Op::WideSum => vec![sum as u32, (sum >> 32) as u32],
        _ => {
            let largest = elements.iter().copied().max().unwrap();
            vec![largest, elements.iter().position(|element| *element == largest).unwrap() as u32]
        }
    }
}

#[test]
#[ignore = "takes HALOFOLD_STRESS_SECONDS (10), and speaks for the adapter at hand only"]
fn one_launch_under_load_gives_right_results() {
    let gpu = gpu();
    let seconds =
        env::var("HALOFOLD_STRESS_SECONDS").map_or(10, |text| text.parse().expect("a number of seconds"));
    let limits = gpu.device.limits();
    let rung = Rung::named("single-pass").unwrap();
    let reducers = [Op::Sum, Op::WideSum, Op::ArgMax].into_iter().flat_map(|op| {
        TUNINGS.map(|(size, most)| {
            let tuning =
                Tuning::of(rung.kernel, &limits, 0).with_workgroup_size(size).with_max_workgroups(most);
            let strategy = Strategy::Rung { rung, finish: Finish::LastWorkgroup, tuning };
            let options = Options::default().with_strategy(strategy);
            (op, Reducer::with_options(&gpu.device, op.over(Element::U32).unwrap(), options).unwrap())
        })
    });
    let reducers: Vec<_> = reducers.collect();
    let mut elements = vec![0u32; if is_software() { 1 << 18 } else { 1 << 22 }];
    let held = buffer(gpu, bytemuck::cast_slice(&elements), halofold::wgpu::BufferUsages::STORAGE);
    let whole = Slice::new(&held, 0, 4 * elements.len() as u64);
    let plans: Vec<Plan> = reducers.iter().map(|(_, reducer)| reducer.of(whole).plan().unwrap()).collect();
    let workspace = Workspace::for_plans(&gpu.device, &plans);
    let (mut random, mut reductions, started) = (Random::new(1), 0, Instant::now());
    while started.elapsed() < Duration::from_secs(seconds) {
        elements.fill_with(|| (random.next() >> 36) as u32);
        gpu.queue.write_buffer(&held, 0, bytemuck::cast_slice(&elements));
        let results = room(gpu, REDUCTIONS * APART);
        let bound = (0..REDUCTIONS).map(|slot| {
            let (op, reducer) = &reducers[random.next() as usize % reducers.len()];
            let len = 1 + (random.next() as usize % elements.len() >> (random.next() % 12));
            let start = random.next() as usize % (elements.len() - len + 1);
            let input = Slice::new(&held, 4 * start as u64, 4 * len as u64);
            let prepared =
                reducer.of(input).workspace(&workspace).into(Slice::new(&results, slot * APART, APART));
            (prepared.unwrap(), *op, start..start + len)
        });
        let bound: Vec<_> = bound.collect();
        gpu.clean(|| {
            in_one_pass(gpu, |pass| bound.iter().for_each(|(prepared, ..)| prepared.encode_in_pass(pass)))
        });
        for (result, (_, op, range)) in read(gpu, &results).chunks(APART as usize).zip(&bound) {
            let expected = expected(*op, &elements[range.clone()]);
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&result[..4 * expected.len()]);
            assert_eq!(words, expected, "{op:?} of {range:?}, after {reductions} reductions");
            reductions += 1;
        }
    }
    println!("{reductions} reductions in one launch each, all right");
}
