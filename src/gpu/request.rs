//! Requests: an operation over a buffer, from the description to its results.

use wgpu::{Buffer, BufferUsages, Queue};

use crate::gpu::blocks::{self, Blocks};
use crate::gpu::buffers::{self, BufferError, Use, slice};
use crate::gpu::compiled::{Compiled, results};
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::kernel::{PARAMETERS, Pipelines};
use crate::gpu::launch::Bound;
use crate::gpu::operation::{Memory, Plan, Planned};
use crate::gpu::outputs::Outputs;
use crate::gpu::parameters;
use crate::gpu::pass::Pass;
use crate::gpu::range::{BufferRange, ByteRange};
use crate::gpu::slice::Slice;
use crate::gpu::texels::Order;
use crate::gpu::workspace::{Source, Workspace};
use crate::read::{self, Readback};

/// The description of an operation over a buffer or a texture. One of [`bind`](Request::bind), [`run`](Request::run),
/// [`run_async`](Request::run_async) and [`plan`](Request::plan) ends it. It borrows the operation (`'o`) and the buffer
/// (`'b`), each for its own time.
#[derive(Debug)]
#[must_use = "nothing is recorded before `bind`, `run` or `run_async`"]
pub struct Request<'o, 'b, O: Planned> {
    operation: &'o Compiled<O>,
    input: Input<'b>,
    second: Option<Slice<'b>>,
    parameters: Option<Slice<'b>>,
    len: Option<u64>,
    workspace: Option<&'b Workspace>,
}

impl<O: Planned> Clone for Request<'_, '_, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Planned> Copy for Request<'_, '_, O> {}

impl<'o, 'b, O: Planned> Request<'o, 'b, O> {
    pub(crate) fn new(operation: &'o Compiled<O>, input: Input<'b>) -> Self {
        Request { operation, input, second: None, parameters: None, len: None, workspace: None }
    }

    /// Sets the second input of an operation that takes two. It must have as many elements as the first one, and may be the same buffer.
    pub fn with<'s: 'b>(self, second: impl Into<Slice<'s>>) -> Self {
        Request { second: Some(second.into()), ..self }
    }

    /// Sets the buffer with the parameters that the text of a scan's operator or of a selection declares. Its contents may change from
    /// one submission to the next; nothing is compiled or bound again.
    pub fn with_parameters<'s: 'b>(self, parameters: impl Into<Slice<'s>>) -> Self {
        Request { parameters: Some(parameters.into()), ..self }
    }

    /// Takes only the first `n` elements, for a buffer with more room than data. With `len(0)` any buffer is an
    /// empty input. If the input has fewer elements, the last step returns [`BufferError::TooFew`].
    pub fn len(self, n: u64) -> Self {
        Request { len: Some(n), ..self }
    }

    /// Uses scratch memory that other operations may share. Without this call the bound operation allocates its own.
    pub fn workspace(self, workspace: &'b Workspace) -> Self {
        Request { workspace: Some(workspace), ..self }
    }

    /// Plans the dispatches, in order.
    ///
    /// # Errors
    ///
    /// [`BufferError`], and the errors of [`Planned::plan`].
    pub fn plan(&self) -> Result<Plan, Error> {
        let (elements, second) = (self.elements()?, self.second_elements()?);
        self.operation.operation().plan(elements, second, &self.operation.own.limits)
    }

    /// The elements that it takes.
    fn elements(&self) -> Result<BufferRange, Error> {
        let config = self.operation.operation();
        let elements = self.input.extent(config.item(), config.sample(), self.operation.device())?;
        Ok(self.cut(elements)?)
    }

    /// The elements that it takes of the second input, as many as of the first.
    fn second_elements(&self) -> Result<Option<BufferRange>, Error> {
        let (second, size) = match (self.second, self.operation.operation().second_item()) {
            (Some(second), Some(size)) => (second, size),
            (None, None) => return Ok(None),
            (_, size) => return Err(BufferError::SecondInput { is_needed: size.is_some() }.into()),
        };
        let elements = self.cut(BufferRange { offset: second.offset(), len: second.size() / size })?;
        let (first, second) = (self.elements()?.len, elements.len);
        if first == second { Ok(Some(elements)) } else { Err(BufferError::Lengths { first, second }.into()) }
    }

