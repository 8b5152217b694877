//! Results by id, and by key for keys in any order, against a reference, on the adapter at hand.

use std::collections::HashMap;

use halofold::group::{self, Group, GroupById, GroupByKey, reference};
use halofold::histogram::{Histogram, Keys, Method};
use halofold::reduce::BufferRange;
use halofold::{Compiled, Cut, DataError, Element, Error, Options, Planned, Slice, Value, probe, wgpu};

use crate::common::{
    Gpu, Outputs, Random, bits_of, compile, gpu, in_turn, is_poison, limited, twice_in_a_pass,
};
use crate::inputs::{Input, value_like, words, written};

/// A result to add to an operation, and its output.
#[derive(Clone, Copy)]
struct Ask {
    ask: fn(GroupById) -> GroupById,
    to: for<'b> fn(group::Outputs<'b>, Slice<'b>) -> group::Outputs<'b>,
}

macro_rules! asks {
    ($($name:ident: $method:ident),*) => {
        $(const $name: Ask = Ask { ask: GroupById::$method, to: |outputs, slice| outputs.$method(slice) };)*
    };
}

asks!(COUNT: count, SUM: sum, MEAN: mean, MIN: min, MAX: max, VARIANCE: variance, SAMPLE_VARIANCE: sample_variance);

const ALL: [Ask; 7] = [MAX, COUNT, SUM, SAMPLE_VARIANCE, MEAN, MIN, VARIANCE];

/// Outputs for some results, and for the number of rejected pairs behind them.
fn to<'b>(asks: &[Ask], slices: &[Slice<'b>]) -> group::Outputs<'b> {
    let outputs = group::Outputs::new().rejected(slices[asks.len()]);
    asks.iter().zip(slices).fold(outputs, |outputs, (ask, slice)| (ask.to)(outputs, *slice))
}

/// The id of a pair, from its place, random words and the number of groups. Each is a distribution.
const SPREADS: [fn(usize, &mut Random, u64) -> u64; 8] = [
    |_, random, groups| random.next() % groups,
    |_, _, groups| groups - 1,
    // Sorted, with runs of 600.
    |at, _, groups| (at as u64 / 600).min(groups - 1),
    // One hot group among others; few of many.
    |_, random, groups| if random.unit() < 0.75 { groups / 2 } else { random.next() % groups },
    |_, random, groups| (groups as f64).powf(random.unit()) as u64 - 1,
    // For keys: bits all over, multiples of a power of two, and the greatest of every type with their neighbours.
    |_, random, keys| (random.next() % keys).wrapping_mul(0x9e37_79b9),
    |_, random, keys| (random.next() % keys) << 20,
    |_, random, keys| {
        let ends = [0, u32::MAX, 0x7fff_ffff, 0x8000_0000];
        ends[random.next() as usize >> 9 & 3].wrapping_sub((random.next() % keys / 4) as u32).into()
    },
];

/// Distributions of ids.
const OF_IDS: usize = 5;

/// The bits of a value, from its place and a random word. The first is normal; others are every pattern, numbers far apart, few special ones.
const VALUES: [fn(usize, u64) -> u32; 4] = [
    |_, random| ((random as i32 as f32) * 1e-9).to_bits(),
    |_, random| random as u32,
    // Windows change from one part of the input to the next.
    |at, random| (1.0 + (random % 64) as f32).powi(if at / 9000 % 2 == 0 { 3 } else { -12 }).to_bits(),
    |_, random| {
        let all = [0.0, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE, 1.0, -1.0, f32::MAX, f32::MIN, 3.5e20];
        all[random as usize % all.len()].to_bits()
    },
];

/// Values and their ids, or their keys.
#[derive(Clone, Default)]
struct Pairs {
    values: Vec<u32>,
    ids: Vec<u32>,
}

impl Pairs {
    fn new(len: usize, groups: u64, spread: usize, values: usize) -> Self {
        let mut random = Random::new((len + 7 * spread + 31 * values) as u64 + groups);
        let values = (0..len).map(|at| VALUES[values](at, random.next() >> 7)).collect();
        let ids = (0..len).map(|at| SPREADS[spread](at, &mut random, groups) as u32).collect();
        Pairs { values, ids }
    }

