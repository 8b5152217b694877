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

/// A description of prefixes: of each element, the result of all elements up to it, in all elements, in each [row](crate::Request::rows) or in
/// each [segment](crate::Request::segment_offsets). It is a plain value; [`Compiled`](crate::Compiled) brings it to a device.
///
/// ```
/// use halofold::Element;
/// use halofold::reduce::{Arity, Monoid, Op};
/// use halofold::scan::Scan;
///
/// // The largest element so far.
/// let records = Scan::new(Op::Max.over(Element::F32)?);
///
/// // Functions x → a·x + b, applied one after the other: they do not commute.
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
/// The output has a result for each element, as `array<Out>` in WGSL: [`Monoid::out_size`] bytes each. `index` of an operator's `map` and
/// `n` of its `finish` count in the row: so [`Op::Mean`](crate::reduce::Op::Mean) gives running means, and [`Op::ArgMax`](crate::reduce::Op::ArgMax)
/// the places of records.
#[derive(Clone, Debug)]
pub struct Scan {
    pub(super) monoid: Monoid,
    /// True if a prefix is without the element itself.
    pub(super) is_exclusive: bool,
    /// Segments by the offsets of their first elements, of which the first is 0.
    pub(super) rows: Cut,
    /// True if an input goes on where another one has ended.
    pub(super) continues: bool,
    pub(super) progress: Progress,
}

/// How workgroups get on, for tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// They wait for each other.
    Usual,
    /// They compute at once what others have not published yet.
    Computing,
    /// So they do, and take tiles from the last to the first: each misses everything before its own.
    Reversed,
    /// They compute soon what others have not published, and each fifth tile is late.
    Stalled,
}

impl Progress {
    /// The overrides of the chain.
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
    /// Describes inclusive prefixes with an operator over its elements. The operator has one input and reads buffers. Its exact sums are those of
    /// f32 and f16.
    pub fn new(monoid: Monoid) -> Self {
        Scan {
            monoid: monoid.accumulated(),
            is_exclusive: false,
            rows: Cut::All,
            continues: false,
            progress: Progress::Usual,
        }
    }

    /// Returns this description for exclusive prefixes: of all elements before each, so the first is that of no elements.
    pub fn exclusive(self) -> Self {
        Scan { is_exclusive: true, ..self }
    }

    /// Returns this description for an input that comes in parts: each goes on where the one before it has ended. A second output, of
    /// [`Outputs`], carries the accumulator of all elements so far from part to part. [`Request::run`](crate::Request::run) and [`Request::run_async`](crate::Request::run_async) have no state to go on from, and are refused.
    ///
    /// **A part of no elements ([`Request::len`](crate::Request::len)) starts over, wherever it comes:** it has to come first, and one that merely
    /// happens to be empty has to be left out. Rows and segments start over in each part, as ever: there the state is that of the last row or segment
    /// of the part, and the next part does not go on from it.
    ///
    /// The error of a prefix grows with the [depths](Scan::depth) of all parts so far. `index` and `n` of an operator count in the part.
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

    /// Returns this description with workgroups that get on in another way.
    #[doc(hidden)]
    pub fn with_progress(self, progress: Progress) -> Self {
        Scan { progress, ..self }
    }

    /// The number of combinations on the longest way from an element to a result, for error bounds:
    /// [`Expected::judge`](crate::reduce::reference::Expected::judge) takes it.
    pub fn depth(&self, len: u64, limits: &Limits) -> u64 {
        self.layout(limits).depth(len)
    }

    /// Bytes of the accumulator that goes from part to part of an input that comes in [parts](Scan::continuing).
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

/// The outputs of a scan that [continues](Scan::continuing). Of another one, the prefixes are the only output.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<P, S> {
    /// A result for each element.
    pub prefixes: P,
    /// The accumulator of all elements so far, [`Scan::state_size`] bytes. A part goes on from it.
    pub state: S,
}

outputs!(Outputs<P: prefixes, S: state>, Scan);

impl<T: FromResults> ResultOf<Scan> for T {
    fn results(operation: &Scan, len: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let layout = operation.monoid.layout();
        layout.read_all(&outputs[0][..(len * layout.stride) as usize])
    }
}
