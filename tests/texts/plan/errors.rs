//! Errors of plans: the limit that is named stands in the way, and the message helps.

use halofold::Element;
use halofold::reduce::ladder::{Coverage, Finish};
use halofold::reduce::{BufferRange, Op, Options, PlanError, ReduceError, Shape, Strategy, Tuning};
use halofold::wgpu::Limits;
use proptest::prelude::*;

use super::case::{Case, WIDE_SUM};

/// Checks an error against the case that it refuses.
pub fn justified(case: &Case, error: &ReduceError) -> Result<(), TestCaseError> {
    let limits = &case.limits;
    let largest = limits.max_storage_buffer_binding_size;
    let is_so = match error {
        ReduceError::Plan(error) => is_so(case, error),
        ReduceError::Row { needed, limit } => needed > limit && *limit <= largest,
        ReduceError::NoAtomic { .. } => {
            case.shape == Shape::Accumulate && case.monoid().accumulates().is_none()
        }
        _ => false,
    };
    prop_assert!(is_so, "{error}");
    Ok(())
}

fn is_so(case: &Case, error: &PlanError) -> bool {
    let limits = &case.limits;
    let row = u64::from(limits.max_compute_workgroups_per_dimension);
    match (error, case.rung()) {
        (PlanError::Scratch { needed, limit }, _) => {
            needed > limit && *limit <= limits.max_storage_buffer_binding_size
        }
        (PlanError::BufferTooLarge { needed, limit, .. }, _) => {
            needed > limit && *limit == limits.max_buffer_size
        }
        (PlanError::Limit(error), _) => error.needed > error.limit && error.name.starts_with("max_"),
        (PlanError::TooManyElements(asked), _) => *asked == case.len() && *asked > u64::from(u32::MAX),
        (PlanError::TooManyWorkgroups { needed, limit }, _) => {
            needed > limit && (*limit == row * row || matches!(case.shape, Shape::Strided { .. }))
        }
        (PlanError::Misaligned { offset, size }, _) => {
            let starts = case.parts.iter().chain(&case.second).any(|part| part.offset == *offset);
            starts && !offset.is_multiple_of(*size) && size.is_multiple_of(case.item())
        }
        // The last workgroup walks over a slot of every other one, and may not turn too often.
        (PlanError::TooManyTickets { needed, limit }, rung) => {
            let size = rung.map_or(1024, |(_, _, tuning)| tuning.workgroup_size);
            needed > limit && *limit <= u64::from(size) << 15
        }
        (error, Some((rung, finish, tuning))) => {
            let Tuning { workgroup_size, tile, .. } = tuning;
            match *error {
                PlanError::WorkgroupNotPowerOfTwo(asked) => {
                    asked == workgroup_size && !asked.is_power_of_two()
                }
                PlanError::WorkgroupTooLarge { asked, limit } => {
                    let most = limits.max_compute_invocations_per_workgroup;
                    asked == workgroup_size && asked > limit && limit == most
                }
                PlanError::WorkgroupMemory { needed, limit, .. } => {
                    let items = u64::from(rung.kernel.workgroup_memory(workgroup_size, tile));
                    // A few bytes may come on top, for a flag.
                    (0..=16).contains(&(needed - items * case.acc()))
                        && needed > u64::from(limit)
                        && limit == limits.max_compute_workgroup_storage_size
                }
                PlanError::Tile { .. } => {
                    let is_sound = tile.is_power_of_two()
                        && tile <= 1024
                        && tile >= workgroup_size
                        && tile <= 16 * workgroup_size;
                    matches!(rung.kernel.coverage, Coverage::Tiles(_)) && !is_sound
                }
                PlanError::Finish { finish: asked, .. } => {
                    asked == finish && !rung.finishes.contains(&finish)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// The error of a case, and its message.
fn refuse(case: &Case) -> (ReduceError, String) {
    let error = case.plan().unwrap_err();
    justified(case, &error).unwrap();
    let message = error.to_string();
    (error, message)
}

#[test]
fn a_workgroup_that_is_no_power_of_two() {
    for size in [0, 3, 100, 255] {
        let (error, message) =
            refuse(&Case::of("sequential", 0, 1000).tuned(|tuning| tuning.workgroup_size = size));
        assert_eq!(error, PlanError::WorkgroupNotPowerOfTwo(size).into());
        assert!(message.contains("1, 2, 4"), "{message}");
    }
}

#[test]
fn a_workgroup_that_is_too_large() {
    let (error, message) =
        refuse(&Case::of("sequential", 0, 1000).tuned(|tuning| tuning.workgroup_size = 512));
    assert_eq!(error, PlanError::WorkgroupTooLarge { asked: 512, limit: 256 }.into());
    assert!(message.contains("max_compute_invocations_per_workgroup"), "{message}");
}

#[test]
fn too_much_workgroup_memory() {
    let limits = Limits { max_compute_workgroup_storage_size: 16_383, ..Limits::default() };
    let case = Case { monoid: WIDE_SUM, limits, ..Case::of("tile", 0, 1000) };
    let (error, message) = refuse(&case.tuned(|tuning| tuning.tile = 1024));
    assert_eq!(error, PlanError::WorkgroupMemory { rung: "tile", needed: 16_384, limit: 16_383 }.into());
    assert!(message.contains("max_compute_workgroup_storage_size"), "{message}");
}

#[test]
fn a_tile_that_does_not_go_with_the_workgroup() {
    for tile in [0, 128, 768, 2048] {
        let (error, message) = refuse(&Case::of("tile-unrolled", 0, 1000).tuned(|tuning| tuning.tile = tile));
        assert_eq!(error, PlanError::Tile { tile, workgroup_size: 256 }.into());
        assert!(message.contains("1 to 16 items an invocation"), "{message}");
    }
    assert!(Case::of("sequential", 0, 1000).tuned(|tuning| tuning.tile = 3).plan().is_ok());
}

#[test]
fn a_finish_that_the_rung_does_not_offer() {
    let mut case = Case::of("sequential", 0, 1000);
    if let Strategy::Rung { finish, .. } = &mut case.how {
        *finish = Finish::Atomic;
    }
    assert_eq!(refuse(&case).1, "`sequential` does not finish by `atomic`; it can by repeat, host");
}

#[test]
fn more_elements_than_an_index_reaches() {
    let (error, message) = refuse(&Case::of("vectorized", 0, 1 << 32));
    assert_eq!(error, PlanError::TooManyElements(1 << 32).into());
    assert!(message.contains("4294967295"), "{message}");
    // All that one dispatch can name are planned, if the rung's grid is bounded.
    assert!(Case::of("vectorized", 0, (1 << 32) - 1).plan().is_ok());
}

#[test]
fn more_workgroups_than_a_grid_holds() {
    let limits = Limits { max_compute_workgroups_per_dimension: 100, ..Limits::default() };
    let case = |len| {
        let case = Case { limits: limits.clone(), ..Case::of("sequential", 0, len) };
        case.tuned(|tuning| tuning.workgroup_size = 1)
    };
    assert!(case(10_000).plan().is_ok());
    let (error, message) = refuse(&case(10_001));
    assert_eq!(error, PlanError::TooManyWorkgroups { needed: 10_001, limit: 10_000 }.into());
    assert!(message.contains("larger workgroup"), "{message}");
}

#[test]
fn an_offset_inside_an_element() {
    let (error, message) = refuse(&Case::of("sequential", 6, 1000));
    assert_eq!(error, PlanError::Misaligned { offset: 6, size: 4 }.into());
    assert!(message.contains("byte 6"), "{message}");
}

#[test]
fn states_of_a_form_that_has_none() {
    let sum = Op::Sum.over(Element::U32).unwrap();
    let input = [BufferRange { offset: 0, len: 1000 }];
    for (from_states, to_states) in [(true, false), (false, true), (true, true)] {
        let options = Options::default().with_from_states(from_states).with_to_states(to_states);
        for shape in [Shape::Accumulate, Shape::Strided { stride: 3 }, Shape::Offsets { count: 10 }] {
            let refused = options.plan(&sum, shape, &input, None, &Limits::default());
            assert_eq!(refused.unwrap_err(), ReduceError::States(shape.kind()));
        }
    }
}