    /// Pairs of all distributions, one after the other. The ids of each begin at multiples of `apart`.
    fn all(spreads: usize, len: usize, groups: u64, apart: u32) -> Self {
        let mut all = Pairs::default();
        for spread in 0..spreads {
            all.extend(Pairs::new(len, groups, spread, spread % 4), apart * spread as u32);
        }
        all
    }

    /// Adds pairs, whose ids count from one on.
    fn extend(&mut self, others: Pairs, first: u32) {
        self.values.extend(others.values);
        self.ids.extend(others.ids.iter().map(|id| first.wrapping_add(*id)));
    }

    /// The values and the ids on a device, from some words on.
    fn inputs(&self, gpu: &Gpu, from: [u64; 2]) -> [Input; 2] {
        [Input::at(gpu, &self.values, 4 * from[0]), Input::at(gpu, &self.ids, 4 * from[1])]
    }
}

/// Compares the values of groups with words of arrays.
fn compare(arrays: &[&Vec<u8>], expected: impl Iterator<Item = (usize, Vec<Value>)>, title: &str) {
    let arrays: Vec<_> = arrays.iter().map(|bytes| words(bytes)).collect();
    for (id, expected) in expected {
        assert_eq!(arrays.len(), expected.len(), "{title}");
        for (nth, (array, expected)) in arrays.iter().zip(expected).enumerate() {
            let got = value_like(expected, array[id]);
            assert!(got.same(expected), "{title}: result {nth} of {id} is {got:?}, not {expected:?}");
        }
    }
}

/// Runs an operation by id twice over poison, and compares all results with those of the reference. Values and ids begin at these words.
fn check(gpu: &Gpu, element: Element, groups: u32, pairs: &Pairs, from: [u64; 2], all: &[Ask]) {
    let asked = all.iter().fold(GroupById::new(element, groups), |by_id, ask| (ask.ask)(by_id));
    // On a software adapter pairs are added to storage by default.
    for by_id in [gpu.compile(asked.clone()), compile(&gpu.device, asked).unwrap()] {
        check_on(gpu, &by_id, (groups, all), pairs, from);
    }
}

/// The same of an operation on a device, with some groups and results.
fn check_on(
    gpu: &Gpu,
    by_id: &Compiled<GroupById>,
    (groups, all): (u32, &[Ask]),
    pairs: &Pairs,
    from: [u64; 2],
) {
    let arrays = all.len();
    let title = format!("{} pairs, {:?}, {from:?}", pairs.ids.len(), by_id.operation());
    let [first, second] = pairs.inputs(gpu, from);
    let sizes = vec![4 * u64::from(groups); arrays].into_iter().chain([4]);
    let pairs_of = group::Pairs { keys: &second, values: &first };
    let results = written(gpu, sizes, |outputs| by_id.of(pairs_of).bind(to(all, &outputs)));
    let (expected, rejected) =
        reference::by_id(by_id.operation(), bytemuck::cast_slice(&pairs.values), &pairs.ids);
    assert_eq!(words(&results[arrays]), [rejected], "{title}");
    compare(&results[..arrays].iter().collect::<Vec<_>>(), expected.into_iter().enumerate(), &title);
}

/// Groups with few pairs and with many are in one input.
#[test]
fn any_number_of_groups_on_every_adapter() {
    for groups in [1, 2, 128, 129, 4096] {
        let all = Pairs::all(OF_IDS, 9000, groups, 0);
        check(gpu(), Element::F32, groups as u32, &all, [0, 0], &[SUM, COUNT]);
    }
}

