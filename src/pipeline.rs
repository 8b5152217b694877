//! Compilation of composed kernels, for reductions, histograms and stencils.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use wgpu::{Device, Limits};

use crate::binding;

/// The binding of group 0 with a kernel's parameters.
const PARAMETERS: u32 = 2;

/// The binding of group 0 with an operator's own parameters, if they are a uniform.
pub(crate) const OWN_UNIFORM: u32 = 9;

/// The binding of group 0 with an operator's own parameters, if they are in a storage buffer.
pub(crate) const OWN_STORAGE: u32 = 10;

/// Options for compiling [histograms](crate::histogram) and [stencils](crate::stencil). Start with
/// [`Options::default`], and change fields as needed.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The caller's pipeline cache: `None` by default.
    pub cache: Option<&'a wgpu::PipelineCache>,
}

impl<'a> Options<'a> {
    /// Returns these options with a pipeline cache.
    pub const fn with_cache(self, cache: &'a wgpu::PipelineCache) -> Self {
        Options { cache: Some(cache) }
    }
}

/// A limit of the device that is too low for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{name} of {needed} is needed, this device has {limit}: request more when you open it")]
pub struct LimitError {
    /// The limit, a field of [`wgpu::Limits`].
    pub name: &'static str,
    /// The value needed.
    pub needed: u64,
    /// The device's value.
    pub limit: u64,
}

impl LimitError {
    /// Returns an error if the device's limit is lower than needed.
    pub(crate) fn unless(
        name: &'static str,
        limit: impl Into<u64>,
        needed: impl Into<u64>,
    ) -> Result<(), Self> {
        let (limit, needed) = (limit.into(), needed.into());
        if needed > limit { Err(LimitError { name, needed, limit }) } else { Ok(()) }
    }
}

/// The number of storage buffers among these bindings of group 0.
pub(crate) fn storage_buffers(slots: &[u32]) -> u32 {
    slots.iter().filter(|slot| !matches!(**slot, PARAMETERS | OWN_UNIFORM)).count() as u32
}

/// Checks the limits that a kernel with these bindings in group 0 needs for any input.
pub(crate) fn check(slots: &[u32], limits: &Limits) -> Result<(), LimitError> {
    let storage = u64::from(storage_buffers(slots));
    let uniforms = slots.len() as u64 - storage;
    let behind = slots.iter().max().map_or(0, |last| last + 1);
    LimitError::unless(
        "max_storage_buffers_per_shader_stage",
        limits.max_storage_buffers_per_shader_stage,
        storage,
    )?;
    LimitError::unless(
        "max_uniform_buffers_per_shader_stage",
        limits.max_uniform_buffers_per_shader_stage,
        uniforms,
    )?;
    LimitError::unless(
        "max_buffers_and_acceleration_structures_per_shader_stage",
        limits.max_buffers_and_acceleration_structures_per_shader_stage,
        storage + uniforms,
    )?;
    LimitError::unless("max_bindings_per_bind_group", limits.max_bindings_per_bind_group, behind)?;
    check_basics(limits)
}

/// Checks the limits that every kernel needs: a bind group, some parameters, a workgroup.
pub(crate) fn check_basics(limits: &Limits) -> Result<(), LimitError> {
    let block = binding::STRIDE as u64;
    LimitError::unless("max_bind_groups", limits.max_bind_groups, 1u32)?;
    LimitError::unless("max_buffer_size", limits.max_buffer_size, block)?;
    LimitError::unless("max_uniform_buffer_binding_size", limits.max_uniform_buffer_binding_size, block)?;
    // A window starts at a multiple of the alignment, and must reach the next multiple.
    let window = block.max(u64::from(limits.min_storage_buffer_offset_alignment));
    LimitError::unless("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size, window)?;
    let most = limits.max_compute_workgroups_per_dimension;
    LimitError::unless("max_compute_workgroups_per_dimension", most, 1u32)?;
    check_workgroup([1, 1], limits)
}

/// Checks that a device can run workgroups of `x` by `y` invocations.
pub(crate) fn check_workgroup([x, y]: [u32; 2], limits: &Limits) -> Result<(), LimitError> {
    let invocations = u64::from(x) * u64::from(y);
    let most = limits.max_compute_invocations_per_workgroup;
    LimitError::unless("max_compute_invocations_per_workgroup", most, invocations)?;
    LimitError::unless("max_compute_workgroup_size_x", limits.max_compute_workgroup_size_x, x)?;
    LimitError::unless("max_compute_workgroup_size_y", limits.max_compute_workgroup_size_y, y)?;
    LimitError::unless("max_compute_workgroup_size_z", limits.max_compute_workgroup_size_z, 1u32)
}

/// A kernel's text, and everything else that compiling it needs.
pub(crate) struct Kernel<'a> {
    /// The name of the pipeline in a debugger.
    pub(crate) label: &'a str,
    /// A complete module.
    pub(crate) wgsl: String,
    pub(crate) entry_point: &'a str,
    /// The bindings of group 0 that the module declares.
    pub(crate) slots: &'a [u32],
    pub(crate) overrides: &'a [(&'a str, f64)],
    pub(crate) cache: Option<&'a wgpu::PipelineCache>,
    pub(crate) checks: Checks,
}

