//! Devices with every limit at its least, in turn and together, and those of WebGL2: every operation gives the right result or an
//! error that names a limit. Nothing panics, and wgpu complains of nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::in_turn;
use halofold::wgpu::Limits;
use halofold_cases::{Case, End, Scene, Tag, any_adapter, cases};

/// A limit by name, what sets it, and the values that it is tried at.
type Least = (&'static str, fn(&mut Limits, u64), &'static [u64]);

macro_rules! least {
    ($($name:ident: $values:expr,)*) => {
        // The field is of 32 bits or of 64.
        &[$((
            stringify!($name),
            |limits, value| limits.$name = value.try_into().expect("the values below fit"),
            &$values,
        )),*]
    };
}

/// Every limit that kernels, bindings and buffers meet, from wgpu's least up to where most operations run. Alignments are worst when large.
static LEAST: &[Least] = least! {
    max_bind_groups: [0],
    max_bindings_per_bind_group: [0, 3, 6, 8],
    max_dynamic_uniform_buffers_per_pipeline_layout: [0],
    max_dynamic_storage_buffers_per_pipeline_layout: [0],
    max_storage_buffers_per_shader_stage: [0, 1, 2, 3, 4, 5],
    max_storage_textures_per_shader_stage: [0, 1, 4],
    max_sampled_textures_per_shader_stage: [0],
    max_uniform_buffers_per_shader_stage: [0],
    max_buffers_and_acceleration_structures_per_shader_stage: [0, 3, 4, 5],
    max_uniform_buffer_binding_size: [0, 64],
    max_storage_buffer_binding_size: [0, 128, 256, 1024, 4096],
    max_buffer_size: [4, 256, 1024, 4096],
    min_uniform_buffer_offset_alignment: [256],
    min_storage_buffer_offset_alignment: [256],
    max_compute_workgroup_storage_size: [0, 64, 1024],
    max_compute_invocations_per_workgroup: [0, 1, 2, 32, 64, 100],
    max_compute_workgroup_size_x: [0, 1, 32, 64],
    max_compute_workgroup_size_y: [0, 1, 4],
    max_compute_workgroup_size_z: [0],
    max_compute_workgroups_per_dimension: [0, 1, 2, 7],
    max_immediate_size: [0],
    max_non_sampler_bindings: [0],
};

/// Runs an operation; returns whether it gave a result.
fn judge(case: &Case, scene: &Scene) -> Result<bool, String> {
    let run = || pollster::block_on(case.run(scene));
    let end = catch_unwind(AssertUnwindSafe(run)).map_err(|_| "a panic".to_owned())?;
    let complaints = scene.complaints();
    match end {
        _ if !complaints.is_empty() => Err(format!("{end:?}, and wgpu complains: {}", complaints.join("; "))),
        End::Right => Ok(true),
        // The adapter has no subgroups, whatever the limits are.
        End::Refused(error)
            if error.contains("SUBGROUP") || LEAST.iter().any(|(name, ..)| error.contains(name)) =>
        {
            Ok(false)
        }
        End::Refused(error) => Err(format!("the error names no limit: {error}")),
        End::Wrong(what) => Err(format!("wrong: {what}")),
    }
}

/// Runs some cases on a device with these limits; returns the number that gave a result.
fn run<'c>(
    all: impl IntoIterator<Item = &'c Case>,
    name: &str,
    limits: Limits,
    errors: &mut Vec<String>,
) -> usize {
    let scene = match Scene::open(&any_adapter(), limits) {
        Ok(scene) => scene,
        Err(error) => {
            eprintln!("not run: {name}: {error}");
            return 0;
        }
    };
    let mut right = 0;
    for case in all {
        match judge(case, &scene) {
            Ok(is_right) => right += usize::from(is_right),
            Err(error) => errors.push(format!("{name}: {}: {error}", case.name)),
        }
    }
    eprintln!("{name}: {right} give results");
    right
}

/// The limits that every operation runs with.
fn enough() -> Limits {
    let (limits, few) = (any_adapter().limits(), Limits::default());
    let binding = few.max_storage_buffer_binding_size.min(limits.max_storage_buffer_binding_size);
    let max_buffer_size = few.max_buffer_size.min(limits.max_buffer_size);
    Limits { max_storage_buffer_binding_size: binding, max_buffer_size, ..limits }
}

#[test]
fn each_limit_lowered_in_turn() {
    let (few, mut errors) = (cases(Tag::Losses, &any_adapter().get_info().name), Vec::new());
    for (turn, (name, set, values)) in LEAST.iter().enumerate() {
        // Each value is a device, which compiles all kernels: on a software adapter the least alone.
        for &value in in_turn(*values, values.len(), 0) {
            let mut limits = enough();
            set(&mut limits, value);
            run(in_turn(&few, 3, turn), &format!("{name} {value}"), limits, &mut errors);
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn all_limits_lowered_together() {
    let (all, mut errors) = (cases(Tag::Limits, &any_adapter().get_info().name), Vec::new());
    let right = run(&all, "enough", enough(), &mut errors);
    // Operations that need subgroups may not run.
    assert!(right + 6 >= all.len(), "only {right} operations run with enough of everything");
    for nth in in_turn(0..6, 3, 1) {
        let mut limits = enough();
        LEAST.iter().for_each(|(_, set, values)| set(&mut limits, values[nth.min(values.len() - 1)]));
        run(&all, &format!("the values number {nth}"), limits, &mut errors);
    }
    run(&all, "WebGL2", Limits::downlevel_webgl2_defaults(), &mut errors);
    let right = run(&all, "downlevel", Limits::downlevel_defaults(), &mut errors);
    assert!(right > 0, "nothing runs with `Limits::downlevel_defaults`");
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}