/// Pairs are ordered by parts, several times as a binding holds so few; then all additions are to storage; and bindings hold few pairs.
#[test]
fn more_groups_than_tables_hold_and_small_devices() {
    let few = &limited(|limits| {
        limits.max_compute_invocations_per_workgroup = 64;
        limits.max_compute_workgroup_storage_size = 4096;
        limits.max_storage_buffer_binding_size = 330_000;
    });
    let least = &limited(|limits| limits.max_compute_workgroup_storage_size = 1024);
    let narrow = &limited(|limits| limits.max_storage_buffer_binding_size = 4096);
    let (f32, i32) = (Element::F32, Element::I32);
    let ordered = in_turn(0..OF_IDS, 2, 0)
        .map(|spread| (few, f32, 43_000, 3000, [spread, 0], [1, 0], &[MEAN, MAX, COUNT][..]));
    let rows: [(_, _, _, _, _, _, &[Ask]); 3] = [
        (least, f32, 5000, 50_000, [4, 3], [0, 0], &[SUM]),
        (least, i32, 5000, 50_000, [3, 1], [0, 0], &[SUM, MIN]),
        (gpu(), f32, 20_000, 65_536, [0, 1], [0, 0], &[SUM, MAX]),
    ];
    let narrow = [[0, 0], [5, 62], [64, 3]].map(|from| (narrow, f32, 5000, 20, [0, 0], from, &ALL[..]));
    for (gpu, element, len, groups, [spread, values], from, all) in ordered.chain(rows).chain(narrow) {
        check(gpu, element, groups, &Pairs::new(len, groups.into(), spread, values), from, all);
    }
}

/// Each kind of values has groups of its own.
#[test]
fn every_type_and_kind_of_values() {
    let all = Pairs::all(VALUES.len(), 20_000, 37, 37);
    for element in [Element::F32, Element::I32, Element::U32] {
        check(gpu(), element, 148, &all, [0, 4], &ALL);
        check(gpu(), element, 37, &Pairs::new(3000, 37, 0, 1), [0, 0], &[COUNT]);
    }
    // A word of a table has room for 2^15 additions, of which all are the same here: of positive numbers, of negative ones, and of -0.
    let values = [0x3fff_ffffu32, 0xbfff_ffff, 0x8000_0000].map(|bits| vec![bits; 150_001]).concat();
    let ids = (0..values.len() as u32).map(|at| at / 150_001).collect();
    let pairs = Pairs { values, ids };
    for groups in [3, 3000] {
        check(gpu(), Element::F32, groups, &pairs, [0, 0], &[SUM, MEAN]);
    }
    // A group for each set of special values.
    let specials = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 1.0];
    let members = (0..1u32 << specials.len()).flat_map(|id| (0..specials.len()).map(move |nth| (id, nth)));
    let members = members.filter(|(id, nth)| id >> nth & 1 == 1);
    let (ids, values) = members.map(|(id, nth)| (id, specials[nth].to_bits())).unzip();
    check(gpu(), Element::F32, 128, &Pairs { values, ids }, [0, 0], &ALL);
}

/// The population and the sample variance of each list of values.
fn variances(element: Element, lists: &[Vec<u32>]) -> Vec<[f32; 2]> {
    let gpu = gpu();
    let ids = lists.iter().zip(0..).flat_map(|(list, id)| vec![id; list.len()]).collect();
    let [values, ids] = Pairs { values: lists.concat(), ids }.inputs(gpu, [0, 0]);
    let by_id = gpu.compile(GroupById::new(element, lists.len() as u32).variance().sample_variance());
    let results: Vec<Group<u32, Value>> =
        by_id.of(group::Pairs { keys: &ids, values: &values }).run(&gpu.queue).unwrap();
    results.iter().map(|group| [group.variance, group.sample_variance].map(Option::unwrap)).collect()
}

#[test]
fn variances_by_hand() {
    const NAN: f32 = f32::NAN;
    let power = |exponent: i32| 2f32.powi(exponent);
    let least = f32::from_bits(1);
    let cases = [
        (vec![], [NAN, NAN]),
        (vec![3.5], [0.0, NAN]),
        (vec![0.1; 1000], [0.0, 0.0]),
        (vec![-0.0, 0.0], [0.0, 0.0]),
        (vec![16_777_215.0, 16_777_216.0], [0.25, 0.5]),
        (vec![1.0, 1.0 + f32::EPSILON], [power(-48), power(-47)]),
        (vec![1e8, 1e8 + 8.0, 1e8 + 16.0], [128.0 / 3.0, 64.0]),
        (vec![least, -least], [0.0, 0.0]),
        // A quarter of 2^-148 is half way between 0 and the smallest float; a third of 2^-146 is not.
        (vec![0.0, power(-74)], [0.0, least]),
        (vec![power(-74), 0.0, -power(-74)], [least, 2.0 * least]),
        (vec![f32::MAX, f32::MIN], [f32::INFINITY; 2]),
        (vec![1.0, f32::INFINITY], [NAN, NAN]),
        (vec![NAN, 1.0, 2.0], [NAN, NAN]),
        (vec![power(60), power(-60), -power(60)], [power(121) / 3.0, power(120)]),
    ];
    let lists = cases.each_ref().map(|(list, _)| list.iter().map(|x| x.to_bits()).collect());
    for ((list, expected), got) in cases.iter().zip(variances(Element::F32, &lists)) {
        let is_same = |nth: usize| Value::F32(got[nth]).same(Value::F32(expected[nth]));
        assert!(is_same(0) && is_same(1), "{list:?}: {got:?}, not {expected:?}");
    }
}

