//! Operations as plain values: what [`Compiled`](crate::Compiled) brings to a device.

use std::fmt::Debug;

use wgpu::{Buffer, BufferUsages, Device, Features, Limits, TextureSampleType};

use crate::element::Element;
use crate::gpu::data::{Data, Host};
use crate::gpu::error::Error;
use crate::gpu::io::Output;
use crate::gpu::kernel::{Driver, Kernel, Options, Pipelines};
use crate::gpu::limits::{LimitError, needs};
use crate::gpu::parameters::Parameters;
use crate::gpu::pass::Pass;
use crate::gpu::range::{BufferRange, Cut, Inputs};
use crate::gpu::workspace::{Place, Workspace};
use crate::gpu::{BufferError, TextureError, blocks, buffers, data, input};

/// An operation: a plain value without a device, which [`Compiled`](crate::Compiled) brings to one. The trait is sealed.
pub trait Operation: OnDevice {}

impl<O: OnDevice> Operation for O {}

/// What every operation has on a device.
pub trait OnDevice: Clone + Debug {
    /// Its kernels, and what else it has for all of its inputs.
    type Own: Debug;

    /// Checks that a device can run it, and returns it as it runs there.
    fn on(self, device: &Device, options: &Options<'_>) -> Result<(Self, Self::Own), Error>;
}

/// An operation over one input, or over two of one length, that is planned without a device. The trait is sealed.
pub trait Planned: Base {
    /// Composes all kernels for rows or segments on a device with these features and limits, for inspection.
    ///
    /// # Errors
    ///
    /// A setting is out of range; rows or segments of an operation that has none.
    fn kernels(&self, cut: Cut, features: Features, limits: &Limits) -> Result<Vec<Kernel>, Error> {
        self.check_settings()?;
        let operation = self.clone().cut(cut)?;
        Ok(operation.steps().iter().map(|step| operation.kernel(step, features, limits)).collect())
    }

    /// Plans the dispatches over the rows or segments of a range of a buffer and, if the operation takes two inputs, over as many elements of a
    /// second one, on a device with these limits. It is pure and needs no device.
    ///
    /// # Errors
    ///
    /// A setting is out of range; too many elements; an offset between two elements; rows or segments that are none, or of an operation that has
    /// none; a limit that is too low.
    fn plan(
        &self,
        cut: Cut,
        input: BufferRange,
        second: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Plan, Error> {
        self.check_settings()?;
        let is_needed = self.second_item().is_some();
        if second.is_some() != is_needed {
            return Err(BufferError::SecondInput { is_needed }.into());
        }
        input::check_cut(&cut, input.len)?;
        let operation = self.clone().cut(cut)?;
        let passes = operation.plan_over(Inputs { first: input, second }, limits)?;
        needs!(limits, max_buffer_size, blocks::offset(passes.len()))?;
        let (memory, outputs) = (operation.memory(input, limits)?, operation.outputs(input.len));
        Ok(Plan { passes, memory, outputs })
    }

    /// The same plan as data, with the kernels, for a host that runs it without this library.
    ///
    /// # Errors
    ///
    /// Those of [`Planned::plan`]; the device cannot run the operation; an operation over texels; a count that does not go with the operation.
    fn data(
        &self,
        cut: Cut,
        input: BufferRange,
        second: Option<BufferRange>,
        host: &Host,
    ) -> Result<Data, Error> {
        let Host { features, limits, .. } = host;
        self.check_settings()?;
        let mut operation = self.clone().on_driver(Host::DRIVER);
        operation.check_on(*features, limits)?;
        if self.sample().is_some() {
            return Err(TextureError::NoTexture.into());
        }
        if host.count.is_some() {
            operation = counted(operation, &cut)?;
        }
        let plan = operation.plan(cut.clone(), input, second, limits)?;
        let operation = operation.cut(cut)?;
        let inputs = Self::INPUTS[..1 + usize::from(second.is_some())].to_vec();
        let declared = operation.parameters().1;
        let most = input.len as u32;
        let planned =
            data::Planned { label: Self::LABEL.to_owned(), plan, inputs, vector: 16, declared, most };
        planned.data(host, &|step| Ok(operation.kernel(step, *features, limits)))
    }
}

impl<O: Base> Planned for O {}

/// Returns an operation for a count on the GPU.
pub(super) fn counted<O: Base>(operation: O, cut: &Cut) -> Result<O, Error> {
    let message = "a count on the GPU does not go with rows, segments, strides, scans in parts, nor quantiles between elements of 64 bits";
    let counted = operation.counted().filter(|_| *cut == Cut::All);
    counted.ok_or_else(|| Error::setting("count_buffer", message))
}

impl<O: Base> OnDevice for O {
    type Own = Pipelines<(Step, u32)>;

