//! Runs of equal neighbouring keys against a walk over the pairs.

use std::ops::Range;

use halofold::group::ByKey;
use halofold::reduce::{Arity, Monoid, Op};
use halofold::{Element, Value};

use crate::common::{POISON, Random, gpu, oracle, poison};
use crate::inputs::{Input, words, written};

/// Pairs of a tile.
const TILE: usize = 4096;

/// Keys in runs of 1 to `longest`, and the range of each run.
pub fn runs(len: usize, longest: u64, random: &mut Random) -> (Vec<u32>, Vec<Range<usize>>) {
    let (mut keys, mut ranges, mut key) = (Vec::new(), Vec::new(), 7u32);
    while keys.len() < len {
        // Another key than the one before, often smaller.
        key = key.wrapping_add(1 + random.next() as u32 % 1000);
        let stop = (keys.len() + 1 + (random.next() % longest) as usize).min(len);
        ranges.push(keys.len()..stop);
        keys.resize(stop, key);
    }
    (keys, ranges)
}

/// The outputs of an operation, recorded twice over poison: keys, results, and what is behind each.
pub fn outputs(by_key: ByKey, keys: &[u32], values: Option<&[u8]>, at: [u64; 2]) -> (Vec<u32>, Vec<u32>) {
    let gpu = gpu();
    let by_key = by_key.on(&gpu.device).unwrap();
    let first = Input::at(gpu, keys, at[0]);
    let second = values.map(|values| Input::at(gpu, values, at[1]));
    let request = by_key.of(&first);
    let request = second.as_ref().map_or(request, |second| request.with(second));
    let size = (4 * keys.len()).max(4) as u64;
    let found = written(gpu, [size, size, 4], |outputs| request.into_each(outputs));
    let number = words(&found[2])[0] as usize;
    let until = |bytes: &[u8]| {
        assert_eq!(bytes[4 * number..], poison(bytes.len())[4 * number..], "behind {number} runs");
        words(&bytes[..4 * number])
    };
    (until(&found[0]), until(&found[1]))
}

#[test]
fn lengths_of_runs() {
    let mut random = Random::new(1);
    for len in [0, 1, 2, 15, 17, TILE - 1, TILE, TILE + 1, 3 * TILE + 5] {
        for longest in [1, 2, 9, 300, 20_000] {
            let (keys, ranges) = runs(len, longest, &mut random);
            let (own, lengths) = outputs(ByKey::lengths(Element::U32).unwrap(), &keys, None, [12, 0]);
            let want: Vec<u32> = ranges.iter().map(|range| range.len() as u32).collect();
            assert_eq!(lengths, want, "{len} keys in runs of up to {longest}");
            assert!(own.iter().zip(&ranges).all(|(key, range)| *key == keys[range.start]));
        }
    }
}

/// Crowded tiles and others take turns, runs go on over several tiles, and groups of tiles are more than one.
#[test]
fn sums_of_runs_of_all_lengths() {
    let mut random = Random::new(2);
    let all = [3, 500, 1, 40_000, 2, 70_000, 40, 300_000, 5];
    let part = |longest: u64| runs(longest.min(100_000) as usize * 7 + 4099, longest, &mut random).0;
    let keys: Vec<u32> = all.into_iter().flat_map(part).collect();
    let pairs: Vec<_> = keys.iter().map(|key| (*key, random.next() as u32)).collect();
    let values: Vec<u32> = pairs.iter().map(|(_, value)| *value).collect();
    let by_key = ByKey::new(Element::U32, Op::Sum.over(Element::U32).unwrap()).unwrap();
    let (_, sums) = outputs(by_key, &keys, Some(bytemuck::cast_slice(&values)), [0, 0]);
    let runs = pairs.chunk_by(|a, b| a.0 == b.0);
    let want = runs.map(|run| run.iter().fold(0u32, |sum, (_, value)| sum.wrapping_add(*value)));
    assert!(sums.into_iter().eq(want));
}

