//! Operations on a device.

use wgpu::{Buffer, BufferUsages, Device};

use crate::gpu::buffers;
use crate::gpu::error::{DataError, Error};
use crate::gpu::input::Input;
use crate::gpu::kernel::{Options, Pipeline, Pipelines};
use crate::gpu::operation::{Operation, Step};
use crate::gpu::request::Request;
use crate::gpu::slice::Slice;
use crate::gpu::texels::Texels;

/// An operation on a device, over inputs of any length.
///
/// It keeps the device alive. It compiles each kernel when [`Request::into`] first needs it, or ahead of time in
/// [`Compiled::compile`]. It is `Send` and `Sync`. You may drop it once everything is bound.
#[derive(Debug)]
pub struct Compiled<O: Operation> {
    operation: O,
    pub(super) pipelines: Pipelines<Step>,
    pub(super) table: Buffer,
    /// Bound to an input that is empty or, as vectors, too short.
    pub(super) nothing: Buffer,
}

impl<O: Operation> Compiled<O> {
    /// Brings an operation to a device. This allocates a buffer of 128 bytes, and one of the operation's own. Nothing is compiled or
    /// submitted yet.
    ///
    /// # Errors
    ///
    /// The device lacks a feature, or has too low a limit; a setting is out of range.
    pub fn new(device: &Device, operation: O, options: &Options<'_>) -> Result<Self, Error> {
        let may_count = options.may_count_in_workgroups(device);
        let operation = if may_count { operation } else { operation.counting_in_storage() };
        let name = O::LABEL.trim_start_matches("halofold::").replace('_', " ");
        operation.check_on(device.features(), &device.limits()).map_err(|error| error.of(&name))?;
        let table = operation.table();
        Ok(Compiled {
            pipelines: Pipelines::new(device, *options),
            table: buffers::filled(device, O::LABEL, bytemuck::cast_slice(&table), BufferUsages::STORAGE),
            nothing: buffers::scratch(device, O::LABEL, 0),
            operation,
        })
    }

    /// Compiles the kernels that are not compiled yet. It blocks; nothing is submitted.
    pub fn compile(&self) {
        self.operation.steps().iter().for_each(|step| drop(self.kernel(step)));
    }

    /// The operation.
    pub fn operation(&self) -> &O {
        &self.operation
    }

    /// Describes the operation over all elements of a buffer or of a slice of one. Bytes after the last whole element are ignored.
    pub fn of<'b>(&self, elements: impl Into<Slice<'b>>) -> Request<'_, 'b, O> {
        Request::new(self, Input::Buffer(elements.into()))
    }

    /// Describes the operation over the texels of a texture, for an operation whose map takes texels.
    pub fn of_texels<'b>(&self, texels: impl Into<Texels<'b>>) -> Request<'_, 'b, O> {
        Request::new(self, Input::Texels(texels.into()))
    }

    /// Converts what the operation wrote to its outputs for `len` elements, one after the other, as [`read`](mod@crate::read) returns
    /// their bytes.
    ///
    /// # Errors
    ///
    /// Results that are incomplete: [`Error::Data`]. Fewer bytes than the outputs have.
    pub fn results(&self, len: u64, outputs: &[u8]) -> Result<Vec<O::Value>, Error> {
        results(&self.operation, len, outputs)
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.pipelines.device
    }

    /// Returns a kernel, which is compiled on first use.
    pub(super) fn kernel(&self, step: Step) -> Pipeline {
        let (features, limits) = (self.device().features(), &self.pipelines.limits);
        self.pipelines.get(step, || self.operation.kernel(step, features, limits))
    }
}

/// Converts the bytes of all outputs for `len` elements.
pub(super) fn results<O: Operation>(operation: &O, len: u64, outputs: &[u8]) -> Result<Vec<O::Value>, Error> {
    let (has, needed) = (outputs.len() as u64, operation.outputs(len).iter().sum::<u64>());
    if has < needed {
        return Err(DataError::Format(format!("{has} bytes: the outputs have {needed}")).into());
    }
    let outputs = &outputs[..needed as usize];
    operation.check_results(len, outputs)?;
    Ok(operation.values(len, outputs))
}