    /// The first elements of an input, as many as were asked for.
    fn cut(&self, elements: BufferRange) -> Result<BufferRange, BufferError> {
        let (asked, has) = (self.len.unwrap_or(elements.len), elements.len);
        if asked > has {
            Err(BufferError::TooFew { asked, has })
        } else {
            Ok(BufferRange { len: asked, ..elements })
        }
    }

    /// Binds the buffers, once, and returns an operation that can be recorded any number of times.
    ///
    /// This call compiles the kernels that are not compiled yet. It allocates one small uniform buffer, and a bind
    /// group per dispatch. Nothing is submitted, and no buffer is read or written yet.
    ///
    /// # Errors
    ///
    /// - The errors of [`Request::plan`].
    /// - A buffer is too short, lacks [`wgpu::BufferUsages::STORAGE`], starts at an invalid offset, or is both
    ///   input and output.
    pub fn bind<'s>(self, output: impl Into<Slice<'s>>) -> Result<Bound, Error> {
        self.bind_each([output])
    }

    /// Binds the buffers as [`Request::bind`] does, with an output for each array of an operation that writes several. Each
    /// lies in a buffer of its own.
    ///
    /// # Errors
    ///
    /// - The errors of [`Request::bind`].
    /// - [`BufferError::Outputs`]: another number of outputs than the operation writes arrays.
    pub fn bind_each<'s, S: Into<Slice<'s>>>(
        self,
        outputs: impl IntoIterator<Item = S>,
    ) -> Result<Bound, Error> {
        let plan = self.plan()?;
        self.bound(&plan, outputs)
    }

    /// Binds the buffers as [`Request::bind_each`] does, with new outputs of just the sizes that are needed: they have
    /// [`wgpu::BufferUsages::STORAGE`] and these usages.
    ///
    /// # Errors
    ///
    /// See [`Request::bind`].
    pub fn bind_new(self, usage: BufferUsages) -> Result<(Bound, Vec<Buffer>), Error> {
        let plan = self.plan()?;
        let make = |size: &u64| {
            self.operation.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some(O::LABEL),
                size: (*size).max(4),
                usage: usage | BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        let outputs: Vec<_> = plan.outputs.iter().map(make).collect();
        Ok((self.bound(&plan, &outputs)?, outputs))
    }

    fn bound<'s, S: Into<Slice<'s>>>(
        self,
        plan: &Plan,
        outputs: impl IntoIterator<Item = S>,
    ) -> Result<Bound, Error> {
        let outputs = Outputs::new(outputs.into_iter().map(Into::into), &plan.outputs)?;
        let Pipelines { device, limits, .. } = &self.operation.own;
        let input = self.input.slice();
        let reads = [("input", input), ("second input", self.second)];
        let reads: Vec<_> = reads
            .iter()
            .filter_map(|(role, slice)| slice.map(|slice| Use::of(role, slice, slice.size())))
            .collect();
        buffers::check(&reads, &outputs.uses(), limits)?;
        let (operator, declared) = self.operation.operation().parameters();
        let own_params = parameters::pair(operator, declared, self.parameters)?;
        if let Some((declared, given)) = own_params {
            declared.check(given, &outputs.uses(), limits)?;
        }
        let texels = self.input.bind(device, self.operation.operation().sample(), self.order());
        let source = Source::new(device, self.workspace)?;
        let own = |(nth, own): (usize, &Memory)| {
            let buffer = own.buffer(device, &source, nth, O::LABEL);
            // A shared buffer may be larger than any binding.
            (own.slot, own.size.max(buffers::LEAST).min(buffer.size()), buffer)
        };
        let own: Vec<_> = plan.memory.iter().enumerate().map(own).collect();
        let mut blocks = Blocks::default();
        for pass in &plan.passes {
            blocks.add_bytes(bytemuck::cast_slice(pass.words()));
        }
        let params = blocks.buffer(device, O::LABEL, BufferUsages::UNIFORM);
        let window = |bytes: Option<ByteRange>, input: Option<Slice<'b>>, least| match (bytes, input) {
            (Some(bytes), Some(input)) if bytes.size >= least => {
                slice(input.buffer(), bytes.offset, bytes.size)
            }
            _ => self.operation.own.nothing().as_entire_binding(),
        };
        let dispatch = |(index, pass): (usize, &Pass)| {
            self.operation.kernel(pass.step).dispatch(device, O::LABEL, pass.grid, |slot| {
                if let Some((declared, given)) = own_params.filter(|(declared, _)| declared.slot == slot) {
                    return declared.resource(given);
                }
                match (slot, &texels) {
                    (0 | 3, Some(texels)) => texels.resource(slot),
                    (0, None) => window(pass.from, input, 0),
                    // A window that is shorter than a vector is never read as vectors.
                    (3, None) => window(pass.from, input, 16),
                    (5, _) if self.second.is_some() => window(pass.second, self.second, 0),
                    (6, _) if self.second.is_some() => window(pass.second, self.second, 16),
                    (PARAMETERS, _) => {
                        slice(&params, blocks::offset(index), size_of_val(pass.words()) as u64)
                    }
                    _ => outputs.resource(slot, pass.to).unwrap_or_else(|| {
                        match own.iter().find(|(own, ..)| *own == slot) {
                            Some((_, size, buffer)) => slice(buffer, 0, *size),
                            None => self.operation.own.nothing().as_entire_binding(),
                        }
                    }),
                }
            })
        };
        let dispatches = plan.passes.iter().enumerate().map(dispatch).collect();
        Ok(Bound::new(dispatches, O::LABEL))
    }

    /// Records, submits, waits, and returns the results. This is for tools and tests. In a browser only
    /// [`Request::run_async`] works.
    ///
    /// # Errors
    ///
    /// - The errors of [`Request::bind`].
    /// - The device is lost.
    pub fn run(self, queue: &Queue) -> Result<Vec<O::Value>, Error> {
        let Submitted { len, size, outputs } = self.submit(queue)?;
        self.operation.results(len, &outputs.wait(size)?)
    }

    /// Returns the results without blocking. It records and submits at once. The future completes when the work
    /// is done and something else has polled the device; in a browser it completes without polling.
    ///
    /// # Errors
    ///
    /// See [`Request::run`].
    pub fn run_async(self, queue: &Queue) -> impl Future<Output = Result<Vec<O::Value>, Error>> + use<O> {
        let operation = self.operation.operation().clone();
        let begun = self.submit(queue);
        let begun = begun.map(|Submitted { len, size, outputs }| (len, outputs.read(size)));
        async move {
            let (len, outputs) = begun?;
            results(&operation, len, &outputs.await?)
        }
    }

    /// The order in which texels are counted. Only if all are, it does not matter.
    fn order(&self) -> Order {
        if self.len.is_none() && self.operation.operation().takes_all() { Order::Strips } else { Order::Rows }
    }

    /// Submits it with outputs of its own.
    fn submit(self, queue: &Queue) -> Result<Submitted, Error> {
        self.operation.operation().check_alone()?;
        let (plan, len) = (self.plan()?, self.elements()?.len);
        let device = self.operation.device();
        let outputs = read::submit_each((device, queue), &plan.outputs, |outputs, encoder| {
            self.bound(&plan, outputs)?.encode(encoder);
            Ok::<_, Error>(())
        })?;
        Ok(Submitted { len, size: plan.outputs.iter().sum(), outputs })
    }
}

/// A submitted operation: the number of its elements, the bytes of its outputs, and the outputs.
struct Submitted {
    len: u64,
    size: u64,
    outputs: Readback,
}