#[test]
fn variances_of_integers_as_rational_numbers() {
    let mut random = Random::new(29);
    let mut numbers = |(len, most): (usize, u64)| -> Vec<i128> {
        (0..len).map(|_| i128::from((1u64 << 20) + random.next() % most)).collect()
    };
    let lists = [(2, 2), (3, 9), (700, 3), (1000, 1 << 20), (5, 1 << 20)].map(&mut numbers);
    // A quotient with 40 places more and a bit for all others: the conversion rounds once.
    let quotient = |above: i128, below: i128| {
        let scaled = above << 40;
        ((scaled / below) << 1 | i128::from(scaled % below != 0)) as f32 * (-41f32).exp2()
    };
    for element in [Element::F32, Element::U32, Element::I32] {
        let word = |x: &i128| bits_of(element, *x as f64) as u32;
        let words = lists.each_ref().map(|list| list.iter().map(word).collect());
        for (list, got) in lists.iter().zip(variances(element, &words)) {
            let (n, sum) = (list.len() as i128, list.iter().sum::<i128>());
            let around = n * list.iter().map(|x| x * x).sum::<i128>() - sum * sum;
            assert_eq!(got, [n, n - 1].map(|divisor| quotient(around, n * divisor)), "{n} of {element}");
        }
    }
    // The ends of both types.
    let half = (u64::from(u32::MAX) as f64 / 2.0).powi(2) as f32;
    for (element, ends) in [(Element::U32, [0, u32::MAX]), (Element::I32, [1 << 31, !(1 << 31)])] {
        assert_eq!(variances(element, &[ends.to_vec()])[0][0], half);
    }
}

/// No device at hand miscounts, so one is said to.
#[test]
fn devices_that_miscount_in_workgroups_count_in_storage() {
    let Gpu { device, queue } = gpu();
    assert!(probe::run(device, queue).unwrap());
    let answer = probe::run_async(device, queue);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    assert!(pollster::block_on(answer).unwrap());
    let asked = ALL.iter().fold(GroupById::new(Element::F32, 30), |by_id, ask| (ask.ask)(by_id));
    let options = Options::default().counting_in_workgroups(false);
    let by_id = Compiled::new(device, asked, &options).unwrap();
    let range = BufferRange { offset: 0, len: 5000 };
    let plan = by_id.operation().plan(Cut::All, range, Some(range), &device.limits()).unwrap();
    let steps: Vec<_> = plan.passes.iter().map(|pass| pass.step).collect();
    assert_eq!(steps, ["group/apart", "group/variance", "group/finish"]);
    let mut pairs = Pairs::new(5000, 30, 3, 3);
    pairs.ids[4321] = 30;
    check_on(gpu(), &by_id, (30, &ALL), &pairs, [1, 0]);
    let histogram = Compiled::new(device, Histogram::new(Keys::Numbers, 30), &options).unwrap();
    assert_eq!(histogram.operation().tuning_on(&device.limits()).method, Method::Storage);
}

