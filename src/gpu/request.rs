//! Requests: an operation over a buffer, from the description to its results.

use wgpu::{BufferUsages, Queue};

use crate::gpu::bind::{Given, Reads};
use crate::gpu::buffers::{self, BufferError};
use crate::gpu::compiled::{Compiled, results};
use crate::gpu::error::Error;
use crate::gpu::input::{self, Input};
use crate::gpu::io::{NewOutputs, Output, OutputsOf, ResultOf};
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
    count: Option<Slice<'b>>,
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
    pub(crate) fn new(operation: &'o Compiled<O>, input: Input<'b>, second: Option<Slice<'b>>) -> Self {
        Request { operation, input, second, parameters: None, count: None, len: None, workspace: None }
    }

    /// Sets the buffer with the parameters that the text of a scan's operator, of a selection or of a [`Map`](crate::Map) declares. Its contents
    /// may change from one submission to the next; nothing is compiled or bound again.
    pub fn with_parameters<'s: 'b>(self, parameters: impl Into<Slice<'s>>) -> Self {
        Request { parameters: Some(parameters.into()), ..self }
    }

    /// Takes only the first `n` elements, for a buffer with more room than data. With `len(0)` any buffer is an
    /// empty input. If the input has fewer elements, the last step returns [`BufferError::TooFew`].
    pub fn len(self, n: u64) -> Self {
        Request { len: Some(n), ..self }
    }

    /// Takes only the first `n` elements, where `n` is a count on the GPU, a `u32` at a multiple of 4 bytes. An earlier dispatch may have written
    /// it, even in the same pass. If it exceeds the length of the input, all elements are taken. It costs one dispatch more, for which the others
    /// wait. What a scan writes behind the first `n` elements means nothing.
    ///
    /// This is for every operation, but not for rows and segments, histograms with a stride, scans in parts, and quantiles between elements of 64
    /// bits. A quantile may then differ in its last bit from that of as many elements on the host.
    pub fn count_buffer<'s: 'b>(self, count: impl Into<Slice<'s>>) -> Self {
        Request { count: Some(count.into()), ..self }
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
        let operation = self.operation.operation();
        let limits = &self.operation.own.limits;
        if self.count.is_none() {
            return operation.plan(elements, second, limits);
        }
        if !operation.takes_count() {
            let message = "a count on the GPU does not go with rows, segments, strides, scans in parts, nor quantiles between elements of 64 bits";
            return Err(Error::setting("count_buffer", message));
        }
        operation.clone().counted().plan(elements, second, limits)
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
    ///   input and output; an output is missing.
    pub fn bind<'s>(self, outputs: impl OutputsOf<'s, O>) -> Result<Bound, Error> {
        let plan = self.plan()?;
        self.bound(&plan, outputs.slices(self.operation.operation())?)
    }

    /// Binds the buffers as [`Request::bind`] does, with new outputs of just the sizes that are needed: they have
    /// [`wgpu::BufferUsages::STORAGE`] and these usages.
    ///
    /// # Errors
    ///
    /// See [`Request::bind`].
    pub fn bind_new(self, usage: BufferUsages) -> Result<(Bound, NewOutputs), Error> {
        let plan = self.plan()?;
        let make = |output: &Output| {
            let buffer = self.operation.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some(O::LABEL),
                size: output.size.max(4),
                usage: usage | BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            (output.name, buffer)
        };
        let outputs = NewOutputs::new(plan.outputs.iter().map(make));
        let bound = self.bound(&plan, outputs.iter().map(|(_, buffer)| Some(buffer.into())).collect())?;
        Ok((bound, outputs))
    }

    /// Binds outputs in the order of the plan's. What the caller does not need is written to memory of the operation's own.
    fn bound<'s>(self, plan: &Plan, outputs: Vec<Option<Slice<'s>>>) -> Result<Bound, Error> {
        if let Some(Output { name, .. }) = plan.outputs.get(outputs.len()) {
            return Err(BufferError::Output { name, is_needed: true }.into());
        }
        let operation = self.operation.operation();
        let most = |count| Ok::<_, Error>((count, self.elements()?.len as u32));
        let unneeded = |(given, output): (&Option<Slice<'s>>, &Output)| match given {
            Some(_) => None,
            None => Some(buffers::scratch(self.operation.device(), O::LABEL, output.size)),
        };
        let own: Vec<_> = outputs.iter().zip(&plan.outputs).map(unneeded).collect();
        let given = outputs.into_iter().zip(&own);
        let outputs = given.filter_map(|(given, own)| given.or(own.as_ref().map(Slice::from)));
        let (operator, declared) = operation.parameters();
        let second = self.second.map(|second| Reads::elements(O::INPUTS[1], Input::Buffer(second)));
        let given = Given {
            inputs: [Reads::elements(O::INPUTS[0], self.input)].into_iter().chain(second).collect(),
            outputs: outputs.collect(),
            parameters: parameters::pair(operator, declared, self.parameters)?,
            count: self.count.map(most).transpose()?,
            workspace: self.workspace,
            sample: operation.sample(),
            in_any_order: self.len.is_none() && self.count.is_none() && operation.takes_all(),
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
    pub fn run<T: ResultOf<O>>(self, queue: &Queue) -> Result<Vec<T>, Error> {
        let Submitted { len, size, outputs } = self.submit(queue)?;
        self.operation.results(len, &outputs.wait(size)?)
    }

    /// Returns the results without blocking. It records and submits at once. The future completes when the work
    /// is done and something else has polled the device; in a browser it completes without polling.
    ///
    /// # Errors
    ///
    /// See [`Request::run`].
    pub fn run_async<T: ResultOf<O>>(
        self,
        queue: &Queue,
    ) -> impl Future<Output = Result<Vec<T>, Error>> + use<O, T> {
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
        let sizes: Vec<_> = plan.outputs.iter().map(|output| output.size).collect();
        let outputs = read::submit_each((device, queue), &sizes, |outputs, encoder| {
            let outputs = outputs.iter().map(|output| Some(output.into())).collect();
            self.bound(&plan, outputs)?.encode(encoder);
            Ok::<_, Error>(())
        })?;
        Ok(Submitted { len, size: sizes.iter().sum(), outputs })
    }
}

/// A submitted operation: the number of its elements, the bytes of its outputs, and the outputs.
struct Submitted {
    len: u64,
    size: u64,
    outputs: Readback,
}