/// Floats whose sums are exact; means take the lengths of runs, and the two inputs begin at different places in a vector.
#[test]
fn sums_and_means_of_floats() {
    let mut random = Random::new(3);
    for (len, longest) in [(1, 1), (5000, 2), (9000, 64), (20_000, 6000)] {
        let (keys, ranges) = runs(len, longest, &mut random);
        let values: Vec<f32> = keys.iter().map(|_| (random.next() % 512) as f32 - 256.0).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&values);
        for op in [Op::Sum, Op::Mean] {
            let by_key = ByKey::new(Element::I32, op.over(Element::F32).unwrap()).unwrap();
            for at in [[0, 0], [4, 8], [0, 20]] {
                let (_, results) = outputs(by_key.clone(), &keys, Some(bytes), at);
                assert_eq!(results.len(), ranges.len());
                for (got, range) in results.iter().zip(&ranges) {
                    let part = &bytes[4 * range.start..4 * range.end];
                    let want = f32::from_bits(oracle::expected(op, Element::F32, part, None) as u32);
                    let got = f32::from_bits(*got);
                    assert!((got - want).abs() <= 1e-6 * got.abs(), "{op} of {range:?} of {len}: {got}");
                }
            }
        }
    }
}

#[test]
fn zeros_are_one_key_and_nans_are_one_on_every_adapter() {
    let bits = [0, 0x8000_0000, 0, 0x7fc0_0000, 0xffc0_0001, POISON, 0x3f80_0000, 0x8000_0000, 1, 0];
    let (keys, lengths) = outputs(ByKey::lengths(Element::F32).unwrap(), &bits, None, [0, 0]);
    assert_eq!(lengths, [3, 3, 1, 1, 1, 1]);
    assert_eq!(keys, [0, 0x7fc0_0000, 0x3f80_0000, 0x8000_0000, 1, 0]);
    let (_, lengths) = outputs(ByKey::lengths(Element::U32).unwrap(), &bits, None, [0, 0]);
    assert_eq!(lengths, [1; 10]);
}

/// Keys of one word and of two, of which neighbours differ in one, from the middle of a vector on. The operators are a sum, one with a result of two
/// numbers, and one that does not commute; results are on the host.
#[test]
fn operators_and_wide_keys_on_every_adapter() {
    let gpu = gpu();
    let mut random = Random::new(4);
    let last = "
        alias Acc = vec2<u32>;
        fn map(elem: Elem, index: u32) -> Acc { return Acc(1u, elem); }
        fn identity() -> Acc { return Acc(0u, 0u); }
        fn combine(a: Acc, b: Acc) -> Acc { if b.x == 0u { return a; } return b; }
        fn finish(acc: Acc, n: u32) -> u32 { return acc.y * 1000u + n; }";
    let known = |op: Op| op.over(Element::U32).unwrap();
    /// The results of the values of a run, whose first has a place.
    type Model = fn(usize, &[u32]) -> Vec<u32>;
    let sum: Model = |_, values| vec![values.iter().sum()];
    let largest: Model = |first, values| {
        let best = (0..values.len()).rev().max_by_key(|at| values[*at]).unwrap();
        vec![values[best], (first + best) as u32]
    };
    let custom = Monoid::custom("last", Element::U32, Arity::One, last).unwrap();
    let ends: Model = |_, values| vec![values[values.len() - 1] * 1000 + values.len() as u32];
    let rows = [
        (Element::U64, known(Op::Sum), sum),
        (Element::I64, known(Op::Sum), sum),
        (Element::U32, known(Op::ArgMax), largest),
        (Element::U32, custom, ends),
    ];
    for (key, monoid, model) in rows {
        let by_key = ByKey::new(key, monoid).unwrap().on(&gpu.device).unwrap();
        for (len, longest) in [(1, 1), (4100, 2), (13_000, 70)] {
            let (own, ranges) = runs(len, longest, &mut random);
            let wide =
                |word: &u32| if word.is_multiple_of(3) { (*word).into() } else { u64::from(*word) << 32 | 7 };
            let keys: Vec<u64> = own.iter().map(wide).collect();
            let values: Vec<u32> = own.iter().map(|_| random.next() as u32 % 1000).collect();
            let input = if key.size() == 8 { Input::at(gpu, &keys, 8) } else { Input::at(gpu, &own, 4) };
            let got = by_key.of(&input).with(&Input::new(gpu, &values)).wait(&gpu.queue).unwrap();
            let want = ranges.into_iter().map(|range| {
                let of = match key {
                    Element::U64 => Value::Unsigned(keys[range.start]),
                    Element::I64 => Value::Signed(keys[range.start] as i64),
                    _ => Value::Unsigned(own[range.start].into()),
                };
                let results = model(range.start, &values[range]).into_iter();
                (of, results.map(|word| Value::Unsigned(word.into())).collect::<Vec<_>>())
            });
            assert_eq!(got, want.collect::<Vec<_>>(), "{len} keys of {key}");
        }
    }
}
