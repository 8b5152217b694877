//! Results by id against a reference, on the adapter at hand.

use halofold::group::{ById, reference};
use halofold::histogram::{Histogram, Keys, Method};
use halofold::reduce::BufferRange;
use halofold::{Element, OnDevice, Options, Value, probe, wgpu};

use crate::common::{Gpu, Random, gpu, in_turn, limited};
use crate::inputs::{Input, value_like, words, written};

/// A result that is asked for.
type Asked = fn(ById) -> ById;

const ALL: [Asked; 7] =
    [ById::max, ById::count, ById::sum, ById::sample_variance, ById::mean, ById::min, ById::variance];

/// The id of a pair, from its place, a random word and the number of groups. Each is a distribution.
const SPREADS: [fn(usize, u64, u64) -> u64; 5] = [
    |_, random, groups| random % groups,
    |_, _, groups| groups - 1,
    // Sorted, with runs of 600.
    |at, _, groups| (at as u64 / 600).min(groups - 1),
    // One hot group among others; few of many.
    |_, random, groups| if random % 4 < 3 { groups / 2 } else { (random >> 8) % groups },
    |_, random, groups| (groups as f64).powf((random >> 11) as f64 / (1u64 << 53) as f64) as u64 - 1,
];

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

/// Values and their ids.
#[derive(Default)]
struct Pairs {
    values: Vec<u32>,
    ids: Vec<u32>,
}

impl Pairs {
    fn new(len: usize, groups: u64, spread: usize, values: usize) -> Self {
        let mut random = Random::new((len + 7 * spread + 31 * values) as u64 + groups);
        let values = (0..len).map(|at| VALUES[values](at, random.next() >> 7)).collect();
        let ids = (0..len).map(|at| SPREADS[spread](at, random.next() >> 9, groups) as u32).collect();
        Pairs { values, ids }
    }

    /// Adds pairs, whose ids count from one on.
    fn extend(&mut self, others: Pairs, first: u32) {
        self.values.extend(others.values);
        self.ids.extend(others.ids.iter().map(|id| first + id));
    }
}

/// Runs an operation twice over poison, and compares all results with those of the reference. Values and ids begin at these words.
fn check(gpu: &Gpu, element: Element, groups: u32, pairs: &Pairs, from: [u64; 2], all: &[Asked]) {
    let asked = all.iter().fold(ById::new(element, groups).unwrap(), |by_id, ask| ask(by_id));
    compare(gpu, &asked.on(&gpu.device).unwrap(), [groups as usize, all.len()], pairs, from);
}

/// The same with an operation of so many groups and results.
fn compare(
    gpu: &Gpu,
    by_id: &OnDevice<ById>,
    [groups, arrays]: [usize; 2],
    Pairs { values, ids }: &Pairs,
    from: [u64; 2],
) {
    let title = format!("{} pairs, {:?}, {from:?}", ids.len(), by_id.config());
    let [first, second] = [Input::at(gpu, values, 4 * from[0]), Input::at(gpu, ids, 4 * from[1])];
    let sizes = vec![4 * groups as u64; arrays].into_iter().chain([4]);
    let results = written(gpu, sizes, |outputs| by_id.of(&first).with(&second).into_each(outputs));
    let results: Vec<_> = results.iter().map(|bytes| words(bytes)).collect();
    let (expected, rejected) = reference::by_id(by_id.config(), bytemuck::cast_slice(values), ids);
    assert_eq!(results[arrays], [rejected], "{title}");
    for (id, expected) in expected.iter().enumerate() {
        for (nth, expected) in expected.iter().enumerate() {
            let got = value_like(*expected, results[nth][id]);
            assert!(got.same(*expected), "{title}: result {nth} of {id} is {got:?}, not {expected:?}");
        }
    }
}

#[test]
fn lengths_around_vectors_and_steps_on_every_adapter() {
    for (nth, len) in [0, 1, 3, 4, 5, 1023, 1025, 4099].into_iter().enumerate() {
        let from = [[0, 0], [4, 8], [1, 1], [3, 2], [2, 66]][nth % 5];
        check(gpu(), Element::F32, 5, &Pairs::new(len, 5, nth % 5, nth % 4), from, &ALL);
    }
}

