//! Devices with every limit at its least, in turn and together, and those of WebGL2: every operation gives the right result or an
//! error that names a limit. Nothing panics, and wgpu complains of nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common;
use halofold::wgpu;
use halofold_cases::{Case, End, Scene, Tag, any_adapter, cases};
use wgpu::Limits;

/// Sets one limit.
type Set = fn(&mut Limits, u64);

/// A limit by name, and the values that it is tried at.
struct Least {
    name: &'static str,
    set: Set,
    values: &'static [u64],
}

macro_rules! least {
    ($name:ident, $values:expr) => {
        Least {
            name: stringify!($name),
            // The field is of 32 bits or of 64.
            set: |limits, value| limits.$name = value.try_into().expect("the values below fit"),
            values: &$values,
        }
    };
}

/// Every limit that kernels, their bindings and buffers meet, from the least that wgpu takes up to where most operations run. The two
/// alignments are worst when they are largest.
static LEAST: &[Least] = &[
    least!(max_bind_groups, [0]),
    least!(max_bindings_per_bind_group, [0, 3, 6, 8]),
    least!(max_dynamic_uniform_buffers_per_pipeline_layout, [0]),
    least!(max_dynamic_storage_buffers_per_pipeline_layout, [0]),
    least!(max_storage_buffers_per_shader_stage, [0, 1, 2, 3, 4, 5]),
    least!(max_storage_textures_per_shader_stage, [0, 1, 4]),
    least!(max_sampled_textures_per_shader_stage, [0]),
    least!(max_uniform_buffers_per_shader_stage, [0]),
    least!(max_buffers_and_acceleration_structures_per_shader_stage, [0, 3, 4, 5]),
    least!(max_uniform_buffer_binding_size, [0, 64]),
    least!(max_storage_buffer_binding_size, [0, 128, 256, 1024, 4096]),
    least!(max_buffer_size, [4, 256, 1024, 4096]),
    least!(min_uniform_buffer_offset_alignment, [256]),
    least!(min_storage_buffer_offset_alignment, [256]),
    least!(max_compute_workgroup_storage_size, [0, 64, 1024]),
    least!(max_compute_invocations_per_workgroup, [0, 1, 2, 32, 64, 100]),
    least!(max_compute_workgroup_size_x, [0, 1, 32, 64]),
    least!(max_compute_workgroup_size_y, [0, 1, 4]),
    least!(max_compute_workgroup_size_z, [0]),
    least!(max_compute_workgroups_per_dimension, [0, 1, 2, 7]),
    least!(max_immediate_size, [0]),
    least!(max_non_sampler_bindings, [0]),
];

/// Returns true if an error names a limit.
fn names_a_limit(error: &str) -> bool {
    LEAST.iter().any(|least| error.contains(least.name))
}

/// Runs an operation; returns whether it gave a result.
fn judge(case: &Case, scene: &Scene) -> Result<bool, String> {
    let run = || pollster::block_on(case.run(scene));
    let end = catch_unwind(AssertUnwindSafe(run)).map_err(|_| "a panic".to_owned())?;
    let complaints = scene.complaints();
    if !complaints.is_empty() {
        return Err(format!("{end:?}, and wgpu complains: {}", complaints.join("; ")));
    }
    match end {
        End::Right => Ok(true),
        End::Refused(error) if names_a_limit(&error) => Ok(false),
        // The adapter has none, whatever the limits are.
        End::Refused(error) if error.contains("SUBGROUP") => Ok(false),
        End::Refused(error) => Err(format!("the error names no limit: {error}")),
        End::Wrong(what) => Err(format!("wrong: {what}")),
    }
}

/// Runs some cases on a device with these limits; returns the number that gave a result, and the errors.
fn run(all: &[&Case], name: &str, limits: Limits) -> (usize, Vec<String>) {
    let adapter = any_adapter();
    let scene = match Scene::open(&adapter, limits) {
        Ok(scene) => scene,
        Err(error) => {
            eprintln!("not run: {name}: {error}");
            return (0, Vec::new());
        }
    };
    let (mut right, mut errors) = (0, Vec::new());
    for case in all {
        match judge(case, &scene) {
            Ok(is_right) => right += usize::from(is_right),
            Err(error) => errors.push(format!("{name}: {}: {error}", case.name)),
        }
    }
    eprintln!("{name}: {right} of {} give results", all.len());
    (right, errors)
}

/// The limits that every operation runs with.
fn enough() -> Limits {
    let limits = any_adapter().limits();
    let few = Limits::default();
    Limits {
        max_storage_buffer_binding_size: few
            .max_storage_buffer_binding_size
            .min(limits.max_storage_buffer_binding_size),
        max_buffer_size: few.max_buffer_size.min(limits.max_buffer_size),
        ..limits
    }
}

#[test]
fn each_limit_lowered_in_turn() {
    let (few, mut errors) = (cases(Tag::Losses, &any_adapter().get_info().name), Vec::new());
    for (turn, Least { name, set, values }) in LEAST.iter().enumerate() {
        // Each value is a device, and kernels compiled anew: on a software adapter the least alone.
        for &value in common::in_turn(*values, values.len(), 0) {
            let mut limits = enough();
            set(&mut limits, value);
            let some: Vec<_> = common::in_turn(&few, 3, turn).collect();
            errors.extend(run(&some, &format!("{name} {value}"), limits).1);
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn all_limits_lowered_together() {
    let (all, mut errors) = (cases(Tag::Limits, &any_adapter().get_info().name), Vec::new());
    let all: Vec<_> = all.iter().collect();
    let (right, wrong) = run(&all, "enough", enough());
    errors.extend(wrong);
    // Operations that need subgroups may not run.
    assert!(right + 6 >= all.len(), "only {right} operations run with enough of everything");
    for nth in common::in_turn(0..6, 3, 1) {
        let mut limits = enough();
        for Least { set, values, .. } in LEAST {
            set(&mut limits, values[nth.min(values.len() - 1)]);
        }
        errors.extend(run(&all, &format!("the values number {nth}"), limits).1);
    }
    errors.extend(run(&all, "WebGL2", Limits::downlevel_webgl2_defaults()).1);
    let (right, wrong) = run(&all, "downlevel", Limits::downlevel_defaults());
    errors.extend(wrong);
    assert!(right > 0, "nothing runs with `Limits::downlevel_defaults`");
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}
