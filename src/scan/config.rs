//! The description of a scan.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::io::{OneInput, OneOutput, Output, ResultOf, outputs};
use crate::gpu::kernel::{Kernel, declared};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::parameters::Parameters;
use crate::gpu::range::{Cut, Inputs};
use crate::reduce::{BufferRange, FromResults, Monoid};
use crate::scan::kernels::{ALL, LINKS, OFFSETS};

/// Prefix results: for each element, the result of all elements up to it, over the whole input, each [row](crate::Request::rows) or each
/// [segment](crate::Request::segment_offsets). A plain value; [`Compiled`](crate::Compiled) creates it on a device.
///
/// ```
/// use halofold::Element;
/// use halofold::reduce::{Arity, Monoid, Op};
/// use halofold::scan::Scan;
///
/// // Running maximum.
/// let records = Scan::new(Op::Max.over(Element::F32)?);
///
/// // Composes functions x → a·x + b in order. They do not commute.
/// let chain = "
/// struct Elem { a: f32, b: f32 }
/// alias Acc = vec2<f32>;
/// fn map(elem: Elem, index: u32) -> Acc { return Acc(elem.a, elem.b); }
/// fn identity() -> Acc { return Acc(1.0, 0.0); }
/// fn combine(f: Acc, g: Acc) -> Acc { return Acc(g.x * f.x, g.x * f.y + g.y); }
/// fn finish(acc: Acc, n: u32) -> Acc { return acc; }
/// ";
/// let chain = Scan::new(Monoid::custom_struct("chain", 8, Arity::One, chain)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The output has a result per element, as `array<Out>` in WGSL: [`Monoid::out_size`] bytes each. `index` in an operator's `map` and `n` in
/// its `finish` count within the row, so [`Op::Mean`](crate::reduce::Op::Mean) gives running means, and
/// [`Op::ArgMax`](crate::reduce::Op::ArgMax) the index of the maximum so far.
#[derive(Clone, Debug)]
pub struct Scan {
    pub(super) monoid: Monoid,
    /// True if a prefix excludes the element itself.
    pub(super) is_exclusive: bool,
    /// The rows or segments. Segments are given by the offsets of their first elements, from 0 on.
    pub(super) rows: Cut,
    /// True if an input continues where the previous one ended.
    pub(super) continues: bool,
    pub(super) progress: Progress,
}

/// How workgroups get the prefix before their tile, for tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// They wait for each other, for a bounded number of tries.
    Usual,
    /// They compute unpublished values at once.
    Computing,
    /// Likewise, and tiles are taken from the last to the first, so nothing before a tile is published.
    Reversed,
    /// They compute unpublished values after few tries, and every fifth tile is late.
    Stalled,
}

impl Progress {
    /// Returns the overrides of the kernel.
    pub(crate) fn overrides(self) -> Vec<(&'static str, f64)> {
        let [is_unusual, is_stalled] = [self != Progress::Usual, self == Progress::Stalled];
        declared([
            ("LOOKS", if is_stalled { 16 } else { 0 }, is_unusual),
            ("REVERSED", 1, self == Progress::Reversed),
            ("STALLS", 5000, is_stalled),
        ])
    }
}

impl Scan {
    /// Makes an inclusive scan by an operator of one input that reads buffers. Exact sums are those of `f32` and `f16`.
    pub fn new(monoid: Monoid) -> Self {
        Scan {
            monoid: monoid.accumulated(),
            is_exclusive: false,
            rows: Cut::All,
            continues: false,
            progress: Progress::Usual,
        }
    }

    /// Makes the scan exclusive: each result covers the elements before its own, the first one none.
    pub fn exclusive(self) -> Self {
        Scan { is_exclusive: true, ..self }
    }

