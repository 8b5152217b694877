//! wgpu error scopes around work on a device.

use halofold::wgpu::{self, Device};

use crate::error::WorkerError;

/// Runs `work` and returns its result with the first wgpu error. An out-of-memory error comes first, because later errors follow from
/// it. Only calls on this thread are watched.
pub fn faults_of<T>(device: &Device, work: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
    let scopes = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let result = work();
    // Scopes form a stack: the last one pushed is popped first.
    let errors = scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop()));
    let mut errors: Vec<_> = errors.collect();
    // The sort is stable, so other errors keep their order.
    errors.sort_by_key(|error| !matches!(error, wgpu::Error::OutOfMemory { .. }));
    (result, errors.into_iter().next())
}

/// Runs `work` and returns wgpu's errors (out of memory, device lost) before an error of `work` itself.
pub(crate) fn in_error_scopes<T>(
    device: &Device,
    work: impl FnOnce() -> Result<T, WorkerError>,
) -> Result<T, WorkerError> {
    match faults_of(device, work) {
        (_, Some(wgpu::Error::OutOfMemory { .. })) => Err(WorkerError::Memory),
        (_, Some(error)) => Err(WorkerError::Device(error.to_string())),
        (result, None) => result,
    }
}
