//! Where there is no plan: the limit that is named stands in the way, and the message helps.

use halofold::Element;
use halofold::reduce::{Coverage, Finish, Job, Operator, PlanError, Rung, Tuning};
use halofold::wgpu::Limits;
use proptest::prelude::*;

use crate::Case;

/// Holds an error against the case that it refuses.
pub fn justified(case: &Case, error: &PlanError) -> Result<(), TestCaseError> {
    let Case { job, offset, len, limits } = case;
    let Tuning { workgroup_size, tile, .. } = job.tuning;
    let true_word = match *error {
        PlanError::WorkgroupNotPowerOfTwo(asked) => asked == workgroup_size && !asked.is_power_of_two(),
        PlanError::WorkgroupTooLarge { asked, limit } => {
            asked == workgroup_size && asked > limit && limit == limits.max_compute_invocations_per_workgroup
        }
        PlanError::WorkgroupMemory { needed, limit, .. } => {
            let items = u64::from(job.rung.memory.items(workgroup_size, tile));
            // A few bytes may come on top, for a flag.
            (0..=16).contains(&(needed - items * job.accumulator.size))
                && needed > u64::from(limit)
                && limit == limits.max_compute_workgroup_storage_size
        }
        PlanError::Tile { .. } => {
            let sound = tile.is_power_of_two()
                && tile <= 1024
                && tile >= workgroup_size
                && tile <= 16 * workgroup_size;
            matches!(job.rung.coverage, Coverage::Tiles(_)) && !sound
        }
        PlanError::Finish { finish, .. } => finish == job.finish && !job.rung.finishes.contains(&finish),
        PlanError::TooManyElements(asked) => asked == *len && asked > u64::from(u32::MAX),
        PlanError::TooManyWorkgroups { needed, limit } => {
            let row = u64::from(limits.max_compute_workgroups_per_dimension);
            needed > limit && limit == row * row
        }
        PlanError::TooManyTickets { needed, limit } => {
            // The last workgroup walks over a slot of every other one, and may not turn too often.
            let fetched = u64::from(workgroup_size) << 15;
            job.finish == Finish::LastWorkgroup && needed > limit && limit <= fetched
        }
        PlanError::Misaligned { .. } => !offset.is_multiple_of(job.accumulator.element.size()),
        _ => false,
    };
    prop_assert!(true_word, "{error}");
    Ok(())
}

fn job(rung: &str, operator: Operator, element: Element) -> Job {
    let rung = Rung::named(rung).unwrap();
    let accumulator = operator.over(element).unwrap();
    let tuning = Tuning { workgroup_size: 256, max_workgroups: 1024, tile: 1024, subgroups: true, leave: 1 };
    Job { rung, accumulator, tuning, finish: rung.finishes[0] }
}

fn sum(rung: &str) -> Job {
    job(rung, Operator::Sum, Element::F32)
}

/// The error for `len` elements from byte `offset` on, under wgpu's default limits.
fn refuse(job: Job, offset: u64, len: u64) -> PlanError {
    let error = job.plan(offset, len, &Limits::default()).unwrap_err();
    let case = Case { job, offset, len, limits: Limits::default() };
    justified(&case, &error).unwrap();
    error
}

#[test]
fn a_workgroup_that_is_no_power_of_two() {
    for workgroup_size in [0, 3, 100, 255] {
        let mut job = sum("sequential");
        job.tuning.workgroup_size = workgroup_size;
        let error = refuse(job, 0, 1000);
        assert_eq!(error, PlanError::WorkgroupNotPowerOfTwo(workgroup_size));
        assert!(error.to_string().contains("1, 2, 4"), "{error}");
    }
}

#[test]
fn a_workgroup_that_is_too_large() {
    let mut job = sum("sequential");
    job.tuning.workgroup_size = 512;
    let error = refuse(job, 0, 1000);
    assert_eq!(error, PlanError::WorkgroupTooLarge { asked: 512, limit: 256 });
    assert!(error.to_string().contains("max_compute_invocations_per_workgroup"), "{error}");
}

#[test]
fn too_much_workgroup_memory() {
    let mut wide = job("tile", Operator::WideSum, Element::U64);
    wide.tuning.tile = 1024;
    let limits = Limits { max_compute_workgroup_storage_size: 16_383, ..Limits::default() };
    let error = wide.plan(0, 1000, &limits).unwrap_err();
    assert_eq!(error, PlanError::WorkgroupMemory { rung: "tile", needed: 16_384, limit: 16_383 });
    assert!(error.to_string().contains("max_compute_workgroup_storage_size"), "{error}");
}

#[test]
fn a_tile_that_does_not_go_with_the_workgroup() {
    for tile in [0, 128, 768, 2048] {
        let mut job = sum("tile-unrolled");
        job.tuning.tile = tile;
        let error = refuse(job, 0, 1000);
        assert_eq!(error, PlanError::Tile { tile, workgroup_size: 256 });
        assert!(error.to_string().contains("1 to 16 items an invocation"), "{error}");
    }
    let mut indifferent = sum("sequential");
    indifferent.tuning.tile = 3;
    assert!(indifferent.plan(0, 1000, &Limits::default()).is_ok());
}

#[test]
fn a_finish_that_the_rung_does_not_offer() {
    let mut job = sum("sequential");
    job.finish = Finish::Atomic;
    let error = refuse(job, 0, 1000);
    assert_eq!(error.to_string(), "`sequential` does not finish by `atomic`; it can by repeat, host");
}

#[test]
fn more_elements_than_an_index_reaches() {
    let error = refuse(sum("vectorized"), 0, 1 << 32);
    assert_eq!(error, PlanError::TooManyElements(1 << 32));
    assert!(error.to_string().contains("4294967295"), "{error}");
    // All that one dispatch can name are planned, if the rung's grid is bounded.
    assert!(sum("vectorized").plan(0, (1 << 32) - 1, &Limits::default()).is_ok());
}

#[test]
fn more_workgroups_than_a_grid_holds() {
    let mut job = sum("sequential");
    job.tuning.workgroup_size = 1;
    let limits = Limits { max_compute_workgroups_per_dimension: 100, ..Limits::default() };
    assert!(job.plan(0, 10_000, &limits).is_ok());
    let error = job.plan(0, 10_001, &limits).unwrap_err();
    assert_eq!(error, PlanError::TooManyWorkgroups { needed: 10_001, limit: 10_000 });
    assert!(error.to_string().contains("larger workgroup"), "{error}");
}

#[test]
fn an_offset_inside_an_element() {
    let error = refuse(sum("sequential"), 6, 1000);
    assert_eq!(error, PlanError::Misaligned { offset: 6, size: 4 });
    assert!(error.to_string().contains("byte 6"), "{error}");
}