    /// Makes the scan continue an input that arrives in parts. A second output, of [`Outputs`], carries the accumulator of all elements so far
    /// from part to part. [`Request::run`](crate::Request::run) and [`Request::run_async`](crate::Request::run_async) have no such output and return an error.
    ///
    /// **A part without elements ([`Request::len`](crate::Request::len)) starts over:** record one first, and leave out parts that happen to be
    /// empty. Rows and segments always start over in each part: the state is that of the part's last row or segment, and the next part does
    /// not continue it.
    ///
    /// The error of a prefix grows with the [depths](Scan::depth) of all parts so far. An operator's `index` and `n` count within the part.
    ///
    /// ```
    /// use halofold::{Compiled, Options};
    /// # use halofold::reduce::Op;
    /// use halofold::scan::Outputs;
    /// # use halofold::scan::Scan;
    /// # use halofold::{Element, wgpu};
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let [part, results, state] = [(); 3].map(|()| buffer(bytemuck::cast_slice(&[0u32; 1000])));
    /// let sums = Compiled::new(&device, Scan::new(Op::Sum.over(Element::U32)?).continuing(), &Options::default())?;
    /// let begin = sums.of(&part).len(0).bind(Outputs { prefixes: &results, state: &state })?;
    /// let go_on = sums.of(&part).bind(Outputs { prefixes: &results, state: &state })?;
    /// # let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    /// begin.encode(&mut encoder);
    /// // For each part, once its elements are in the buffer:
    /// go_on.encode(&mut encoder);
    /// # queue.submit([encoder.finish()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn continuing(self) -> Self {
        Scan { continues: true, ..self }
    }

    /// Returns this scan with another [`Progress`].
    #[doc(hidden)]
    pub fn with_progress(self, progress: Progress) -> Self {
        Scan { progress, ..self }
    }

    /// Returns the most combinations between an element and a result, for error bounds:
    /// [`Expected::judge`](crate::reduce::reference::Expected::judge) takes it.
    pub fn depth(&self, len: u64, limits: &Limits) -> u64 {
        self.layout(limits).depth(len)
    }

    /// Returns the bytes of the accumulator that a [continuing](Scan::continuing) scan carries from part to part.
    pub fn state_size(&self) -> u64 {
        self.monoid.acc_size().next_multiple_of(4)
    }
}

impl Base for Scan {
    const LABEL: &'static str = "halofold::scan";

    fn cut(self, cut: Cut) -> Result<Self, Error> {
        let Cut::Segments(offsets) = cut else { return Ok(Scan { rows: cut, ..self }) };
        let mut starts = [&[0], &offsets[..]].concat();
        starts.dedup();
        Ok(Scan { rows: Cut::Segments(starts.into()), ..self })
    }

    fn check_settings(&self) -> Result<(), Error> {
        self.monoid.check_plain(true)
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.check(features, limits)
    }

    fn steps(&self) -> Vec<Step> {
        if self.continues { ALL.to_vec() } else { ALL[..2].to_vec() }
    }

    fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        self.composed(step, features, limits)
    }

    fn variant(&self, _: Step, _: &Limits) -> u32 {
        u32::from(self.rows != Cut::All) + u32::from(matches!(self.rows, Cut::Segments(_)))
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let links = Memory::own_zeros(LINKS, self.links(input, limits)?);
        let mut memory = vec![links.checked(limits, "the memory for states", "")?];
        if let Cut::Segments(starts) = &self.rows {
            let list = Memory::list(OFFSETS, [starts, &[u32::MAX][..]].concat());
            memory.push(list.checked(limits, "the list of offsets", "give fewer at a time")?);
        }
        Ok(memory)
    }

    fn parameters(&self) -> (&str, Option<Parameters>) {
        (self.monoid.name(), self.monoid.parameters)
    }

    fn element(&self) -> Option<Element> {
        self.monoid.element()
    }

    fn item(&self) -> u64 {
        self.monoid.stride()
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        let prefixes = Output::new("prefixes", (len * self.monoid.out_size()).next_multiple_of(4));
        let state = self.continues.then(|| Output::new("state", self.state_size()));
        [prefixes].into_iter().chain(state).collect()
    }

    fn check_alone(&self) -> Result<(), Error> {
        let message = "these prefixes go on from a state: give it and the prefixes to `bind`";
        if self.continues { Err(Error::setting("continuing", message)) } else { Ok(()) }
    }

    fn counted(self) -> Option<Self> {
        (!self.continues).then_some(self)
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        self.passes(inputs.first, limits)
    }
}

impl OneInput for Scan {}
impl OneOutput for Scan {}

/// The outputs of a [continuing](Scan::continuing) scan. Other scans have the prefixes only.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<P, S> {
    /// A result per element.
    pub prefixes: P,
    /// The accumulator of all elements so far, [`Scan::state_size`] bytes, from which the next part continues.
    pub state: S,
}

outputs!(Outputs<P: prefixes, S: state>, Scan);

impl<T: FromResults> ResultOf<Scan> for T {
    fn results(operation: &Scan, len: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let layout = operation.monoid.layout();
        layout.read_all(&outputs[0][..(len * layout.stride) as usize])
    }
}
