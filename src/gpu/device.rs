//! Operations on a device.

#![allow(
    private_bounds,
    private_interfaces,
    reason = "configurations are types of this crate; users name an operation on a device, not the trait"
)]

use std::fmt::Debug;

use wgpu::{Buffer, BufferUsages, Device, Limits, TextureSampleType};

use crate::gpu::buffers;
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::kernel::{Kernel, Options, Pipeline, Pipelines};
use crate::gpu::pass::Pass;
use crate::gpu::range::BufferRange;
use crate::gpu::request::Request;
use crate::gpu::slice::Slice;
use crate::gpu::texels::Texels;

/// An operation that reads a buffer or a texture and writes a buffer, as a configuration: what tells it from others. [`Compiled`] and
/// [`Request`] do everything else.
pub trait Operation: Clone + Debug {
    /// The label of its passes.
    const LABEL: &'static str;
    /// A value of the output.
    type Value;

    /// Returns this operation without atomic additions in workgroup memory.
    fn counting_in_storage(self) -> Self {
        self
    }
    /// Checks that a device can run it.
    fn check_on(&self, device: &Device) -> Result<(), Error>;
    /// The contents of the buffer for bindings of its own, which kernels only read.
    fn table(&self) -> Vec<u32> {
        vec![0]
    }
    /// All kernels that its plans may launch.
    fn steps(&self) -> &'static [Step];
    /// Composes a kernel. Of its bindings, 0 is the input, 1 the output, 2 the parameters, 3 the input as vectors of 16 bytes, 5 and 6 the
    /// second input in the same two ways, 11 and on the second and further outputs, and some may be its [memory](Operation::memory);
    /// others are the [table](Operation::table).
    fn kernel(&self, step: Step, device: &Device) -> Kernel;
    /// Memory that an operation over this input has for itself.
    fn memory(&self, _input: BufferRange, _limits: &Limits) -> Result<Vec<Memory>, Error> {
        Ok(Vec::new())
    }
    /// Bytes of an element of the input.
    fn item(&self) -> u64;
    /// Bytes of an element of the second input; `None` if there is none.
    fn second_item(&self) -> Option<u64> {
        None
    }
    /// Bytes of the output of so many elements.
    fn output(&self, len: u64) -> u64;
    /// Bytes of each output, if there are several: whole words.
    fn outputs(&self, len: u64) -> Vec<u64> {
        vec![self.output(len)]
    }
    /// Checks that its results mean something without outputs of the caller's.
    fn check_alone(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Checks the bytes of the output: errors that only the device finds.
    fn check_results(&self, _len: u64, _output: &[u8]) -> Result<(), Error> {
        Ok(())
    }
    /// The values in the bytes of the output of so many elements; several outputs lie one after the other.
    fn values(&self, len: u64, output: &[u8]) -> Vec<Self::Value>;
    /// The type of the samples that its map takes; `None` if it reads a buffer.
    fn sample(&self) -> Option<TextureSampleType> {
        None
    }
    /// True if the order of the elements does not matter.
    fn takes_all(&self) -> bool {
        true
    }
    /// Plans the dispatches over an input and, if it takes two, the second one, which has as many elements.
    fn plan_over(
        &self,
        input: BufferRange,
        second: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error>;
}

/// The name of a kernel, which tells it from the others of an operation.
pub(crate) type Step = &'static str;

/// A buffer of a prepared operation's own.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Its binding.
    pub(crate) slot: u32,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// Its first words, if kernels only read them.
    pub(crate) contents: Vec<u32>,
}

impl Memory {
    /// Allocates it.
    pub(super) fn buffer(&self, device: &Device, label: &str) -> Buffer {
        if self.contents.is_empty() {
            return buffers::scratch(device, label, self.size);
        }
        buffers::filled(device, label, bytemuck::cast_slice(&self.contents), BufferUsages::STORAGE)
    }
}

/// An operation on a device, over inputs of any length.
///
/// It keeps the device alive. It compiles each kernel when [`Request::into`] first needs it, or ahead of time in
/// [`Compiled::compile`]. It is `Send` and `Sync`. You may drop it once everything is prepared.
#[derive(Debug)]
pub struct Compiled<C: Operation> {
    config: C,
    pub(super) pipelines: Pipelines<Step>,
    pub(super) table: Buffer,
    /// Bound to an input that is empty or, as vectors, too short.
    pub(super) nothing: Buffer,
}

impl<C: Operation> Compiled<C> {
    /// Makes an operation from its configuration, with options. This allocates a buffer of 128 bytes, and one of the operation's own.
    /// Nothing is compiled or submitted yet.
    ///
    /// # Errors
    ///
    /// The configuration is wrong, or the device does not support it.
    pub fn with_config(device: &Device, config: C, options: Options<'_>) -> Result<Self, Error> {
        let may_count = options.may_count_in_workgroups(device);
        let config = if may_count { config } else { config.counting_in_storage() };
        config.check_on(device)?;
        let table = config.table();
        Ok(Compiled {
            pipelines: Pipelines::new(device, options),
            table: buffers::filled(device, C::LABEL, bytemuck::cast_slice(&table), BufferUsages::STORAGE),
            nothing: buffers::scratch(device, C::LABEL, 0),
            config,
        })
    }

    /// Compiles the kernels that are not compiled yet. It blocks; nothing is submitted.
    pub fn compile(&self) {
        self.config.steps().iter().for_each(|step| drop(self.kernel(step)));
    }

    /// The config that it was made from.
    pub fn config(&self) -> &C {
        &self.config
    }

    /// Plans the dispatches over the elements of one range of a buffer, in order. The list is empty if there is nothing to do. Of two inputs,
    /// [`Request::plan`] takes both.
    ///
    /// # Errors
    ///
    /// See the configuration's own planning.
    pub fn plan(&self, input: BufferRange) -> Result<Vec<Pass>, Error> {
        self.config.plan_over(input, None, &self.pipelines.limits)
    }

    /// Describes the operation over all elements of a buffer or of a slice of one. Bytes after the last whole element are ignored.
    pub fn of<'b>(&self, elements: impl Into<Slice<'b>>) -> Request<'_, 'b, C> {
        Request::new(self, Input::Buffer(elements.into()))
    }

    /// Describes the operation over the texels of a texture, for a configuration whose map takes texels.
    pub fn of_texels<'b>(&self, texels: impl Into<Texels<'b>>) -> Request<'_, 'b, C> {
        Request::new(self, Input::Texels(texels.into()))
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.pipelines.device
    }

    /// Returns a kernel, which is compiled on first use.
    pub(super) fn kernel(&self, step: Step) -> Pipeline {
        self.pipelines.get(step, || self.config.kernel(step, self.device()))
    }
}
