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
use crate::gpu::range::{BufferRange, Cut};
use crate::gpu::slice::Slice;
use crate::gpu::workspace::Workspace;
use crate::read::{self, Readback};

/// The description of an operation over a buffer or a texture. One of [`bind`](Request::bind), [`run`](Request::run),
/// [`run_async`](Request::run_async) and [`plan`](Request::plan) ends it. It borrows the operation (`'o`) and the buffer
/// (`'b`), each for its own time.
#[derive(Clone, Debug)]
#[must_use = "nothing is recorded before `bind`, `run` or `run_async`"]
pub struct Request<'o, 'b, O: Planned> {
    compiled: &'o Compiled<O>,
    input: Input<'b>,
    second: Option<Slice<'b>>,
    cut: Cut,
    parameters: Option<Slice<'b>>,
    count: Option<Slice<'b>>,
    len: Option<u64>,
    workspace: Option<&'b Workspace>,
}

impl<'o, 'b, O: Planned> Request<'o, 'b, O> {
    pub(crate) fn new(compiled: &'o Compiled<O>, input: Input<'b>, second: Option<Slice<'b>>) -> Self {
        let cut = Cut::All;
        Request { compiled, input, second, cut, parameters: None, count: None, len: None, workspace: None }
    }

    /// Takes rows of `len` elements, each of which begins anew, for [`Quantiles`](crate::rank::Quantiles), [`TopK`](crate::rank::TopK) and
    /// [`Scan`](crate::scan::Scan). For most other lengths of rows nothing is compiled again.
    pub fn rows(self, len: u64) -> Self {
        self.cut(Cut::Rows(len))
    }

    /// Takes segments between offsets, which ascend and count elements from the start of the input, for the operations of [`Request::rows`].
    ///
    /// Segment `i` has the elements from `offsets[i]` up to, but not including, `offsets[i + 1]`. Segments may have any lengths, and no elements.
    /// What comes before the first offset or after the last is in none. The output has as many results of each segment, whatever its length.
    /// `run` of [`TopK`](crate::rank::TopK) leaves out places without an element: its results are split by min(k, length) of each segment.
    ///
    /// The prefixes of a [`Scan`](crate::scan::Scan) begin anew at each offset. What comes before the first one is a segment, too, and what comes
    /// after the last. Offsets beyond the input begin none, and equal ones begin the same.
    pub fn segment_offsets(self, offsets: &[u32]) -> Self {
        self.cut(Cut::Segments(offsets.into()))
    }

    /// Sets the rows or segments, for code that has them as a value.
    pub fn cut(self, cut: Cut) -> Self {
        Request { cut, ..self }
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
        Ok(self.planned()?.1)
    }

    /// The operation in the rows or segments and for the count of this request, and its plan.
    fn planned(&self) -> Result<(O, Plan), Error> {
        let operation = self.compiled.operation().clone();
        let message = "a count on the GPU does not go with rows, segments, strides, scans in parts, nor quantiles between elements of 64 bits";
        let no_count = || Error::setting("count_buffer", message);
        let operation = match self.count {
            None => operation,
            Some(_) => operation.counted().filter(|_| self.cut == Cut::All).ok_or_else(no_count)?,
        };
        let (first, second, limits) = (self.elements()?, self.second_elements()?, &self.compiled.own.limits);
        let plan = operation.plan(self.cut.clone(), first, second, limits)?;
        Ok((operation.cut(self.cut.clone())?, plan))
    }

    /// The elements that it takes.
    fn elements(&self) -> Result<BufferRange, Error> {
        let config = self.compiled.operation();
        let elements = self.input.extent(config.item(), config.sample(), self.compiled.device())?;
        self.first_elements(elements)
    }

