//! Operations on a device.

use wgpu::Device;

use crate::gpu::error::{DataError, Error};
use crate::gpu::input::Input;
use crate::gpu::io::{InputsOf, ResultOf};
use crate::gpu::kernel::{Options, Pipeline, Pipelines};
use crate::gpu::operation::{Operation, Planned, Step};
use crate::gpu::range::Cut;
use crate::gpu::request::Request;
use crate::gpu::texels::Texels;

/// An operation on a device, over inputs of any length.
///
/// It keeps the device alive. It compiles each kernel when `bind` first needs it, or ahead of time in `compile`. It is `Send` and `Sync`. You may drop it once everything is bound.
#[derive(Clone, Debug)]
pub struct Compiled<O: Operation> {
    device: Device,
    operation: O,
    pub(crate) own: O::Own,
}

impl<O: Operation> Compiled<O> {
    /// Brings an operation to a device. This may allocate some hundred bytes. Nothing is compiled or submitted yet.
    ///
    /// # Errors
    ///
    /// The device lacks a feature, or has too low a limit; a setting is out of range.
    pub fn new(device: &Device, operation: O, options: &Options<'_>) -> Result<Self, Error> {
        let (operation, own) = operation.on(device, options)?;
        Ok(Compiled { device: device.clone(), operation, own })
    }

    /// Another operation on the same device.
    pub(crate) fn with(&self, operation: O, own: O::Own) -> Self {
        Compiled { device: self.device.clone(), operation, own }
    }

    /// The operation.
    pub fn operation(&self) -> &O {
        &self.operation
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<O: Planned> Compiled<O> {
    /// Compiles the kernels for rows or segments that are not compiled yet. It blocks; nothing is submitted.
    ///
    /// # Errors
    ///
    /// Rows or segments of an operation that has none.
    pub fn compile(&self, cut: Cut) -> Result<(), Error> {
        let operation = self.operation.clone().cut(cut)?;
        operation.steps().iter().for_each(|step| drop(self.kernel(&operation, step)));
        Ok(())
    }

    /// Describes the operation over all elements of its inputs: a buffer or a slice of one, or a struct that names several. Bytes after the last
    /// whole element are ignored.
    pub fn of<'b>(&self, inputs: impl InputsOf<'b, O>) -> Request<'_, 'b, O> {
        let (first, second) = inputs.inputs();
        Request::new(self, first, second)
    }

    /// Describes the operation over the texels of a texture, for an operation whose map takes texels.
    pub fn of_texels<'b>(&self, texels: impl Into<Texels<'b>>) -> Request<'_, 'b, O> {
        Request::new(self, Input::Texels(texels.into()), None)
    }

    /// Converts what the operation wrote to its outputs for the rows or segments of `len` elements: the bytes of all outputs, in the order of
    /// [`Plan::outputs`](crate::Plan::outputs), as [`read`](mod@crate::read) returns them.
    ///
    /// # Errors
    ///
    /// Results that are incomplete: [`Error::Data`]. Fewer bytes than the outputs have; numbers of another type than `T`'s; rows or segments of an
    /// operation that has none.
    pub fn results<T: ResultOf<O>>(&self, cut: Cut, len: u64, outputs: &[u8]) -> Result<Vec<T>, Error> {
        results(&self.operation.clone().cut(cut)?, len, outputs)
    }

    /// Returns a kernel of the operation as it is cut. It is compiled on first use.
    pub(super) fn kernel(&self, operation: &O, step: Step) -> Pipeline {
        let Pipelines { features, limits, .. } = &self.own;
        let key = (step, operation.variant(step, limits));
        self.own.get(key, || operation.kernel(step, *features, limits))
    }
}

/// Converts the bytes of all outputs for `len` elements.
pub(super) fn results<O: Planned, T: ResultOf<O>>(
    operation: &O,
    len: u64,
    mut outputs: &[u8],
) -> Result<Vec<T>, Error> {
    let sizes = operation.outputs(len).into_iter().map(|output| output.size);
    let (has, needed) = (outputs.len() as u64, sizes.clone().sum::<u64>());
    if has < needed {
        return Err(DataError::Format(format!("{has} bytes: the outputs have {needed}")).into());
    }
    let each: Vec<_> = sizes.filter_map(|size| outputs.split_off(..size as usize)).collect();
    T::results(operation, len, &each)
}
