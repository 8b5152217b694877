//! Compiling a composed kernel: what reductions and stencils do alike.

use wgpu::Device;

/// A kernel's text and all that goes with it.
pub(crate) struct Kernel<'a> {
    /// Names the pipeline in a debugger.
    pub(crate) label: &'a str,
    /// A complete module.
    pub(crate) wgsl: String,
    pub(crate) entry_point: &'a str,
    /// The slots of group 0 that the module declares.
    pub(crate) slots: &'a [u32],
    pub(crate) overrides: &'a [(&'a str, f64)],
    pub(crate) cache: Option<&'a wgpu::PipelineCache>,
    pub(crate) checks: Checks,
}

/// Whether wgpu adds its checks to a shader: clamped indices, bounded loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// It does.
    On,
    /// It does not: only behind a constructor that is `unsafe` itself.
    Off,
}

/// Compiles a kernel, and lays out its group 0.
pub(crate) fn compile(device: &Device, kernel: Kernel<'_>) -> (wgpu::ComputePipeline, wgpu::BindGroupLayout) {
    let label = Some(kernel.label);
    let descriptor =
        wgpu::ShaderModuleDescriptor { label, source: wgpu::ShaderSource::Wgsl(kernel.wgsl.into()) };
    let module = match kernel.checks {
        Checks::On => device.create_shader_module(descriptor),
        // SAFETY: whoever asked for it promised, through an `unsafe` constructor, that the kernel stays in bounds and ends.
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
            // Every kernel writes a slot before it reads it.
            zero_initialize_workgroup_memory: false,
        },
        cache: kernel.cache,
    });
    (pipeline, layout)
}

/// So many workgroups in rows of equal length, where one dimension has too little room; `None` if two have.
///
/// The last row may be longer than needed.
pub(crate) fn folded(groups: u64, limits: &wgpu::Limits) -> Option<[u32; 2]> {
    let most = u64::from(limits.max_compute_workgroups_per_dimension);
    let rows = groups.div_ceil(most).max(1);
    (rows <= most).then(|| [groups.div_ceil(rows).max(1) as u32, rows as u32])
}

/// The most workgroups that two dimensions hold.
pub(crate) fn most_groups(limits: &wgpu::Limits) -> u64 {
    u64::from(limits.max_compute_workgroups_per_dimension).pow(2)
}

/// So many workgroups or a few more, which make whole rows: for kernels that a workgroup too many would disturb.
pub(crate) fn whole_rows(groups: u64, limits: &wgpu::Limits) -> u64 {
    let groups = groups.max(1);
    groups.next_multiple_of(groups.div_ceil(u64::from(limits.max_compute_workgroups_per_dimension)))
}

/// All kernels number their bindings alike: 2 holds the parameters, 0, 3, 5, 6 and 7 are read,
/// the others also written.
fn layout_entry(slot: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = match slot {
        2 => wgpu::BufferBindingType::Uniform,
        0 | 3 | 5 | 6 | 7 => wgpu::BufferBindingType::Storage { read_only: true },
        _ => wgpu::BufferBindingType::Storage { read_only: false },
    };
    wgpu::BindGroupLayoutEntry {
        binding: slot,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}
