//! Results by key, for keys in any order, against a reference, on the adapter at hand.

use std::collections::HashMap;

use halofold::group::{GroupBy, reference};
use halofold::{Element, OnDevice, OperationError, Value};

use crate::common::{Gpu, Outputs, Random, gpu, is_poison, limited, twice_in_a_pass};
use crate::inputs::{Input, value_like, words};

/// Keys of a tile that is put in order at a time.
const TILE: u32 = 1024;

/// The bits of a key, from its place, a random word, and the number of different keys. Each is a distribution.
const SPREADS: [fn(usize, u64, u64) -> u64; 7] = [
    // Bits all over.
    |_, random, keys| (random % keys).wrapping_mul(0x9e37_79b9),
    |_, _, _| 0xffff_ffff,
    // Sorted, with runs of 600.
    |at, _, keys| at as u64 / 600 % keys,
    // One hot key among others.
    |_, random, keys| if random % 4 < 3 { 7 } else { (random >> 8) % keys },
    // By Zipf's law.
    |_, random, keys| (keys as f64).powf((random >> 11) as f64 / (1u64 << 53) as f64) as u64 - 1,
    // Multiples of a power of two.
    |_, random, keys| (random % keys) << 20,
    // The greatest keys of every type and their neighbours.
    |_, random, keys| {
        [0, u32::MAX, 0x7fff_ffff, 0x8000_0000][random as usize & 3]
            .wrapping_sub((random % keys / 4) as u32)
            .into()
    },
];

fn keys(len: usize, different: u64, spread: usize) -> Vec<u32> {
    let mut random = Random::new((len + 7 * spread) as u64 + different);
    (0..len).map(|at| SPREADS[spread](at, random.next() >> 9, different) as u32).collect()
}

/// Values whose results differ from group to group.
fn values(len: usize) -> Vec<u32> {
    let mut random = Random::new(len as u64);
    (0..len).map(|_| ((random.next() as i32 as f32) * 1e-3).to_bits()).collect()
}

/// An operation that is checked with many inputs.
struct Checked<'g> {
    gpu: &'g Gpu,
    asked: GroupBy,
    most: u32,
    on_device: OnDevice<GroupBy>,
    /// Results that are asked for.
    results: usize,
}

impl<'g> Checked<'g> {
    /// Sums and counts, or all results.
    fn new(gpu: &'g Gpu, [key, of]: [Element; 2], most: u32, has_all: bool) -> Self {
        let asked = GroupBy::new(key, of, most).unwrap().sum().count();
        let asked = if has_all { asked.min().max().mean().variance().sample_variance() } else { asked };
        let on_device = asked.clone().on(&gpu.device).unwrap();
        Checked { gpu, asked, most, on_device, results: if has_all { 7 } else { 2 } }
    }

    /// All outputs of each of two runs. Keys and values begin at these words.
    fn runs(&self, keys: &[u32], values: &[u32], from: [u64; 2]) -> [Vec<Vec<u8>>; 2] {
        let (keys, values) =
            (Input::at(self.gpu, keys, 4 * from[0]), Input::at(self.gpu, values, 4 * from[1]));
        let array = 4 * u64::from(self.most);
        let outputs = Outputs::new(self.gpu, [vec![array, 4], vec![array; self.results], vec![4]].concat());
        let prepared = self.on_device.of(&keys).with(&values).into_each(outputs.slices()).unwrap();
        outputs.runs(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap()
    }

    fn expected(&self, keys: &[u32], values: &[u32]) -> Vec<(Value, Vec<Value>)> {
        reference::group_by(&self.asked, bytemuck::cast_slice(keys), bytemuck::cast_slice(values))
    }

    /// Compares all results with those of the reference.
    fn check(&self, keys: &[u32], values: &[u32], from: [u64; 2]) {
        let title = format!("{} pairs, {from:?}, {:?}", keys.len(), self.asked);
        let expected = self.expected(keys, values);
        let [outputs, again] = self.runs(keys, values, from);
        assert_eq!(outputs, again, "{title}");
        assert_eq!(outputs[1], (expected.len() as u32).to_le_bytes(), "{title}");
        assert_eq!(outputs[2 + self.results], [0; 4], "{title}");
        check_groups(expected.iter().enumerate(), &outputs, &title);
        let behind = expected.len() * 4;
        assert!(outputs[0].iter().enumerate().skip(behind).all(|(at, byte)| is_poison(at, *byte)), "{title}");
    }

    /// Sums and counts of more keys than groups: keys are in order, results are right, or those of an empty group. All other pairs are left out. Returns the
    /// number of these, and of groups that are empty.
    fn check_too_many(&self, keys: &[u32], values: &[u32]) -> (u32, usize) {
        let title = format!("{} pairs, {:?}", keys.len(), self.asked);
        // Which groups there are differs from run to run.
        let [_, outputs] = self.runs(keys, values, [0, 0]);
        assert_eq!(words(&outputs[1]), [self.most], "{title}");
        let [listed, counts] = [&outputs[0], &outputs[3]].map(|bytes| words(bytes));
        assert!(listed.is_sorted_by(|a, b| a < b), "{title}");
        let expected = self.expected(keys, values);
        let of: HashMap<_, _> = expected.iter().map(|group| (group.0.as_f64() as u32, group)).collect();
        let groups = listed.iter().map(|key| of[key]).enumerate();
        check_groups(groups.filter(|(id, _)| counts[*id] > 0), &outputs, &title);
        let left_out = words(&outputs[4])[0];
        assert_eq!(counts.iter().sum::<u32>() + left_out, keys.len() as u32, "{title}");
        (left_out, counts.iter().filter(|count| **count == 0).count())
    }
}

/// Compares the key and the results of groups.
fn check_groups<'e>(
    expected: impl Iterator<Item = (usize, &'e (Value, Vec<Value>))>,
    outputs: &[Vec<u8>],
    title: &str,
) {
    let outputs: Vec<_> = outputs.iter().map(|bytes| words(bytes)).collect();
    for (id, (key, results)) in expected {
        for (words, expected) in
            outputs[..1].iter().chain(&outputs[2..]).zip([key].into_iter().chain(results))
        {
            let got = value_like(*expected, words[id]);
            assert!(got.same(*expected), "{title}: group {id} has {got:?}, not {expected:?}");
        }
    }
}

#[test]
fn lengths_and_offsets() {
    let checked = Checked::new(gpu(), [Element::U32, Element::F32], 100, true);
    for (nth, len) in [0, 1, 3, 4, 5, 1023, 1025, 4099, 40_000].into_iter().enumerate() {
        let from = [[0, 0], [4, 8], [1, 1], [3, 2], [2, 66]][nth % 5];
        checked.check(&keys(len, 100, nth % 6), &values(len), from);
    }
}

#[test]
fn keys_and_values_of_every_type() {
    let specials = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -1.5];
    let mut bits: Vec<_> =
        specials.iter().map(|x: &f32| x.to_bits()).chain([0x7f80_0001, u32::MAX]).collect();
    for spread in 0..SPREADS.len() {
        bits.extend(keys(6000, 300, spread));
    }
    let values = values(bits.len());
    let [u32, i32, f32] = [Element::U32, Element::I32, Element::F32];
    for types in [[u32, i32], [i32, f32], [f32, u32]] {
        Checked::new(gpu(), types, 3000, false).check(&bits, &values, [0, 4]);
    }
}

