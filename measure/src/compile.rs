//! Compilation of kernels that are no operation of the library's.

use wgpu::Device;

use crate::translate::Kernel;

/// Compiles a kernel with the bindings that its text declares.
///
/// # Panics
///
/// If the label has a colon: DX12 passes it to DXC as the name of the source file, which could not be read.
pub fn compile(device: &Device, kernel: &Kernel) -> wgpu::ComputePipeline {
    assert!(!kernel.label.contains(':'), "{} is no name of a file", kernel.label);
    let label = Some(&*kernel.label);
    let source = wgpu::ShaderSource::Wgsl((&*kernel.wgsl).into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: None,
        module: &module,
        entry_point: Some(kernel.entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &kernel.overrides,
            ..Default::default()
        },
        cache: None,
    })
}