    fn on(self, device: &Device, options: &Options<'_>) -> Result<(Self, Self::Own), Error> {
        self.check_settings()?;
        let operation = self.on_driver(options.driver(device));
        let name = O::LABEL.trim_start_matches("halofold::").replace('_', " ");
        let features = options.features(device.features());
        operation.check_on(features, &device.limits()).map_err(|error| match error {
            Error::Limit(error) if error.subject.is_empty() => error.of(name).into(),
            other => other,
        })?;
        Ok((operation, Pipelines::new(device, *options)))
    }
}

/// The dispatches of an operation, and the memory that they take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan<S = Step> {
    /// The dispatches, in order. The list is empty if there is nothing to do.
    pub passes: Vec<Pass<S>>,
    /// The memory besides inputs and outputs.
    pub memory: Vec<Memory>,
    /// The outputs.
    pub outputs: Vec<Output>,
}

/// What tells a planned operation from others. [`Planned`] adds what all have in common.
pub trait Base: Clone + Debug {
    /// The label of its passes.
    const LABEL: &'static str;
    /// The names of its inputs.
    const INPUTS: [&'static str; 2] = ["input", "second input"];

    /// Returns this operation without what a driver does wrong or slowly.
    fn on_driver(self, _: Driver) -> Self {
        self
    }
    /// Returns this operation in rows or segments.
    fn cut(self, cut: Cut) -> Result<Self, Error> {
        let message =
            "the operation has neither rows nor segments: give it all elements, or the elements of one row";
        if cut == Cut::All { Ok(self) } else { Err(Error::setting("rows", message)) }
    }
    /// Checks the settings that no device decides on.
    fn check_settings(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Checks that a device can run it.
    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error>;
    /// All kernels that its plans may launch.
    fn steps(&self) -> Vec<Step>;
    /// Composes a kernel. Of its bindings, 0 is the input, 1 the output, 2 the parameters, 3 the input as vectors of 16 bytes, 5 and 6 the
    /// second input in the same two ways, 11 and on the second and further outputs; others are its [memory](Base::memory).
    fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel;
    /// A number that tells apart the kernels of one name for different rows or segments.
    fn variant(&self, _step: Step, _limits: &Limits) -> u32 {
        0
    }
    /// Memory that an operation over this input has for itself.
    fn memory(&self, _input: BufferRange, _limits: &Limits) -> Result<Vec<Memory>, Error> {
        Ok(Vec::new())
    }
    /// Bytes of an element of the input.
    fn item(&self) -> u64;
    /// The type of an element of the input, if what a map makes of texels may be one.
    fn element(&self) -> Option<Element> {
        None
    }
    /// Bytes of an element of the second input; `None` if there is none.
    fn second_item(&self) -> Option<u64> {
        None
    }
    /// The outputs for an input of `len` elements.
    fn outputs(&self, len: u64) -> Vec<Output>;
    /// Checks that its results mean something without outputs of the caller's.
    fn check_alone(&self) -> Result<(), Error> {
        Ok(())
    }
    /// The name of its operator, and the parameters that the operator's text declares.
    fn parameters(&self) -> (&str, Option<Parameters>) {
        (Self::LABEL, None)
    }
    /// The type of the samples that its map takes; `None` if it reads a buffer.
    fn sample(&self) -> Option<TextureSampleType> {
        None
    }
    /// Returns this operation for a count on the GPU, which is less than the elements that were planned; `None` if it takes no count.
    fn counted(self) -> Option<Self> {
        Some(self)
    }
    /// True if the order of the texels does not matter, for an operation that takes samples.
    fn takes_all(&self) -> bool {
        false
    }
    /// Plans the dispatches over its inputs, which have as many elements.
    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error>;
}

/// The name of a kernel, which tells it from the others of an operation in the same rows or segments.
pub(crate) type Step = &'static str;

/// A buffer of a bound operation's own, or of its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its binding; `None` if each pass names a part of it.
    pub slot: Option<u32>,
    /// Its size in bytes.
    pub size: u64,
    /// Its first words, if kernels only read them.
    pub contents: Vec<u32>,
    /// Where a workspace has it, if it matters what the memory holds before.
    place: Option<Place>,
}

impl Memory {
    /// Memory that kernels write first.
    pub(crate) fn scratch(slot: u32, size: u64) -> Self {
        Memory { slot: Some(slot), size, contents: Vec::new(), place: None }
    }

    /// Memory of zeros, which kernels leave behind as such.
    pub(crate) fn zeros(slot: u32, size: u64) -> Self {
        Memory { place: Some(Place::Zeros), ..Memory::scratch(slot, size) }
    }

    /// Memory of zeros that only one operation has: its kernels leave something for the next run.
    pub(crate) fn own_zeros(slot: u32, size: u64) -> Self {
        Memory { place: Some(Place::Own), ..Memory::scratch(slot, size) }
    }

    /// Memory with a head of tickets, for binding 4.
    pub(crate) fn tickets(slot: u32, size: u64) -> Self {
        Memory { place: Some(Place::Tickets), ..Memory::scratch(slot, size) }
    }

    /// Memory that kernels write first, of which each pass names a part.
    pub(crate) fn parts(size: u64) -> Self {
        Memory { slot: None, ..Memory::scratch(0, size) }
    }

    /// A list that kernels only read.
    pub(crate) fn list(slot: u32, contents: Vec<u32>) -> Self {
        let size = 4 * contents.len() as u64;
        Memory { contents, ..Memory::scratch(slot, size) }
    }

    /// Checks that a device can bind it. The error has its name, and a remedy if there is one.
    pub(crate) fn checked(
        self,
        limits: &Limits,
        name: &str,
        remedy: &'static str,
    ) -> Result<Self, LimitError> {
        LimitError::unless_bound(limits, self.size).map_err(|error| error.of(name).or(remedy))?;
        Ok(self)
    }

    /// Allocates it, or takes it from a workspace, where it is the buffer with a number.
    pub(super) fn buffer(
        &self,
        device: &Device,
        shared: Option<&Workspace>,
        nth: usize,
        label: &str,
    ) -> Buffer {
        if !self.contents.is_empty() {
            let contents = bytemuck::cast_slice(&self.contents);
            return buffers::filled(device, label, contents, BufferUsages::STORAGE);
        }
        let place = self.place.unwrap_or(Place::Any(nth));
        match shared.filter(|_| place != Place::Own) {
            Some(workspace) => workspace.buffer(place, label, self.size),
            None if place == Place::Own => buffers::storage(device, label, self.size, BufferUsages::COPY_SRC),
            None => buffers::scratch(device, label, self.size),
        }
    }
}