/// As many keys as groups, and one more; the list is in one tile, or two are merged.
#[test]
fn as_many_keys_as_groups_and_one_more() {
    let gpu = gpu();
    for most in [1, 128, TILE + 1] {
        let checked = Checked::new(gpu, [Element::U32, Element::F32], most, false);
        // The greatest key is among them.
        let mut all: Vec<u32> = (0..most).map(|nth| !nth.wrapping_mul(0x9e37_79b1)).collect();
        all.extend_from_within(..all.len() / 2);
        let values = values(all.len() + 3);
        checked.check(&all, &values[..all.len()], [0, 0]);
        all.extend([3, 3, 3]);
        let (left_out, empty) = checked.check_too_many(&all, &values[..all.len()]);
        assert!((1..=3).contains(&left_out) && empty == 0, "{left_out} of {most}, {empty} without pairs");
    }
}

/// Far more keys than groups: ids come from a table in workgroup memory, or from the one in storage.
#[test]
fn far_more_keys_than_groups() {
    let gpu = gpu();
    // Each key has one pair, or two.
    let mut all: Vec<u32> = (0..100_000u32).map(|nth| !nth.wrapping_mul(0x9e37_79b1)).collect();
    all.extend_from_within(..30_000);
    let values = values(all.len());
    let [keys, of] = [&all, &values].map(|words| Input::new(gpu, words));
    for most in [200, 20_000] {
        let checked = Checked::new(gpu, [Element::U32, Element::F32], most, false);
        let (left_out, empty) = checked.check_too_many(&all, &values);
        assert!(left_out >= 100_000 - most && empty < most as usize, "{left_out}, {empty} without pairs");
        let error = checked.on_device.of(&keys).with(&of).wait(&gpu.queue).unwrap_err();
        assert!(matches!(error, OperationError::Keys { groups, .. } if groups == most), "{error}");
    }
}

/// The table in workgroup memory is full, groups are more than tables hold, and bindings hold a part of the pairs.
#[test]
fn many_keys_on_small_devices() {
    let few = limited(|limits| {
        limits.max_compute_workgroup_storage_size = 2048;
        limits.max_storage_buffer_binding_size = 330_000;
    });
    let checked = Checked::new(&few, [Element::I32, Element::F32], 3000, false);
    for spread in [0, 4] {
        checked.check(&keys(43_000, 3000, spread), &values(43_000), [1, 0]);
    }
    let least = limited(|limits| limits.max_compute_workgroup_storage_size = 1024);
    let checked = Checked::new(&least, [Element::F32, Element::U32], 50_000, false);
    checked.check(&keys(20_000, 50_000, 0), &values(20_000), [0, 2]);
}

#[test]
fn results_on_the_host_and_errors() {
    let gpu = gpu();
    let keys = Input::new(gpu, &[2.5f32, -1.0, 2.5, f32::NAN]);
    let values = Input::new(gpu, &[1u32, 2, 3, 4]);
    let by = |most| GroupBy::new(Element::F32, Element::U32, most).unwrap().max().on(&gpu.device).unwrap();
    let groups = by(3).of(&keys).with(&values).wait(&gpu.queue).unwrap();
    let maxima: Vec<_> = groups.iter().map(|(key, results)| (key.as_f64(), results.0[0].as_f64())).collect();
    assert_eq!(maxima[..2], [(-1.0, 2.0), (2.5, 3.0)]);
    assert!(groups.len() == 3 && maxima[2].0.is_nan());
    let few = by(2);
    let request = few.of(&keys).with(&values);
    let error = request.wait(&gpu.queue).unwrap_err();
    assert!(matches!(error, OperationError::Keys { groups: 2, pairs: 1 | 2 }), "{error}");
    assert_eq!(request.len(3).wait(&gpu.queue).unwrap().len(), 2);
}
