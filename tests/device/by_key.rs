//! Runs of equal neighbouring keys against a walk over the pairs.

use std::ops::Range;
use std::sync::LazyLock;

use halofold::group::{Pairs, ReduceRuns, Run, RunLengths, RunOutputs};
use halofold::reduce::{Arity, Monoid, Op};
use halofold::scan::Progress;
use halofold::select::Select;
use halofold::{Compiled, Element, Kernels, Options, Value};

use crate::common::{Gpu, POISON, Random, bits_of, elements, gpu, limited, poison, read, room};
use crate::inputs::{Input, WAYS, words, written};

/// Pairs of a tile.
const TILE: usize = 4096;

/// Keys of parts of some lengths, each in runs of 1 to a longest one, and the range of each run.
pub fn runs(parts: &[(usize, u64)], random: &mut Random) -> (Vec<u32>, Vec<Range<usize>>) {
    let (mut keys, mut ranges, mut key) = (Vec::new(), Vec::new(), 7u32);
    for (len, longest) in parts {
        let end = keys.len() + len;
        while keys.len() < end {
            // Another key than the one before, often smaller.
            key = key.wrapping_add(1 + random.next() as u32 % 1000);
            let stop = (keys.len() + 1 + (random.next() % longest) as usize).min(end);
            ranges.push(keys.len()..stop);
            keys.resize(stop, key);
        }
    }
    (keys, ranges)
}

/// The words of keys and of results, recorded twice over poison that has to stay behind both. Without an operator results are lengths.
pub fn outputs(key: Element, monoid: Option<Monoid>, data: [&[u8]; 2], at: [u64; 2]) -> [Vec<u32>; 2] {
    let gpu = gpu();
    let sizes = [key.size(), monoid.as_ref().map_or(4, Monoid::out_size)];
    // Kernels of equal text compile once.
    static KERNELS: LazyLock<Kernels> = LazyLock::new(Kernels::default);
    let options = Options::default().with_kernels(&KERNELS);
    let [first, second] = [0, 1].map(|nth| Input::at(gpu, data[nth], at[nth]));
    let most = (data[0].len() as u64 / key.size()).max(1);
    let found = written(gpu, [most * sizes[0], most * sizes[1], 4], |outputs| {
        let to = RunOutputs { keys: outputs[0], results: outputs[1], len: outputs[2] };
        if let Some(monoid) = monoid {
            let sums = Compiled::new(&gpu.device, ReduceRuns::new(key, monoid), &options).unwrap();
            return sums.of(Pairs { keys: &first, values: &second }).bind(to);
        }
        Compiled::new(&gpu.device, RunLengths::new(key), &options).unwrap().of(&first).bind(to)
    });
    let number = words(&found[2])[0] as usize;
    [0, 1].map(|nth| {
        let (bytes, end) = (&found[nth], number * sizes[nth] as usize);
        assert_eq!(bytes[end..], poison(bytes.len())[end..], "behind {number} runs");
        words(&bytes[..end])
    })
}

/// The words of a result, from the place of the first value of a run and the values.
type Model = fn(usize, &[u32]) -> Vec<u32>;

/// Compares keys and results of runs. Keys of two words differ in one of them from their neighbours; values are small whole numbers.
fn check(key: Element, monoid: Option<Monoid>, model: Model, parts: &[(usize, u64)], at: [u64; 2]) {
    let mut random = Random::new(parts[0].0 as u64 + parts[0].1);
    let (own, ranges) = runs(parts, &mut random);
    let values: Vec<u32> = own.iter().map(|_| random.next() as u32 % 1000).collect();
    let wide = |word: u32| if word.is_multiple_of(3) { word.into() } else { u64::from(word) << 32 | 7 };
    let keys = own.iter().map(|word| if key.size() == 8 { wide(*word) } else { (*word).into() });
    let keys = elements(key, keys);
    let of = monoid.as_ref().and_then(Monoid::element);
    let numbers = |of| elements(of, values.iter().map(|value| bits_of(of, f64::from(*value))));
    let what = format!("{parts:?} of {key}, {:?}", monoid.as_ref().map(Monoid::name));
    let [keys_of, results] = outputs(key, monoid, [&keys, &of.map(numbers).unwrap_or_default()], at);
    let size = key.size() as usize;
    let firsts = ranges.iter().flat_map(|range| words(&keys[size * range.start..][..size]));
    assert!(keys_of.into_iter().eq(firsts), "keys of {what}");
    let want = ranges.iter().flat_map(|range| model(range.start, &values[range.clone()]));
    assert!(results.into_iter().eq(want), "{what}");
}