#[test]
fn any_number_of_groups_on_every_adapter() {
    for groups in [1, 2, 128, 129, 4096] {
        // Every distribution of ids, one after the other, so that groups with few pairs and with many are in one input.
        let mut all = Pairs::default();
        for spread in 0..SPREADS.len() {
            all.extend(Pairs::new(9000, groups, spread, spread % 4), 0);
        }
        check(gpu(), Element::F32, groups as u32, &all, [0, 0], &[ById::sum, ById::count]);
    }
}

#[test]
fn more_groups_than_tables_hold() {
    // Pairs are ordered by parts, several times as a binding holds so few.
    let few = limited(|limits| {
        limits.max_compute_workgroup_storage_size = 1024;
        limits.max_storage_buffer_binding_size = 330_000;
    });
    for spread in in_turn(0..SPREADS.len(), 2, 0) {
        let pairs = Pairs::new(43_000, 3000, spread, 0);
        check(&few, Element::F32, 3000, &pairs, [1, 0], &[ById::mean, ById::max, ById::count]);
    }
    // All additions are to storage.
    let least = &limited(|limits| limits.max_compute_workgroup_storage_size = 1024);
    let rows: [(_, _, _, _, _, &[Asked]); 3] = [
        (least, Element::F32, 5000, 50_000, [4, 3], &[ById::sum]),
        (least, Element::I32, 5000, 50_000, [3, 1], &[ById::sum, ById::min]),
        (gpu(), Element::F32, 20_000, 65_536, [0, 1], &[ById::sum, ById::max]),
    ];
    for (gpu, element, len, groups, [spread, values], all) in rows {
        check(gpu, element, groups, &Pairs::new(len, groups.into(), spread, values), [0, 0], all);
    }
}

#[test]
fn every_type_and_kind_of_values() {
    for element in [Element::F32, Element::I32, Element::U32] {
        let mut all = Pairs::default();
        for kind in 0..VALUES.len() {
            // Groups of their own.
            all.extend(Pairs::new(20_000, 37, kind, kind), 37 * kind as u32);
        }
        check(gpu(), element, 148, &all, [0, 4], &ALL);
        check(gpu(), element, 37, &Pairs::new(3000, 37, 0, 1), [0, 0], &[ById::count]);
    }
}

/// A word of a table has room for 2^15 additions, of which all are the same here.
#[test]
fn tables_never_overflow() {
    // A group of positive numbers, then one of negative, and one of -0.
    let values = [0x3fff_ffffu32, 0xbfff_ffff, 0x8000_0000].map(|bits| vec![bits; 150_001]).concat();
    let ids = (0..values.len() as u32).map(|at| at / 150_001).collect();
    let pairs = Pairs { values, ids };
    for groups in [3, 3000] {
        check(gpu(), Element::F32, groups, &pairs, [0, 0], &[ById::sum, ById::mean]);
    }
}

#[test]
fn special_values() {
    let specials = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 1.0];
    // A group for each set of them.
    let mut pairs = Pairs::default();
    for id in 0..1u32 << specials.len() {
        let members = specials.iter().enumerate().filter(|(nth, _)| id >> nth & 1 == 1);
        let values: Vec<_> = members.map(|(_, value)| value.to_bits()).collect();
        pairs.extend(Pairs { ids: vec![0; values.len()], values }, id);
    }
    check(gpu(), Element::F32, 128, &pairs, [0, 0], &ALL);
}

/// The population and the sample variance of each list of values.
fn variances(element: Element, lists: &[Vec<u32>]) -> Vec<[f32; 2]> {
    let gpu = gpu();
    let ids = lists.iter().enumerate().flat_map(|(id, list)| vec![id as u32; list.len()]);
    let (values, ids) = (Input::new(gpu, &lists.concat()), Input::new(gpu, &ids.collect::<Vec<_>>()));
    let by_id = ById::new(element, lists.len() as u32).unwrap().variance().sample_variance();
    let results = by_id.on(&gpu.device).unwrap().of(&values).with(&ids).wait(&gpu.queue).unwrap();
    results.iter().map(|both| [0, 1].map(|nth| both.0[nth].as_f64() as f32)).collect()
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
    let bits = |list: &Vec<f32>| list.iter().map(|x| x.to_bits()).collect();
    let lists: Vec<Vec<u32>> = cases.iter().map(|(list, _)| bits(list)).collect();
    for ((list, expected), got) in cases.iter().zip(variances(Element::F32, &lists)) {
        let same = |nth: usize| Value::F32(got[nth]).same(Value::F32(expected[nth]));
        assert!(same(0) && same(1), "{list:?}: {got:?}, not {expected:?}");
    }
}