    /// The elements that it takes of the second input, as many as of the first.
    fn second_elements(&self) -> Result<Option<BufferRange>, Error> {
        let (second, size) = match (self.second, self.compiled.operation().second_item()) {
            (Some(second), Some(size)) => (second, size),
            (None, None) => return Ok(None),
            (_, size) => return Err(BufferError::SecondInput { is_needed: size.is_some() }.into()),
        };
        let elements =
            self.first_elements(BufferRange { offset: second.offset(), len: second.size() / size })?;
        let (first, second) = (self.elements()?.len, elements.len);
        if first == second { Ok(Some(elements)) } else { Err(BufferError::Lengths { first, second }.into()) }
    }

    /// The first elements of an input, as many as were asked for.
    fn first_elements(&self, mut elements: BufferRange) -> Result<BufferRange, Error> {
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
        let planned = self.planned()?;
        let outputs = outputs.slices(&planned.0)?;
        self.bound(&planned, outputs)
    }

    /// Binds the buffers as [`Request::bind`] does, with new outputs of just the sizes that are needed: they have
    /// [`wgpu::BufferUsages::STORAGE`] and these usages.
    ///
    /// # Errors
    ///
    /// See [`Request::bind`].
    pub fn bind_new(self, usage: BufferUsages) -> Result<(Bound, NewOutputs), Error> {
        let planned = self.planned()?;
        let make = |output: &Output| {
            let buffer = self.compiled.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some(O::LABEL),
                size: output.size.max(4),
                usage: usage | BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            (output.name, buffer)
        };
        let outputs = NewOutputs::new(planned.1.outputs.iter().map(make));
        let slices = outputs.iter().map(|(_, buffer)| Some(buffer.into())).collect();
        Ok((self.bound(&planned, slices)?, outputs))
    }

    /// Binds outputs in the order of the plan's. What the caller does not need is written to memory of the operation's own.
    fn bound<'s>(
        self,
        (operation, plan): &(O, Plan),
        outputs: Vec<Option<Slice<'s>>>,
    ) -> Result<Bound, Error> {
        if let Some(Output { name, .. }) = plan.outputs.get(outputs.len()) {
            return Err(BufferError::Output { name, is_needed: true }.into());
        }
        let most = |count| Ok::<_, Error>((count, self.elements()?.len as u32));
        let unneeded = |(given, output): (&Option<Slice<'s>>, &Output)| match given {
            Some(_) => None,
            None => Some(buffers::scratch(self.compiled.device(), O::LABEL, output.size)),
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
        given.bind(O::LABEL, plan, &self.compiled.own, |step| Ok(self.compiled.kernel(operation, step)))
    }

    /// Records, submits, waits, and returns the results. This is for tools and tests. In a browser only
    /// [`Request::run_async`] works.
    ///
    /// # Errors
    ///
    /// - The errors of [`Request::bind`].
    /// - The device is lost.
    pub fn run<T: ResultOf<O>>(self, queue: &Queue) -> Result<Vec<T>, Error> {
        let (operation, len, outputs, size) = self.submit(queue)?;
        results(&operation, len, &outputs.wait(size)?)
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
        let begun = self.submit(queue);
        let begun = begun.map(|(operation, len, outputs, size)| (operation, len, outputs.read(size)));
        async move {
            let (operation, len, outputs) = begun?;
            results(&operation, len, &outputs.await?)
        }
    }

    /// Submits it with outputs of its own. Returns the operation, the number of its elements, and the outputs with their bytes.
    fn submit(self, queue: &Queue) -> Result<(O, u64, Readback, u64), Error> {
        self.compiled.operation().check_alone()?;
        let (planned, len) = (self.planned()?, self.elements()?.len);
        let device = self.compiled.device();
        let sizes: Vec<_> = planned.1.outputs.iter().map(|output| output.size).collect();
        let outputs = read::submit_each((device, queue), &sizes, |outputs, encoder| {
            let outputs = outputs.iter().map(|output| Some(output.into())).collect();
            self.bound(&planned, outputs)?.encode(encoder);
            Ok::<_, Error>(())
        })?;
        Ok((planned.0, len, outputs, sizes.iter().sum()))
    }
}
