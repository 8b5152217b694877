//! Compiles kernels outside the library's operations, and catches compilers' errors.

use wgpu::{Device, ErrorFilter};

use crate::MeasureError;
use crate::kernel::Kernel;

/// Compiles a kernel with the bindings that its WGSL declares.
///
/// # Errors
///
/// [`MeasureError::Device`] if the device refuses it.
///
/// # Panics
///
/// If the label has a colon: DX12 passes it to DXC as the name of a source file, which then cannot be read.
pub fn compile(device: &Device, kernel: &Kernel) -> Result<wgpu::ComputePipeline, MeasureError> {
    assert!(!kernel.label.contains(':'), "{} is no name of a file", kernel.label);
    let label = Some(&*kernel.label);
    let source = wgpu::ShaderSource::Wgsl((&*kernel.wgsl).into());
    without_faults(device, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
        Ok(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: None,
            module: &module,
            entry_point: Some(kernel.entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &kernel.overrides,
                ..Default::default()
            },
            cache: None,
        }))
    })
}

/// Runs work that compiles and binds, and returns wgpu's first error. Nothing is submitted with a pipeline that failed to
/// compile.
pub(crate) fn without_faults<T>(
    device: &Device,
    work: impl FnOnce() -> Result<T, MeasureError>,
) -> Result<T, MeasureError> {
    let scopes =
        [ErrorFilter::Internal, ErrorFilter::Validation].map(|filter| device.push_error_scope(filter));
    let result = work();
    // Scopes form a stack, so all are popped, the last one first.
    let errors: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
    match errors.into_iter().flatten().next() {
        Some(error) => Err(MeasureError::Device(error.to_string())),
        None => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halofold::adapter;

    #[test]
    fn a_refused_kernel_is_one_error() {
        let adapter = pollster::block_on(adapter::preferred(true)).expect("an adapter");
        let (device, _) = pollster::block_on(adapter::open(&adapter)).unwrap();
        let kernel = |wgsl: &str| Kernel {
            wgsl: wgsl.to_owned(),
            entry_point: "main",
            overrides: Vec::new(),
            label: "halofold.test".to_owned(),
        };
        let refused = compile(&device, &kernel("@compute @workgroup_size(1) fn main() { nothing(); }"));
        assert!(
            matches!(&refused, Err(MeasureError::Device(error)) if error.contains("nothing")),
            "{refused:?}"
        );
        compile(&device, &kernel("@compute @workgroup_size(1) fn main() {}")).unwrap();
    }
}