const SUM: Model = |_, values| vec![values.iter().sum()];
const LENGTH: Model = |_, values| vec![values.len() as u32];

#[test]
fn lengths_of_runs_on_every_adapter() {
    for len in [0, 1, 2, 15, 17, TILE - 1, TILE, TILE + 1, 3 * TILE + 5] {
        for longest in [1, 2, 9, 300, 20_000] {
            check(Element::U32, None, LENGTH, &[(len, longest)], [12, 0]);
        }
    }
    // No keys at all, which are two words each; and a single run that fills a binding.
    let run = |gpu: &Gpu, key, progress, keys: &[u32]| {
        let held = Input::at(gpu, bytemuck::cast_slice::<_, u8>(keys), 0);
        let lengths = gpu.compile(RunLengths::new(key).with_progress(progress));
        lengths.of(&held).len(keys.len() as u64 * 4 / key.size()).run::<Run<Value, u32>>(&gpu.queue).unwrap()
    };
    assert_eq!(run(gpu(), Element::U64, Progress::Usual, &[]), []);
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 18);
    let full = Run { key: Value::Unsigned(5), result: 1 << 16 };
    assert_eq!(run(&narrow, Element::U32, Progress::Usual, &[5; 1 << 16]), [full]);
    // Several blocks of tiles, whose states others have not published; and invocations that have more keys.
    for len in [300_000, (1 << 22) + 777] {
        let keys: Vec<u32> = (0..len).map(|i| i >> (i >> 15 & 7)).collect();
        let found = WAYS.map(|progress| run(gpu(), Element::U32, progress, &keys));
        assert!(found.iter().all(|runs| *runs == found[0]), "{len} keys");
    }
    check(Element::U32, None, LENGTH, &[((1 << 22) + 777, 5), (100_000, 300)], [0, 0]);
    check(Element::U32, None, LENGTH, &[((1 << 24) + 777, 5), (100_000, 300)], [0, 0]);
    // Long runs behind short ones, over many tiles without a mark.
    for key in [Element::U32, Element::U64] {
        check(key, None, LENGTH, &[(9000, 3), (1, 1), (90_000, 90_000), (5000, 2), (70_000, 70_000)], [0, 0]);
    }
}

#[test]
fn unique_keys_are_those_of_runs_on_every_adapter() {
    let gpu = gpu();
    let mut random = Random::new(17);
    for key in [Element::U32, Element::U64] {
        for part in [(1, 1), (3 * TILE + 5, 2), (9 * TILE, 30_000), (777 + (1 << 21), 3)] {
            let (own, ranges) = runs(&[part], &mut random);
            let keys = Input::at(gpu, &elements(key, own.iter().map(|word| u64::from(*word) << 20)), 8);
            let unique = gpu.compile(Select::unique(key));
            let places = gpu.compile(unique.operation().clone().indices());
            let firsts: Vec<u32> = ranges.iter().map(|range| range.start as u32).collect();
            assert_eq!(places.of(&keys).run::<u32>(&gpu.queue).unwrap(), firsts, "{part:?} of {key}");
            let bits = |word| (u64::from(word) << 20) & (u64::MAX >> (64 - 8 * key.size()));
            let want: Vec<_> = ranges.iter().map(|range| Value::Unsigned(bits(own[range.start]))).collect();
            assert_eq!(unique.of(&keys).run::<Value>(&gpu.queue).unwrap(), want, "{part:?} of {key}");
        }
    }
}

/// The last value of a run, and its length: an operator that does not commute. Its accumulator is one word, or as WGSL says.
fn last(acc: &str) -> Option<Monoid> {
    let text = format!(
        "
        alias Acc = {acc};
        fn map(elem: Elem, index: u32) -> Acc {{ return Acc(elem + 1u); }}
        fn identity() -> Acc {{ return Acc(0u); }}
        fn combine(a: Acc, b: Acc) -> Acc {{ if all(b == Acc(0u)) {{ return a; }} return b; }}
        fn finish(acc: Acc, n: u32) -> u32 {{ let both = vec2(acc); return (both.y - 1u) * 1000u + n; }}"
    );
    Monoid::custom("last", Element::U32, Arity::One, &text).ok()
}

/// What it is.
const LAST: Model = |_, values| vec![values[values.len() - 1] * 1000 + values.len() as u32];

