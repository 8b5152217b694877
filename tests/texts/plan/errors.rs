//! Errors of plans: the limit that is named stands in the way, and the message helps.

use halofold::reduce::ladder::{Coverage, Finish};
use halofold::reduce::{BufferRange, Op, Options, ReduceError, Shape, Strategy, Tuning};
use halofold::wgpu::Limits;
use halofold::{BufferError, Element, LimitError};
use proptest::prelude::*;

use super::case::{Case, WIDE_SUM};

/// Checks an error against the case that it refuses.
pub fn justified(case: &Case, error: &ReduceError) -> Result<(), TestCaseError> {
    prop_assert!(is_so(case, error), "{error}");
    Ok(())
}

fn is_so(case: &Case, error: &ReduceError) -> bool {
    match (error, case.rung()) {
        (ReduceError::Limit(error), _) => {
            error.needed > error.limit && is_limit_of(&case.limits, error) && is_needed(case, error)
        }
        (ReduceError::NoAtomic { .. }, _) => {
            case.shape == Shape::Accumulate && case.monoid().accumulates().is_none()
        }
        (ReduceError::Buffer(BufferError::TooMany(asked)), _) => {
            *asked == case.len() && *asked > u64::from(u32::MAX)
        }
        (ReduceError::Buffer(BufferError::Misaligned { offset, size }), _) => {
            let starts = case.parts.iter().chain(&case.second).any(|part| part.offset == *offset);
            starts && !offset.is_multiple_of(*size) && size.is_multiple_of(case.item())
        }
        // The last workgroup walks over a slot of every other one, and may not turn too often.
        (ReduceError::TooManyTickets { needed, limit }, rung) => {
            let size = rung.map_or(1024, |(_, _, tuning)| tuning.workgroup_size);
            needed > limit && *limit <= u64::from(size) << 15
        }
        (ReduceError::Setting(error), Some((rung, _, tuning))) => {
            let Tuning { workgroup_size, tile, .. } = tuning;
            match error.name {
                "workgroup_size" => {
                    let is_sound = workgroup_size.is_power_of_two() && workgroup_size <= 1024;
                    error.value == u64::from(workgroup_size) && !is_sound
                }
                "tile" => {
                    let is_sound = tile.is_power_of_two()
                        && tile <= 1024
                        && tile >= workgroup_size
                        && tile <= 16 * workgroup_size;
                    matches!(rung.kernel.coverage, Coverage::Tiles(_)) && !is_sound
                }
                _ => false,
            }
        }
        (ReduceError::Finish { finish: asked, .. }, Some((rung, finish, _))) => {
            *asked == finish && !rung.finishes.contains(&finish)
        }
        _ => false,
    }
}

/// Returns true if an error tells the device's value of its limit.
fn is_limit_of(limits: &Limits, error: &LimitError) -> bool {
    let of_device = device_limit(limits, error.name);
    // A window ends at a multiple of the alignment, and 31 bits count its bytes.
    let align = u64::from(limits.min_storage_buffer_offset_alignment);
    let windows = of_device.min(1 << 31);
    let is_window = error.limit <= windows && windows - error.limit < align;
    error.limit == of_device || (error.name == "max_storage_buffer_binding_size" && is_window)
}

/// Returns true if a tuning needs what an error says. Other limits depend on the plan.
fn is_needed(case: &Case, error: &LimitError) -> bool {
    match (error.name, case.rung()) {
        ("max_compute_workgroup_storage_size", Some((rung, _, tuning))) => {
            let items = u64::from(rung.kernel.workgroup_memory(tuning.workgroup_size, tuning.tile));
            // A few bytes may come on top, for a flag.
            (0..=16).contains(&(error.needed - items * case.acc()))
        }
        ("max_compute_invocations_per_workgroup" | "max_compute_workgroup_size_x", Some((_, _, tuning))) => {
            error.needed == u64::from(tuning.workgroup_size)
        }
        (name, _) => !name.starts_with("max_compute_") || name == "max_compute_workgroups_per_dimension",
    }
}

/// The device's value of a limit that plans can exceed.
fn device_limit(limits: &Limits, name: &str) -> u64 {
    match name {
        "max_storage_buffer_binding_size" => limits.max_storage_buffer_binding_size,
        "max_buffer_size" => limits.max_buffer_size,
        "max_compute_workgroups_per_dimension" => limits.max_compute_workgroups_per_dimension.into(),
        "max_compute_invocations_per_workgroup" => limits.max_compute_invocations_per_workgroup.into(),
        "max_compute_workgroup_size_x" => limits.max_compute_workgroup_size_x.into(),
        "max_compute_workgroup_storage_size" => limits.max_compute_workgroup_storage_size.into(),
        other => panic!("{other}"),
    }
}

/// A limit that is too low, and the message about it.
fn limited(case: &Case) -> (LimitError, String) {
    match refuse(case) {
        (ReduceError::Limit(error), message) => (error, message),
        (other, _) => panic!("{other}"),
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
        let ReduceError::Setting(error) = error else { panic!("{message}") };
        assert_eq!((error.name, error.value), ("workgroup_size", u64::from(size)), "{message}");
        assert!(message.contains("a power of two from 1 to 1024"), "{message}");
    }
}

#[test]
fn a_workgroup_that_is_too_large() {
    let (error, message) =
        limited(&Case::of("sequential", 0, 1000).tuned(|tuning| tuning.workgroup_size = 512));
    assert_eq!((error.name, error.needed, error.limit), ("max_compute_invocations_per_workgroup", 512, 256));
    assert!(message.contains("use a smaller workgroup"), "{message}");
}

#[test]
fn too_much_workgroup_memory() {
    let limits = Limits { max_compute_workgroup_storage_size: 16_383, ..Limits::default() };
    let case = Case { monoid: WIDE_SUM, limits, ..Case::of("tile", 0, 1000) };
    let (error, message) = limited(&case.tuned(|tuning| tuning.tile = 1024));
    let found = (error.name, error.needed, error.limit);
    assert_eq!(found, ("max_compute_workgroup_storage_size", 16_384, 16_383));
    assert!(message.contains("use a smaller workgroup"), "{message}");
}

#[test]
fn a_tile_that_does_not_go_with_the_workgroup() {
    for tile in [0, 128, 768, 2048] {
        let (error, message) = refuse(&Case::of("tile-unrolled", 0, 1000).tuned(|tuning| tuning.tile = tile));
        let ReduceError::Setting(error) = error else { panic!("{message}") };
        assert_eq!((error.name, error.value), ("tile", u64::from(tile)), "{message}");
        assert!(message.contains("a power of two from 256 to 1024"), "{message}");
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
    assert_eq!(error, BufferError::TooMany(1 << 32).into());
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
    let (error, message) = limited(&case(10_001));
    let found = (error.name, error.needed, error.limit);
    assert_eq!(found, ("max_compute_workgroups_per_dimension", 101, 100));
    assert!(message.contains("larger workgroup"), "{message}");
}

#[test]
fn an_offset_inside_an_element() {
    let (error, message) = refuse(&Case::of("sequential", 6, 1000));
    assert_eq!(error, BufferError::Misaligned { offset: 6, size: 4 }.into());
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
