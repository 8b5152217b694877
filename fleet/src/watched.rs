//! Work during which wgpu may find fault with something.

use halofold::wgpu::{self, Device};

use crate::error::WorkerError;

/// Runs work during which wgpu may find fault with something: memory, or a lost device. A fault comes before what the work itself says.
/// Only what this thread does is watched.
pub(crate) fn watched<T>(
    device: &Device,
    work: impl FnOnce() -> Result<T, WorkerError>,
) -> Result<T, WorkerError> {
    let scopes = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let result = work();
    // Scopes are a stack: the last one pushed is popped first.
    let errors: Vec<_> =
        scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop())).collect();
    // Memory that ran out has others in its wake, about buffers that are not there.
    if errors.iter().any(|error| matches!(error, wgpu::Error::OutOfMemory { .. })) {
        return Err(WorkerError::Memory);
    }
    match errors.first() {
        Some(error) => Err(WorkerError::Device(error.to_string())),
        None => result,
    }
}