#[test]
fn ids_without_a_group_are_counted_in_an_error() {
    let gpu = gpu();
    let ids: Vec<u32> = (0..5000).map(|at| if at % 7 == 0 { u32::MAX - at } else { at % 10 }).collect();
    let pairs = Pairs { values: vec![1.5f32.to_bits(); 5000], ids };
    check(gpu, Element::F32, 10, &pairs, [0, 0], &[SUM]);
    let [values, ids] = pairs.inputs(gpu, [0, 0]);
    let by_id = gpu.compile(GroupById::new(Element::F32, 10).sum());
    let pairs = group::Pairs { keys: &ids, values: &values };
    let error = by_id.of(pairs).run::<Group<u32, f32>>(&gpu.queue).unwrap_err();
    assert_eq!(error.to_string(), "715 ids are 10 or more: declare more groups");
    let pairs = group::Pairs { keys: ids.part(4, 20_000 - 4), values: &values };
    let first: Vec<Group<u32, f32>> = by_id.of(pairs).len(6).run(&gpu.queue).unwrap();
    assert_eq!((first[3].key, first[3].sum), (3, Some(1.5)));
}

/// An operation by key on a device, the most groups, and the number of its results.
type Keyed = (Compiled<GroupByKey>, u32, usize);

/// Counts and sums by key, or all results.
fn keyed(gpu: &Gpu, [key, of]: [Element; 2], most: u32, has_all: bool) -> Keyed {
    let asked = GroupByKey::new(key, of, most).count().sum();
    let asked = if has_all { asked.min().max().mean().variance().sample_variance() } else { asked };
    (gpu.compile(asked), most, if has_all { 7 } else { 2 })
}

/// The same by key. Pairs of more keys than groups are left out. Returns the number of these, and of groups that are empty.
fn check_keys(gpu: &Gpu, (group_by, most, results): &Keyed, pairs: &Pairs, from: [u64; 2]) -> (u32, usize) {
    let title = format!("{} pairs, {from:?}, {:?}", pairs.ids.len(), group_by.operation());
    let [values, keys] = pairs.inputs(gpu, from);
    let array = 4 * u64::from(*most);
    let outputs = Outputs::new(gpu, [vec![array, 4], vec![array; *results], vec![4]].concat());
    let slices: Vec<_> = outputs.slices().collect();
    let asks = &[COUNT, SUM, MIN, MAX, MEAN, VARIANCE, SAMPLE_VARIANCE][..*results];
    let to = to(asks, &slices[2..]).keys(slices[0]).len(slices[1]);
    let prepared = group_by.of(group::Pairs { keys: &keys, values: &values }).bind(to).unwrap();
    let [once, again] = outputs.runs(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap();

    let [keys, values] = [&pairs.ids, &pairs.values].map(|words| bytemuck::cast_slice(words));
    let all = reference::group_by(group_by.operation(), keys, values);
    let found = all.len().min(*most as usize);
    assert_eq!(words(&again[1]), [found as u32], "{title}");
    assert!(again[0].iter().enumerate().skip(4 * found).all(|(at, byte)| is_poison(at, *byte)), "{title}");
    let (listed, counts) = (&words(&again[0])[..found], &words(&again[2])[..found]);
    let left_out = words(&again[2 + results])[0];
    let arrays: Vec<_> = again[..1].iter().chain(&again[2..2 + results]).collect();
    if all.len() <= *most as usize {
        assert_eq!((once == again, left_out), (true, 0), "{title}");
        let expected = all.into_iter().map(|(key, results)| [vec![key], results].concat());
        compare(&arrays, expected.enumerate(), &title);
    } else {
        // Which groups there are differs from run to run. A group may have lost its pairs.
        assert!(listed.is_sorted_by(|a, b| a < b), "{title}");
        let of: HashMap<_, _> =
            all.into_iter().map(|(key, results)| (key.as_f64() as u32, (key, results))).collect();
        let expected = listed.iter().map(|key| [vec![of[key].0], of[key].1.clone()].concat()).enumerate();
        compare(&arrays, expected.filter(|(id, _)| counts[*id] > 0), &title);
        assert_eq!(counts.iter().sum::<u32>() + left_out, pairs.ids.len() as u32, "{title}");
    }
    (left_out, counts.iter().filter(|count| **count == 0).count())
}

const FLOATS: [Element; 2] = [Element::U32, Element::F32];

#[test]
fn lengths_around_vectors_and_steps_on_every_adapter() {
    let keyed = keyed(gpu(), FLOATS, 100, true);
    let from = [[0, 0], [4, 8], [1, 1], [3, 2], [2, 66]].into_iter().cycle();
    for (nth, (len, from)) in [0, 1, 3, 4, 5, 1023, 1025, 4099, 40_000].into_iter().zip(from).enumerate() {
        check(gpu(), Element::F32, 5, &Pairs::new(len, 5, nth % OF_IDS, nth % 4), from, &ALL);
        check_keys(gpu(), &keyed, &Pairs::new(len, 100, nth % SPREADS.len(), 0), from);
    }
}

#[test]
fn keys_and_values_of_every_type() {
    let specials = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -1.5];
    let mut pairs = Pairs::new(10, 10, 0, 0);
    pairs.ids = specials.iter().map(|x: &f32| x.to_bits()).chain([0x7f80_0001, u32::MAX]).collect();
    pairs.extend(Pairs::all(SPREADS.len(), 6000, 300, 0), 0);
    let [u32, i32, f32] = [Element::U32, Element::I32, Element::F32];
    for types in [[u32, i32], [i32, f32], [f32, u32]] {
        check_keys(gpu(), &keyed(gpu(), types, 3000, false), &pairs, [0, 4]);
    }
}

