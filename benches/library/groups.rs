//! Exact sums or variances and counts by id, and by key in any order, for several distributions. A row's bytes are those of values and ids or keys, so its rate is
//! beside that of a sum.

use std::cell::LazyCell;

use criterion::Criterion;
use halofold::group::{ById, GroupBy, reference};
use halofold::reduce::Op;
use halofold::{Element, Value, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row, TestData};

use crate::calls::{self, Call, Calls, Sweep, Way};
use crate::common::{self, Extent, Group, Machine};
use crate::expected::Expected;
use crate::pool::{PERIOD, Pool};

/// Bytes of a value, of an id, and of a result.
const WORD: u64 = 4;

/// The names that groups have.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    Ids,
    Keys,
}

/// Values and the names of their groups.
struct Pairs {
    values: Pool,
    names: Pool,
}

/// All of them.
pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
    let power = if machine.extent() == Extent::Software { 16 } else { 28 };
    let n = 1u64 << power;
    let kinds = |groups| ["random", "equal", "zipf", "sorted"].map(|kind| (Names::Ids, "sum", groups, kind));
    let by_id =
        [256, 4096, 65_536, 1 << 20].into_iter().filter(|groups| u64::from(*groups) <= n).flat_map(kinds);
    let by_key = [1000, 65_536]
        .into_iter()
        .flat_map(|groups| ["random", "zipf"].map(|kind| (Names::Keys, "sum", groups, kind)));
    let variances = [256, 4096].map(|groups| (Names::Ids, "variance", groups, "random"));
    let mut rows = Vec::new();
    for (names, first, groups, kind) in by_id.chain(by_key).chain(variances) {
        let name = if names == Names::Ids { "ids" } else { "keys" };
        let op = format!("{first}-and-count-by-{groups}-{name}");
        let title = machine.title(&format!("library/{op}/{kind}/f32/2^{power}"));
        let most = machine.device.limits().max_buffer_size;
        if WORD * n > most {
            common::skip(&title, &format!("needs a buffer of {} bytes, max_buffer_size is {most}", WORD * n));
            continue;
        }
        let mut group = Group::new(criterion, &title);
        let pool = |block| Pool::new(machine, block, WORD, n);
        let pairs =
            LazyCell::new(|| Pairs { values: pool(values()), names: pool(named(names, groups, kind)) });
        rows.extend([Way::INDEPENDENT, Way::CHAINED].into_iter().filter_map(|way| {
            let row = Row::<LibraryWork>::blank(way.name, [&op, kind, "f32"], n, None, &machine.info);
            let make = || calls(&machine.device, sweep, way, (names, first, groups), n, &pairs);
            super::measure(&mut group, machine, row, 2 * WORD * n, make)
        }));
    }
    rows
}

/// One period of values: integers from -4 to 4, whose sums are floats.
fn values() -> Vec<u8> {
    let data = TestData::new(Op::Sum, Element::U64, PERIOD);
    (0..PERIOD as usize).flat_map(|at| (((data.word(at) >> 32) % 9) as f32 - 4.0).to_le_bytes()).collect()
}

/// One period of ids, or of keys that lie all over the integers.
fn named(names: Names, groups: u32, kind: &str) -> Vec<u8> {
    let data = TestData::new(Op::Sum, Element::U64, 2 * PERIOD);
    let id = |at: u64| {
        let word = data.word((PERIOD + at) as usize);
        match kind {
            "random" => (word >> 32) as u32 % groups,
            "equal" => groups / 3,
            "zipf" => f64::from(groups).powf((word >> 11) as f64 / (1u64 << 53) as f64) as u32 - 1,
            "sorted" => (at * u64::from(groups) / PERIOD) as u32,
            other => unreachable!("{other} is new"),
        }
    };
    let spread = if names == Names::Ids { 1 } else { 0x9e37_79b1 };
    (0..PERIOD).flat_map(|at| id(at).wrapping_mul(spread).to_le_bytes()).collect()
}

/// The calls in one way. Of their results the first ones are checked.
fn calls<'s>(
    device: &wgpu::Device,
    sweep: &'s Sweep,
    way: Way,
    (names, first, groups): (Names, &str, u32),
    n: u64,
    pairs: &Pairs,
) -> Result<Calls<'s>, MeasureError> {
    let asked = ById::new(Element::F32, groups).unwrap_or_else(|error| panic!("{error}"));
    let is_sum = first == "sum";
    let asked = if is_sum { asked.sum() } else { asked.variance() }.count();
    let by_id = asked.clone().on(device).unwrap_or_else(|error| panic!("{error}"));
    let by_key = GroupBy::new(Element::U32, Element::F32, groups)
        .unwrap_or_else(|error| panic!("{error}"))
        .sum()
        .count();
    let group_by = by_key.clone().on(device).unwrap_or_else(|error| panic!("{error}"));
    let size = WORD * u64::from(groups);
    let call = |number, output: &wgpu::Buffer, others: &mut Option<[wgpu::Buffer; 4]>| {
        let others =
            others.get_or_insert_with(|| [size, WORD, size, WORD].map(|size| calls::output(device, size)));
        let [counts, left_out, keys, number_of_keys] = &*others;
        let [values, own] = [&pairs.values, &pairs.names].map(|pool| pool.input(n, number));
        let prepared = match names {
            Names::Ids => by_id.of(values).with(own).into_each([output, counts, left_out]),
            Names::Keys => {
                group_by.of(own).with(values).into_each([keys, number_of_keys, output, counts, left_out])
            }
        };
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
    };
    let expected = |number, _| {
        let start = pairs.values.start(n, number);
        let (values, times) = pairs.values.repeated(start, n);
        let (own, _) = pairs.names.repeated(start, n);
        let mut results = match names {
            Names::Ids => reference::by_id(&asked, values, &bytemuck::pod_collect_to_vec(own)).0,
            Names::Keys => {
                reference::group_by(&by_key, own, values).into_iter().map(|(_, results)| results).collect()
            }
        };
        // There may be fewer keys.
        results.resize(groups as usize, vec![Value::F32(0.0)]);
        // The variance of values that are repeated is theirs.
        let times = if is_sum { times as f32 } else { 1.0 };
        let firsts = results.iter().map(|of_group| of_group[0].as_f64() as f32 * times);
        Expected::Bytes(firsts.flat_map(|first| (first + 0.0).to_le_bytes()).collect())
    };
    Calls::new(device, sweep, way, [2 * WORD * n, size], call, expected)
}