/// Crowded tiles and others take turns, runs go on over several tiles, and groups of tiles are more than one.
#[test]
fn sums_of_runs_of_all_lengths() {
    let parts = [3, 500, 1, 40_000, 2, 70_000, 40, 300_000, 5];
    let parts = parts.map(|longest: u64| (longest.min(100_000) as usize * 7 + 4099, longest));
    check(Element::U32, Op::Sum.over(Element::U32).ok(), SUM, &parts, [0, 0]);
    check(Element::U32, last("u32"), LAST, &parts, [0, 0]);
    check(Element::U64, last("vec2<u32>"), LAST, &parts, [0, 0]);
    // A group of 64 tiles has 65 536 pairs. Tiles of one half have many runs, and those of the other half few.
    let few = limited(|limits| limits.max_compute_invocations_per_workgroup = 64);
    let keys: Vec<u32> = (0..6_500_000).map(|i| if i >> 15 & 1 == 0 { i / 3 } else { i / 300 }).collect();
    let input = Input::at(&few, bytemuck::cast_slice::<_, u8>(&keys), 0);
    let pairs = Pairs { keys: &input, values: &input };
    let outputs = [0; 3].map(|_| room(&few, 800_000));
    let to = RunOutputs { keys: &outputs[0], results: &outputs[1], len: &outputs[2] };
    for progress in WAYS {
        let sums = ReduceRuns::new(Element::U32, Op::Sum.over(Element::U32).unwrap());
        let sums = few.compile(sums.with_progress(progress));
        // As many tiles that others compute would be too many: Mesa ends the loops of an invocation after 65 535 turns.
        let lens = if progress == Progress::Usual { 5 } else { 4 };
        for len in [0, 1, 65_536, 200_000, keys.len() as u64].into_iter().take(lens) {
            let runs = sums.of(pairs).len(len).run::<Run<u32, u32>>(&few.queue).unwrap();
            let want = keys[..len as usize].chunk_by(u32::eq).map(|run| (run[0], run.iter().sum::<u32>()));
            assert!(runs.into_iter().map(|run| (run.key, run.result)).eq(want), "{len} pairs, {progress:?}");
        }
        let bound = sums.of(pairs).len(200_000).bind(to).unwrap();
        few.submit(|encoder| bound.encode(encoder));
        // Tiles and prefixes that were computed for others.
        let counts = &words(&read(&few, &bound.memory()[0]))[..2];
        assert!(progress != Progress::Reversed || !counts.contains(&0), "{counts:?}");
    }
}

/// A sum, an operator with a wide accumulator and a result of two numbers, and one that does not commute and takes the lengths of runs, with an
/// accumulator of one word and of two.
#[test]
fn operators_and_keys_on_every_adapter() {
    let largest: Model = |first, values| {
        let best = (0..values.len()).rev().max_by_key(|at| values[*at]).unwrap();
        vec![values[best], (first + best) as u32]
    };
    let of_floats: Model = |_, values| vec![(values.iter().sum::<u32>() as f32).to_bits()];
    let rows = [
        (Element::U64, Op::Sum.over(Element::U32).ok(), SUM),
        (Element::I64, Op::Sum.over(Element::U32).ok(), SUM),
        (Element::I32, Op::Sum.over(Element::F32).ok(), of_floats),
        (Element::U32, Op::ArgMax.over(Element::U32).ok(), largest),
        (Element::U32, last("u32"), LAST),
        (Element::U32, last("vec2<u32>"), LAST),
    ];
    let parts = [((1, 1), [8, 4]), ((4100, 2), [0, 0]), ((9000, 64), [8, 4]), ((20_000, 6000), [0, 20])];
    for (key, monoid, model) in rows {
        for (part, at) in parts {
            check(key, monoid.clone(), model, &[part], at);
        }
    }
}

#[test]
fn zeros_are_one_key_and_nans_are_one_on_every_adapter() {
    let bits = [0, 0x8000_0000, 0, 0x7fc0_0000, 0xffc0_0001, POISON, 0x3f80_0000, 0x8000_0000, 1u32, 0];
    let of = |key| outputs(key, None, [bytemuck::cast_slice(&bits), &[]], [0, 0]);
    let of_floats = [vec![0, 0x7fc0_0000, 0x3f80_0000, 0x8000_0000, 1, 0], vec![3, 3, 1, 1, 1, 1]];
    assert_eq!(of(Element::F32), of_floats);
    assert_eq!(of(Element::U32)[1], [1; 10]);
}