/// Choice of wgpu's checks in a shader: clamping of indices, bounds on loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// wgpu adds them.
    On,
    /// wgpu does not add them. Only `unsafe` constructors allow this.
    Off,
}

/// A pipeline, and the layout of its group 0. Clones share both.
pub(crate) type Compiled = (wgpu::ComputePipeline, wgpu::BindGroupLayout);

/// Compiles a kernel, and creates the layout of its group 0. It logs this, because it takes long compared
/// with everything else.
pub(crate) fn compile(device: &Device, kernel: Kernel<'_>) -> Compiled {
    log::debug!("compiles {}", kernel.label);
    let label = Some(kernel.label);
    let descriptor =
        wgpu::ShaderModuleDescriptor { label, source: wgpu::ShaderSource::Wgsl(kernel.wgsl.into()) };
    let module = match kernel.checks {
        Checks::On => device.create_shader_module(descriptor),
        // SAFETY: the caller of an `unsafe` constructor has promised that the kernel stays in bounds and
        // terminates.
        Checks::Off => unsafe {
            device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
        },
    };
    let entries: Vec<_> = kernel.slots.iter().map(|&slot| layout_entry(slot)).collect();
    let layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(kernel.entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: kernel.overrides,
            // Every kernel writes workgroup memory before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: kernel.cache,
    });
    (pipeline, layout)
}

/// Compiled kernels, by a key that tells them apart. Each is compiled when it is first needed, and kept.
#[derive(Debug)]
pub(crate) struct Compilations<K>(Mutex<HashMap<K, Compiled>>);

impl<K> Default for Compilations<K> {
    fn default() -> Self {
        Compilations(Mutex::default())
    }
}

impl<K: Eq + Hash> Compilations<K> {
    /// Returns the kernel with a key. On first use it calls `compile`.
    pub(crate) fn get(&self, key: K, compile: impl FnOnce() -> Compiled) -> Compiled {
        let Ok(compiled) = self.try_get(key, || Ok::<_, Infallible>(compile()));
        compiled
    }

    /// Returns the kernel with a key. On first use it calls `compile`, which may fail.
    pub(crate) fn try_get<E>(
        &self,
        key: K,
        compile: impl FnOnce() -> Result<Compiled, E>,
    ) -> Result<Compiled, E> {
        // The map is consistent even if a thread panicked while it held the lock.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = known.get(&key) {
            return Ok(compiled.clone());
        }
        let compiled = compile()?;
        known.insert(key, compiled.clone());
        Ok(compiled)
    }
}

/// A grid for `groups` workgroups: one row, or rows of equal length if one dimension cannot hold them; `None`
/// if two dimensions cannot.
///
/// The last row may be longer than needed.
pub(crate) fn folded(groups: u64, limits: &Limits) -> Option<[u32; 2]> {
    let most = u64::from(limits.max_compute_workgroups_per_dimension);
    let rows = groups.div_ceil(most.max(1)).max(1);
    (rows <= most).then(|| [groups.div_ceil(rows).max(1) as u32, rows as u32])
}

/// The most workgroups of a grid of two dimensions.
pub(crate) fn most_groups(limits: &Limits) -> u64 {
    u64::from(limits.max_compute_workgroups_per_dimension).pow(2)
}

/// `groups`, rounded up to complete rows, for kernels in which a surplus workgroup would do harm.
pub(crate) fn whole_rows(groups: u64, limits: &Limits) -> u64 {
    let groups = groups.max(1);
    groups.next_multiple_of(groups.div_ceil(u64::from(limits.max_compute_workgroups_per_dimension).max(1)))
}

/// All kernels number their bindings in the same way: 2 holds the parameters, 9 or 10 those of an operator's
/// own; 0, 3, 5, 6, 7 and 10 are read-only; the others are also written.
fn layout_entry(slot: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = match slot {
        PARAMETERS | OWN_UNIFORM => wgpu::BufferBindingType::Uniform,
        0 | 3 | 5 | 6 | 7 | OWN_STORAGE => wgpu::BufferBindingType::Storage { read_only: true },
        _ => wgpu::BufferBindingType::Storage { read_only: false },
    };
    wgpu::BindGroupLayoutEntry {
        binding: slot,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}
