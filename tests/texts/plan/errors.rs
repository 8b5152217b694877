//! Errors of plans: the limit that is named stands in the way, and the message helps.

use halofold::ladder::{Coverage, Finish, Rung};
use halofold::reduce::{Shape, Tuning};
use halofold::wgpu::Limits;
use halofold::{BufferError, Error, LimitError, SettingError};
use proptest::prelude::*;

use super::case::{Case, WIDE_SUM};

/// Checks an error against the case that it refuses.
pub fn justified(case: &Case, error: &Error) -> Result<(), TestCaseError> {
    prop_assert!(is_so(case, error), "{error}");
    Ok(())
}

fn is_so(case: &Case, error: &Error) -> bool {
    match (error, case.rung()) {
        (Error::Limit(error), _) => {
            error.needed > error.limit && is_limit_of(&case.limits, error) && is_needed(case, error)
        }
        (Error::Buffer(BufferError::TooMany(asked)), _) => {
            *asked == case.len() && *asked > u64::from(u32::MAX)
        }
        (Error::Buffer(BufferError::Misaligned { offset, size }), _) => {
            let starts = case.parts.iter().chain(&case.second).any(|part| part.offset == *offset);
            starts && !offset.is_multiple_of(*size) && size.is_multiple_of(case.item())
        }
        (Error::Setting(error), rung) => is_set_so(case, error, rung),
        _ => false,
    }
}

/// Returns true if a setting is wrong, or does not go with another one.
fn is_set_so(case: &Case, error: &SettingError, rung: Option<(&Rung, Finish, Tuning)>) -> bool {
    match (error.name, rung) {
        ("shape", _) => case.shape == Shape::Accumulate && case.monoid().accumulates().is_none(),
        ("states", _) => case.states.contains(&true),
        // The last workgroup walks over a slot of every other one, and may not turn too often.
        ("workgroups", rung) => {
            let size = rung.map_or(1024, |(_, _, tuning)| tuning.workgroup_size);
            error.value.is_some_and(|needed| needed > u64::from(size).min(1024))
        }
        ("workgroup_size", Some((_, _, Tuning { workgroup_size, .. }))) => {
            let is_sound = workgroup_size.is_power_of_two() && workgroup_size <= 1024;
            error.value == Some(workgroup_size.into()) && !is_sound
        }
        ("tile", Some((rung, _, Tuning { workgroup_size, tile, .. }))) => {
            let is_sound = tile.is_power_of_two()
                && tile <= 1024
                && tile >= workgroup_size
                && tile <= 16 * workgroup_size;
            matches!(rung.kernel.coverage, Coverage::Tiles(_)) && !is_sound
        }
        ("finish", Some((rung, finish, _))) => !rung.finishes.contains(&finish),
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

/// Cases that are refused, and what the error and its message say.
fn wrong() -> Vec<(Case, Vec<String>)> {
    let of = |rung| Case::of(rung, 0, 1000);
    let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let setting = |name: &str, value: u32, range: &str| {
        words(&[
            "Setting",
            &format!("name: {name:?}, value: Some({value})"),
            &format!("a power of two from {range}"),
        ])
    };
    let limit = |name: &str, needed: u32, limit: u32, remedy: &str| {
        words(&["Limit", &format!("name: {name:?}, needed: {needed}, limit: {limit}"), remedy])
    };
    let sizes = [0, 3, 100, 255].map(|size| {
        let case = of("sequential").tuned(|tuning| tuning.workgroup_size = size);
        (case, setting("workgroup_size", size, "1 to 1024"))
    });
    let tiles = [0, 128, 768, 2048].map(|tile| {
        let case = of("tile-unrolled").tuned(|tuning| tuning.tile = tile);
        (case, setting("tile", tile, "256 to 1024"))
    });
    let memory = Limits { max_compute_workgroup_storage_size: 16_383, ..Limits::default() };
    let wide = Case { monoid: WIDE_SUM, limits: memory, ..of("tile") };
    let mut atomic = of("sequential");
    if let Some(setup) = &mut atomic.rung {
        setup.finish = Finish::Atomic;
    }
    let mut wrong = vec![
        (
            of("sequential").tuned(|tuning| tuning.workgroup_size = 512),
            limit("max_compute_invocations_per_workgroup", 512, 256, "use a smaller workgroup"),
        ),
        (
            wide.tuned(|tuning| tuning.tile = 1024),
            limit("max_compute_workgroup_storage_size", 16_384, 16_383, "use a smaller workgroup"),
        ),
        (atomic, words(&["`sequential` does not finish by `atomic`; it can by repeat, host"])),
        (Case::of("vectorized", 0, 1 << 32), words(&["TooMany(4294967296)", "4294967295"])),
        (in_narrow_grid(10_001), limit("max_compute_workgroups_per_dimension", 101, 100, "larger workgroup")),
        (Case::of("sequential", 6, 1000), words(&["Misaligned { offset: 6, size: 4 }", "byte 6"])),
    ];
    for states in [[true, false], [false, true], [true, true]] {
        for shape in [Shape::Accumulate, Shape::Strided { stride: 3 }, Shape::Offsets { count: 10 }] {
            let case = Case { rung: None, states, shape, ..of("sequential") };
            wrong.push((case, words(&["states", &format!("{:?} neither reads", shape.kind())])));
        }
    }
    wrong.extend(sizes.into_iter().chain(tiles));
    wrong
}

/// One invocation in a workgroup, and at most 100 workgroups in a row.
fn in_narrow_grid(len: u64) -> Case {
    let limits = Limits { max_compute_workgroups_per_dimension: 100, ..Limits::default() };
    let case = Case { limits, ..Case::of("sequential", 0, len) };
    case.tuned(|tuning| tuning.workgroup_size = 1)
}

#[test]
fn wrong_cases_are_refused() {
    for (case, words) in wrong() {
        let error = case.plan().unwrap_err();
        justified(&case, &error).unwrap();
        let said = format!("{error:?} {error}");
        assert!(words.iter().all(|word| said.contains(word)), "{case:?}: {said}, without {words:?}");
    }
}

/// The other sides of the borders: the tile counts where there are tiles, all that a dispatch can name is planned.
#[test]
fn cases_at_a_border_are_planned() {
    let untiled = Case::of("sequential", 0, 1000).tuned(|tuning| tuning.tile = 3);
    for case in [untiled, Case::of("vectorized", 0, (1 << 32) - 1), in_narrow_grid(10_000)] {
        assert!(case.plan().is_ok(), "{case:?}");
    }
}
