//! Error scopes of wgpu around work on a device.

use halofold::wgpu::{self, Device};

use crate::error::WorkerError;

/// Runs work, and returns with its result what wgpu found fault with meanwhile: memory that ran out before anything else, as it has
/// other faults in its wake, about buffers that are not there. Only what this thread does is watched.
pub fn faults_of<T>(device: &Device, work: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
    let scopes = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let result = work();
    // Scopes are a stack: the last one pushed is popped first.
    let errors = scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop()));
    let mut errors: Vec<_> = errors.collect();
    // Stable, so that of others the first one stays in front.
    errors.sort_by_key(|error| !matches!(error, wgpu::Error::OutOfMemory { .. }));
    (result, errors.into_iter().next())
}

/// Runs work, and returns what wgpu found fault with as an error: too little memory, or a lost device. It comes before what the work itself says.
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
