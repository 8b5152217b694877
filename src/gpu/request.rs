//! Requests: an operation over a buffer, from the description to its results.

use wgpu::{Buffer, BufferUsages, Queue};

use crate::gpu::bind::{Given, Reads};
use crate::gpu::buffers::BufferError;
use crate::gpu::compiled::{Compiled, results};
use crate::gpu::error::Error;
use crate::gpu::input::{self, Input};
use crate::gpu::launch::Bound;
use crate::gpu::operation::{Plan, Planned};
use crate::gpu::parameters;
use crate::gpu::range::BufferRange;
use crate::gpu::slice::Slice;
use crate::gpu::workspace::Workspace;
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
        self.cut(elements)
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
    fn cut(&self, mut elements: BufferRange) -> Result<BufferRange, Error> {
        self.len.map_or(Ok(()), |len| input::cut(std::slice::from_mut(&mut elements), len))?;
        Ok(elements)
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
        let operation = self.operation.operation();
        let (operator, declared) = operation.parameters();
        let second = self.second.map(|second| Reads::elements("second input", Input::Buffer(second)));
        let given = Given {
            inputs: [Reads::elements("input", self.input)].into_iter().chain(second).collect(),
            outputs: outputs.into_iter().map(Into::into).collect(),
            parameters: parameters::pair(operator, declared, self.parameters)?,
            count: None,
            workspace: self.workspace,
            sample: operation.sample(),
            in_any_order: self.len.is_none() && operation.takes_all(),
            vector: 16,
        };
        given.bind(O::LABEL, plan, &self.operation.own, |step| Ok(self.operation.kernel(step)))
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