/// As many keys as groups, and a few more: their list is one tile of 1024, or two are merged. Far more: ids come from the table in workgroup memory or in storage.
#[test]
fn as_many_keys_as_groups_and_more() {
    let gpu = gpu();
    let spread = |len: u32| {
        let mut pairs = Pairs::new(len as usize + len as usize / 2, 1, 0, 0);
        pairs.ids = (0..len).chain(0..len / 2).map(|nth| !nth.wrapping_mul(0x9e37_79b1)).collect();
        pairs
    };
    for most in [1, 128, 1025] {
        let (mut pairs, keyed) = (spread(most), keyed(gpu, FLOATS, most, false));
        check_keys(gpu, &keyed, &pairs, [0, 0]);
        pairs.extend(Pairs { values: vec![0x4048_f5c3; 3], ids: vec![3; 3] }, 0);
        let (left_out, empty) = check_keys(gpu, &keyed, &pairs, [0, 0]);
        assert!((1..=3).contains(&left_out) && empty == 0, "{left_out} of {most}, {empty} without pairs");
    }
    let pairs = spread(100_000);
    let [values, keys] = pairs.inputs(gpu, [0, 0]);
    for most in [200, 20_000] {
        let keyed = keyed(gpu, FLOATS, most, false);
        let (left_out, empty) = check_keys(gpu, &keyed, &pairs, [0, 0]);
        assert!(left_out >= 100_000 - most && empty < most as usize, "{left_out}, {empty} without pairs");
        let pairs = group::Pairs { keys: &keys, values: &values };
        let error = keyed.0.of(pairs).run::<Group<u32, f32>>(&gpu.queue).unwrap_err();
        assert!(matches!(error, Error::Data(DataError::Keys { groups, .. }) if groups == most), "{error}");
    }
}

/// The table in workgroup memory is full, groups are more than tables hold, and bindings hold a part of the pairs.
#[test]
fn many_keys_on_small_devices() {
    let few = limited(|limits| {
        limits.max_compute_invocations_per_workgroup = 64;
        limits.max_compute_workgroup_storage_size = 4096;
        limits.max_storage_buffer_binding_size = 340_000;
    });
    let full = keyed(&few, [Element::I32, Element::F32], 3000, false);
    for spread in [4, 5] {
        check_keys(&few, &full, &Pairs::new(43_000, 3000, spread, 0), [1, 0]);
    }
    // Keys whose hashes are 0, 1, 2, … have the same highest bits: a part has all of them, and too few slots. So has the last hash.
    let mut pairs = Pairs::new(43_000, 3000, 0, 0);
    let halves =
        pairs.ids.iter().map(|id| id.wrapping_sub(1).wrapping_mul(0xa5cb_9243)).map(|x| x ^ (x >> 16));
    pairs.ids = halves.map(|x| x.wrapping_sub(0x7f4a_7c15).wrapping_mul(0x0e8b_2f51) ^ 0x8000_0000).collect();
    check_keys(&few, &full, &pairs, [3, 1]);
    let least = limited(|limits| limits.max_compute_workgroup_storage_size = 1024);
    let many = keyed(&least, [Element::F32, Element::U32], 50_000, false);
    check_keys(&least, &many, &Pairs::new(20_000, 50_000, 5, 1), [0, 2]);
}
