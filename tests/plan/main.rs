//! Plans, held against what the kernels do with them. No GPU is needed.
//!
//! Random rungs, operators, tunings, lengths, offsets and limits: a plan covers each element once, stays within every
//! limit, hands partial results on without a gap, and for small lengths a simulated run gives the sum. Where there is
//! no plan, the limit that is named stands in the way.

mod check;
mod errors;
mod simulate;

use std::fmt;

use halofold::Element;
use halofold::reduce::{Coverage, Finish, Job, Operator, RUNGS, Tuning};
use halofold::wgpu::Limits;
use proptest::prelude::*;
use proptest::sample::select;

/// One thing to plan.
#[derive(Clone)]
pub struct Case {
    pub job: Job,
    pub offset: u64,
    pub len: u64,
    pub limits: Limits,
}

/// What a failing test prints: a line, not the kernel's essay and forty limits.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { job: Job { rung, accumulator, tuning, finish }, offset, len, limits } = self;
        let (operator, element) = (accumulator.operator, accumulator.element);
        write!(
            f,
            "{} {operator} of {len} {element} from byte {offset} by {finish}, {tuning:?}, ",
            rung.name
        )?;
        write!(f, "bindings of {}", limits.max_storage_buffer_binding_size)?;
        write!(f, " at multiples of {}", limits.min_storage_buffer_offset_alignment)?;
        write!(f, ", rows of {} workgroups", limits.max_compute_workgroups_per_dimension)?;
        write!(f, ", {} invocations", limits.max_compute_invocations_per_workgroup)?;
        write!(f, ", {} bytes shared", limits.max_compute_workgroup_storage_size)
    }
}

/// Limits from the smallest that wgpu knows to the largest that GPUs have, and smaller bindings than any of them.
fn limits() -> impl Strategy<Value = Limits> {
    (
        select(vec![64 << 10, (64 << 10) + 192, 1 << 20, 128 << 20, 1 << 30, (2 << 30) - 4, 4 << 30]),
        select(vec![32, 64, 128, 256]),
        select(vec![16, 100, 1024, 65_535]),
        select(vec![128, 256, 1024]),
        select(vec![16 << 10, 48 << 10]),
    )
        .prop_map(|(binding, align, row, invocations, storage)| Limits {
            max_storage_buffer_binding_size: binding,
            max_buffer_size: 1 << 40,
            min_storage_buffer_offset_alignment: align,
            max_compute_workgroups_per_dimension: row,
            max_compute_invocations_per_workgroup: invocations,
            max_compute_workgroup_size_x: invocations,
            max_compute_workgroup_storage_size: storage,
            ..Limits::default()
        })
}

/// Tunings, most of them sound.
fn tuning() -> impl Strategy<Value = Tuning> {
    let workgroup_size = prop_oneof![20 => (0u32..11).prop_map(|power| 1 << power), 1 => 0u32..3000];
    let tile = prop_oneof![20 => Just(0), 2 => (0u32..12).prop_map(|power| 1 << power), 1 => 0u32..3000];
    let max_workgroups = select(vec![1, 2, 3, 7, 64, 396, 1024, 1056, 65_535, 100_000]);
    (workgroup_size, tile, max_workgroups, select(vec![1, 1, 1, 2, 64, 1000])).prop_map(
        |(workgroup_size, tile, max_workgroups, leave)| {
            let usual = Tuning { workgroup_size, max_workgroups, tile: 512, subgroups: true, leave };
            match tile {
                // A tile that goes with the workgroup.
                0 => usual.with_workgroup_size(workgroup_size),
                tile => Tuning { tile, ..usual },
            }
        },
    )
}

/// Everything that can be asked for, and now and then a finish that the rung does not offer.
fn jobs() -> impl Strategy<Value = Job> {
    let pairs: Vec<_> = Element::ALL
        .into_iter()
        .flat_map(|element| Operator::ALL.into_iter().filter_map(move |operator| operator.over(element)))
        .collect();
    (0..RUNGS.len(), select(pairs), tuning(), 0..20usize).prop_map(|(rung, accumulator, tuning, finish)| {
        let rung = &RUNGS[rung];
        let offered = rung.finishes[finish % rung.finishes.len()];
        let finish = if finish == 19 { Finish::ALL[tuning.tile as usize % 5] } else { offered };
        Job { rung, accumulator, tuning, finish }
    })
}

/// Lengths around the edges that a job has: of a workgroup, a tile, a level of partial results, 32 bits.
fn lengths(job: &Job) -> impl Strategy<Value = u64> + use<> {
    let Tuning { workgroup_size, tile, max_workgroups, .. } = job.tuning;
    let wg = u64::from(workgroup_size);
    let block = match job.rung.coverage {
        Coverage::Block(items) | Coverage::Grid(items) => wg * u64::from(items),
        Coverage::Tiles(tiles) => u64::from(tile) * u64::from(tiles),
        _ => 2 * wg,
    };
    let edges = vec![
        wg,
        block,
        block * block,
        block * u64::from(max_workgroups),
        wg << 15,
        1 << 20,
        1 << 30,
        1 << 32,
    ];
    let near =
        (select(edges), -2i64..3).prop_map(|(edge, by)| edge.saturating_add_signed(by).min((1 << 32) + 1));
    prop_oneof![3 => 0..300u64, 6 => near, 3 => 0..1u64 << 20, 2 => 0..1u64 << 32, 1 => Just(u64::from(u32::MAX))]
}

fn cases() -> impl Strategy<Value = Case> {
    let offset = prop_oneof![2 => Just(0), 4 => 0u64..300, 2 => 0u64..1 << 33];
    (jobs(), limits(), offset, 0..20usize).prop_flat_map(|(job, limits, offset, misaligned)| {
        let size = job.accumulator.element.size();
        let offset = if misaligned == 0 { offset } else { offset / size * size };
        lengths(&job).prop_map(move |len| {
            let mut limits = limits.clone();
            // No more than a thousand windows, to have many cases instead of long ones.
            let binding = &mut limits.max_storage_buffer_binding_size;
            *binding = (*binding).max((len * size / 1000).next_multiple_of(4));
            Case { job, offset, len, limits }
        })
    })
}

/// Cases that a simulated run takes no time for.
fn small_cases() -> impl Strategy<Value = Case> {
    let offset = 0u64..100;
    (jobs(), limits(), offset, 0..3000u64, 0..6000u64).prop_map(
        |(mut job, mut limits, offset, len, binding)| {
            let size = job.accumulator.element.size();
            // Small bindings, so that a few thousand elements need several windows.
            limits.max_storage_buffer_binding_size = binding.next_multiple_of(256) + 2048;
            job.tuning.workgroup_size = job.tuning.workgroup_size.min(64);
            job.tuning = job.tuning.with_workgroup_size(job.tuning.workgroup_size);
            Case { job, offset: offset * size, len, limits }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_hold(case in cases()) {
        match case.job.plan(case.offset, case.len, &case.limits) {
            Ok(plan) => check::plan(&case, &plan)?,
            Err(error) => errors::justified(&case, &error)?,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_add_up(case in small_cases()) {
        if let Ok(plan) = case.job.plan(case.offset, case.len, &case.limits) {
            check::plan(&case, &plan)?;
            simulate::run(&case, &plan)?;
        }
    }
}