#[test]
fn variances_of_integers_as_rational_numbers() {
    let mut random = Random::new(29);
    let mut numbers = |len, most: u64| -> Vec<i128> {
        (0..len).map(|_| i128::from((1u64 << 20) + random.next() % most)).collect()
    };
    let lists = [numbers(2, 2), numbers(3, 9), numbers(700, 3), numbers(1000, 1 << 20), numbers(5, 1 << 20)];
    // A quotient with 40 places more and a bit for all others: the conversion rounds once.
    let quotient = |above: i128, below: i128| {
        let scaled = above << 40;
        ((scaled / below) << 1 | i128::from(scaled % below != 0)) as f32 * (-41f32).exp2()
    };
    for element in [Element::F32, Element::U32, Element::I32] {
        let word = |x: &i128| if element.is_float() { (*x as f32).to_bits() } else { *x as u32 };
        let words: Vec<Vec<u32>> = lists.iter().map(|list| list.iter().map(word).collect()).collect();
        for (list, got) in lists.iter().zip(variances(element, &words)) {
            let (n, sum) = (list.len() as i128, list.iter().sum::<i128>());
            let around = n * list.iter().map(|x| x * x).sum::<i128>() - sum * sum;
            assert_eq!(got, [n, n - 1].map(|divisor| quotient(around, n * divisor)), "{n} of {element}");
        }
    }
    // The ends of both types.
    let ends = |element, ends: [u32; 2]| variances(element, &[ends.to_vec()])[0][0];
    let half = (u64::from(u32::MAX) as f64 / 2.0).powi(2) as f32;
    assert_eq!([ends(Element::U32, [0, u32::MAX]), ends(Element::I32, [1 << 31, !(1 << 31)])], [half; 2]);
}

/// No device at hand miscounts, so one is said to.
#[test]
fn devices_that_miscount_in_workgroups_count_in_storage() {
    let Gpu { device, queue } = gpu();
    assert!(probe::wait(device, queue).unwrap());
    let answer = probe::read(device, queue);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    assert!(pollster::block_on(answer).unwrap());
    let asked = ALL.iter().fold(ById::new(Element::F32, 30).unwrap(), |by_id, ask| ask(by_id));
    let options = Options::default().counting_in_workgroups(false);
    let by_id = OnDevice::with_config(device, asked, options).unwrap();
    let range = BufferRange { offset: 0, len: 5000 };
    let plan = by_id.config().plan(range, range, &device.limits()).unwrap();
    let steps: Vec<_> = plan.iter().map(|pass| pass.step).collect();
    assert_eq!(steps, ["group/apart", "group/variance", "group/finish"]);
    let mut pairs = Pairs::new(5000, 30, 3, 3);
    pairs.ids[4321] = 30;
    compare(gpu(), &by_id, [30, ALL.len()], &pairs, [1, 0]);
    let counts = Histogram::new(Keys::Numbers, 30, &device.limits());
    let histogram = OnDevice::with_config(device, counts, options).unwrap();
    assert_eq!(histogram.config().tuning.method, Method::Storage);
}

#[test]
fn bindings_of_any_size() {
    let gpu = limited(|limits| limits.max_storage_buffer_binding_size = 4096);
    for from in [[0, 0], [5, 62], [64, 3]] {
        check(&gpu, Element::F32, 20, &Pairs::new(5000, 20, 0, 0), from, &ALL);
    }
}

#[test]
fn ids_of_no_group_are_an_error_that_counts_them() {
    let gpu = gpu();
    let ids: Vec<u32> = (0..5000).map(|at| if at % 7 == 0 { u32::MAX - at } else { at % 10 }).collect();
    let pairs = Pairs { values: vec![1.5f32.to_bits(); 5000], ids };
    check(gpu, Element::F32, 10, &pairs, [0, 0], &[ById::sum]);
    let [values, ids] = [&pairs.values, &pairs.ids].map(|words| Input::new(gpu, words));
    let by_id = ById::new(Element::F32, 10).unwrap().sum().on(&gpu.device).unwrap();
    let error = by_id.of(&values).with(&ids).wait(&gpu.queue).unwrap_err();
    assert_eq!(error.to_string(), "715 ids are 10 or more: declare more groups");
    let first = by_id.of(&values).with(ids.part(4, 20_000 - 4)).len(6).wait(&gpu.queue).unwrap();
    assert_eq!(first[3].0, [Value::F32(1.5)]);
}
