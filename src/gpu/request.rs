//! Requests: an operation over a buffer, from the description to its results.

use wgpu::{Buffer, BufferUsages, Queue};

use crate::gpu::bind::{Given, Reads};
use crate::gpu::buffers::{self, BufferError};
use crate::gpu::compiled::{Compiled, results};
use crate::gpu::error::Error;
use crate::gpu::input::{self, Input};
use crate::gpu::io::{Output, OutputsOf, ResultOf};
use crate::gpu::launch::Bound;
use crate::gpu::operation::{Plan, Planned, counted};
use crate::gpu::parameters;
use crate::gpu::range::{BufferRange, Cut};
use crate::gpu::slice::Slice;
use crate::gpu::workspace::Workspace;
use crate::read::{self, Reading};

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

    /// Cuts the input into rows of `len` elements, each with results of its own. `rank::Quantiles`, `rank::TopK` and `scan::Scan` take rows.
    /// Most other lengths of rows compile nothing.
    pub fn rows(self, len: u64) -> Self {
        self.cut(Cut::Rows(len))
    }

    /// Takes segments between offsets, which ascend and count elements from the start of the input, for the operations of [`Request::rows`].
    ///
    /// Segment `i` has the elements from `offsets[i]` up to, but not including, `offsets[i + 1]`. Segments may have any lengths, and no elements.
    /// What comes before the first offset or after the last is in none. The output has as many results of each segment, whatever its length.
    /// `run` of `rank::TopK` leaves out places without an element: its results are split by min(k, length) of each segment.
    ///
    /// A `scan::Scan` starts over at each offset. The elements before the first offset are a segment, too, and so are those from the last
    /// offset on. An offset beyond the input starts no segment, and equal offsets start one.
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
        Ok(self.planned()?.2)
    }

    /// The operation in the rows or segments and for the count of this request, the number of its elements, and its plan.
    fn planned(&self) -> Result<Prepared<O>, Error> {
        let mut operation = self.compiled.operation().clone();
        if self.count.is_some() {
            operation = counted(operation, &self.cut)?;
        }
        let (first, second) = self.elements()?;
        let plan = operation.plan(self.cut.clone(), first, second, &self.compiled.own.limits)?;
        Ok((operation.cut(self.cut.clone())?, first.len, plan))
    }

    /// The elements that it takes of the first input, and as many of the second one.
    fn elements(&self) -> Result<(BufferRange, Option<BufferRange>), Error> {
        let operation = self.compiled.operation();
        let taken = |input: Input<'_>, size, sample| -> Result<_, Error> {
            let mut elements = input.extent(size, sample, self.compiled.device())?;
            self.len.map_or(Ok(()), |len| input::cut(std::slice::from_mut(&mut elements), len))?;
            Ok(elements)
        };
        let first = taken(self.input, operation.item(), operation.sample())?;
        let second = match (self.second, operation.second_item()) {
            (Some(second), Some(size)) => taken(Input::Buffer(second), size, None)?,
            (None, None) => return Ok((first, None)),
            (_, size) => return Err(BufferError::SecondInput { is_needed: size.is_some() }.into()),
        };
        if second.len != first.len {
            return Err(BufferError::Lengths { first: first.len, second: second.len }.into());
        }
        Ok((first, Some(second)))
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

    /// Binds the buffers as [`Request::bind`] does, with new outputs of just the sizes that are needed: they have [`wgpu::BufferUsages::STORAGE`] and
    /// these usages. Returns each with its name, in the order of the plan's outputs, in which [`Compiled::results`] reads their bytes.
    ///
    /// # Errors
    ///
    /// See [`Request::bind`].
    pub fn bind_new(self, usage: BufferUsages) -> Result<(Bound, NewOutputs), Error> {
        self.bound_new(&self.planned()?, usage)
    }

    fn bound_new(&self, planned: &Prepared<O>, usage: BufferUsages) -> Result<(Bound, NewOutputs), Error> {
        let device = self.compiled.device();
        let make =
            |Output { name, size, .. }: &Output| (*name, buffers::storage(device, O::LABEL, *size, usage));
        let outputs: Vec<_> = planned.2.outputs.iter().map(make).collect();
        let slices = outputs.iter().map(|(_, buffer)| Some(buffer.into())).collect();
        Ok((self.bound(planned, slices)?, outputs))
    }

    /// Binds outputs in the order of the plan's. What the caller does not need is written to memory of the operation's own.
    fn bound<'s>(
        &self,
        (operation, len, plan): &Prepared<O>,
        outputs: Vec<Option<Slice<'s>>>,
    ) -> Result<Bound, Error> {
        if let Some(Output { name, .. }) = plan.outputs.get(outputs.len()) {
            return Err(BufferError::Output { name, is_needed: true }.into());
        }
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
            count: self.count.map(|count| (count, *len as u32)),
            workspace: self.workspace,
            sample: operation.sample(),
            in_any_order: self.len.is_none() && self.count.is_none() && operation.takes_all(),
            vector: 16,
        };
        given.bind(O::LABEL, plan, &self.compiled.own, |step| Ok(self.compiled.kernel(operation, step)))
    }

    /// Records, submits, waits, and returns the results. This is for tools and tests. In a browser only [`Request::run_async`] works.
    ///
    /// # Errors
    ///
    /// - The errors of [`Request::bind`].
    /// - The device is lost.
    pub fn run<T: ResultOf<O>>(self, queue: &Queue) -> Result<Vec<T>, Error> {
        let (operation, len, reading) = self.submit(queue)?;
        reading.wait_with(|bytes| results(&operation, len, bytes))?
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
        async move {
            let (operation, len, reading) = begun?;
            reading.with(|bytes| results(&operation, len, bytes)).await?
        }
    }

    /// Submits it with outputs of its own. Returns the operation, the number of its elements, and a request for the bytes of the outputs.
    fn submit(&self, queue: &Queue) -> Result<(O, u64, Reading), Error> {
        self.compiled.operation().check_alone()?;
        let planned = self.planned()?;
        let (bound, outputs) = self.bound_new(&planned, BufferUsages::COPY_SRC)?;
        let (operation, len, plan) = planned;
        let copies: Vec<_> =
            outputs.iter().zip(&plan.outputs).map(|((_, buffer), output)| (buffer, output.size)).collect();
        let gpu = (self.compiled.device(), queue);
        let readback = read::submit(gpu, &copies, |encoder| bound.encode(encoder))?;
        Ok((operation, len, readback.read(copies.iter().map(|(_, size)| size).sum())))
    }
}

/// Outputs with their names.
type NewOutputs = Vec<(&'static str, Buffer)>;

/// An operation in its rows or segments, the number of its elements, and its plan.
type Prepared<O> = (O, u64, Plan);
