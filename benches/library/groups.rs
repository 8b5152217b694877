//! Exact sums or variances and counts by id, and by key in any order, for several distributions. A row's bytes are those of values and ids or keys, so its rate is
//! beside that of a sum.

use halofold::group::{ById, GroupBy, reference};
use halofold::{Element, Slice, Value, wgpu};

use crate::calls::{Expected, Made, Operation, recorded};
use crate::common::Machine;
use crate::pool::{PERIOD, Pool, WORD, generate, small_floats};
use crate::task::{Task, largest};

/// What is asked of groups.
#[derive(Clone, Copy)]
struct Row {
    /// The result that is checked: sum or variance.
    first: &'static str,
    groups: u32,
    /// The names that groups have: ids or keys.
    names: &'static str,
    /// The distribution of names.
    kind: &'static str,
}

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let n = largest(machine);
    let by_id = [256, 4096, 65_536, 1 << 20].into_iter().filter(|groups| u64::from(*groups) <= n);
    let by_id = by_id.flat_map(|groups| {
        ["random", "equal", "zipf", "sorted"].map(|kind| Row { first: "sum", groups, names: "ids", kind })
    });
    let by_key = [1000, 65_536]
        .into_iter()
        .flat_map(|groups| ["random", "zipf"].map(|kind| Row { first: "sum", groups, names: "keys", kind }));
    let variances = [256, 4096].map(|groups| Row { first: "variance", groups, names: "ids", kind: "random" });
    let values = Pool::shared(machine, WORD * n, || small_floats(PERIOD));
    let task = |row: Row| {
        let Row { first, groups, names, kind } = row;
        let own = Pool::shared(machine, WORD * n, move || block(row));
        let work = [&format!("{first}-and-count-by-{groups}-{names}"), kind, "f32"];
        let make = move |_, _: &[Slice<'_>]| operation(&machine.device, row);
        Task { room: WORD * n, ..Task::new(work, n, 2 * WORD * n, &[&values, &own], make) }
    };
    by_id.chain(by_key).chain(variances).map(task).collect()
}

/// One period of ids, or of keys that lie all over the integers.
fn block(Row { groups, names, kind, .. }: Row) -> Vec<u8> {
    let spread = if names == "ids" { 1 } else { 0x9e37_79b1 };
    generate(PERIOD, PERIOD, |at, word| {
        let id = match kind {
            "random" => (word >> 32) as u32 % groups,
            "equal" => groups / 3,
            "zipf" => f64::from(groups).powf((word >> 11) as f64 / (1u64 << 53) as f64) as u32 - 1,
            _ => (at * u64::from(groups) / PERIOD) as u32,
        };
        id.wrapping_mul(spread).to_le_bytes()
    })
}

/// The calls of a row. Of their results the first ones are checked.
fn operation<'a>(device: &wgpu::Device, row: Row) -> Made<Operation<'a>> {
    let (groups, is_sum) = (row.groups, row.first == "sum");
    let by_id = ById::new(Element::F32, groups)?;
    let by_id = if is_sum { by_id.sum() } else { by_id.variance() }.count();
    let by_key = GroupBy::new(Element::U32, Element::F32, groups)?.sum().count();
    let (ids, keys) = (by_id.clone().on(device)?, by_key.clone().on(device)?);
    let size = WORD * u64::from(groups);
    let operation = Operation::new(
        &[size],
        move |buffers| {
            let (&[values, own], [output], [counts, left_out, names, number_of_names]) =
                (buffers.inputs, buffers.outputs, buffers.others)
            else {
                unreachable!("these are the inputs and outputs of a task")
            };
            if row.names == "ids" {
                return recorded(ids.of(values).with(own).into_each([output, counts, left_out]));
            }
            let outputs = [names, number_of_names, output, counts, left_out];
            recorded(keys.of(own).with(values).into_each(outputs))
        },
        move |inputs, times| {
            let (values, own) = (inputs[0], inputs[1]);
            let mut results = match row.names {
                "ids" => reference::by_id(&by_id, values, &bytemuck::pod_collect_to_vec(own)).0,
                _ => reference::group_by(&by_key, own, values)
                    .into_iter()
                    .map(|(_, results)| results)
                    .collect(),
            };
            // There may be fewer keys.
            results.resize(groups as usize, vec![Value::F32(0.0)]);
            // The variance of values that are repeated is theirs.
            let times = if is_sum { times as f32 } else { 1.0 };
            let firsts = results.iter().map(|of_group| of_group[0].as_f64() as f32 * times + 0.0);
            vec![Expected::words(&firsts.collect::<Vec<f32>>())]
        },
    );
    Ok(Operation { others: vec![size, WORD, size, WORD], ..operation })
}
