//! Selections: the elements, or their indices, for which a function in WGSL holds, or which differ from the one before, in order.
//!
//! ```
//! use halofold::select::Select;
//! use halofold::{Compiled, Element, Options};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let samples = buffer(bytemuck::cast_slice(&[3.5f32, -1.0, 0.0, -7.5, 2.0]));
//! // The places where a signal is negative, of 3.5, -1.0, 0.0, -7.5, 2.0.
//! let negative = "fn keep(elem: Elem, index: u32) -> bool { return elem < 0.0; }";
//! let negative = Compiled::new(&device, Select::new(Element::F32, negative)?.indices(), &Options::default())?;
//! let places: Vec<u32> = negative.of(&samples).run(&queue)?;
//! assert_eq!(places, [1, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The number of kept elements stays on the GPU, in an output of its own:
//!
//! ```
//! use halofold::{Compiled, Element, Options};
//! use halofold::select::{Outputs, Select};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let [ids, alive, count] = [40, 40, 4].map(|size| buffer(&vec![0u8; size]));
//! // `alive` has room for all of `ids`.
//! let select = Select::new(Element::U32, "fn keep(elem: Elem, index: u32) -> bool { return elem != 0u; }")?;
//! let select = Compiled::new(&device, select, &Options::default())?;
//! let bound = select.of(&ids).bind(Outputs { kept: &alive, count: &count })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Cost
//!
//! One dispatch reads the input once, and writes once what is kept; each further window takes one more. Without subgroups kept elements are read
//! again, from the cache. A workgroup computes the count of another tile itself if it is not published after a while
//! (`shaders/lib/grid/chain.wgsl`). The kernel needs four storage buffers in a shader. The input is cut into windows if it is larger than a
//! binding; the room for the kept elements must fit one. A [`Bound`](crate::Bound) owns the memory for counts, which is never a workspace's: 64
//! bytes for each tile. A tile has 16 to 48 elements for each of at most 256 invocations.

mod kernels;
mod plan;

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::Pass;
use crate::gpu::error::{Error, WgslError};
use crate::gpu::io::{OneInput, Output, ResultOf, outputs};
use crate::gpu::kernel::{Driver, Kernel};
use crate::gpu::limits::{self, LimitError, SettingError, needs};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::parameters::Parameters;
use crate::gpu::range::Inputs;
use crate::reduce::results::OutputLayout;
use crate::reduce::{Arity, BufferRange, FromResults, Monoid};
use crate::scan::{Progress, kernels::LINKS, plan::SPLIT};
use crate::select::kernels::{Beside, SHORT};
use crate::select::plan::{LEAST_LONG, LEAST_MEDIUM};
use crate::shader;

/// What makes an operator of an application's text: it counts kept elements.
const COUNT: &str = "

fn map(elem: Elem, index: u32) -> Acc { return select(0u, 1u, keep(elem, index)); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";

/// Counts, and how they are added.
const ADDED: &str = "
alias Acc = u32;

fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
";

/// Counts, each with the position behind the last kept element, and how they are added.
const ADDED_WITH_LAST: &str = "
alias Acc = vec2<u32>;

fn identity() -> Acc { return Acc(0u, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.x + b.x, max(a.y, b.y)); }
";

/// A description of the elements for which a function holds, or which differ from the one before, in their order. It is a plain value;
/// [`Compiled`](crate::Compiled) brings it to a device.
///
/// It writes two [`Outputs`]. On the host there are the kept elements alone; those of a type of your own come as words, each a `u32`.
#[derive(Clone, Debug)]
pub struct Select {
    kept: Kept,
    beside: Beside,
    as_indices: bool,
    progress: Progress,
    /// True if invocations have few elements, however long the input.
    is_small: bool,
}

/// What decides on elements.
#[derive(Clone, Debug)]
enum Kept {
    /// An application's function, behind which the operator counts.
    Function(Box<Monoid>),
    /// The element before: it differs.
    Changes(Element),
}

impl Select {
    /// Describes a selection by your WGSL: `fn keep(elem: Elem, index: u32) -> bool`, and the functions that it calls.
    ///
    /// `Elem` is the element type, and `index` the element's number in the input. The text may declare functions, constants and types.
    /// `keep` runs once for each element, and again where a count is computed again: it has to give the same answer each time.
    ///
    /// # Errors
    ///
    /// The error names the line of `wgsl` that is wrong.
    pub fn new(element: Element, wgsl: &str) -> Result<Self, Error> {
        Select::of(wgsl, |text| Monoid::custom("select", element, Arity::One, text))
    }

    /// Describes a selection of elements of your own type, which `wgsl` declares by the name `Elem`. `stride` is the number of bytes from one
    /// element to the next: that of `array<Elem>` in WGSL.
    ///
    /// # Errors
    ///
    /// The errors of [`Select::new`], and [`WgslError::Stride`].
    pub fn custom_struct(stride: u64, wgsl: &str) -> Result<Self, Error> {
        Select::of(wgsl, |text| Monoid::custom_struct("select", stride, Arity::One, text))
    }

    /// Describes the elements that differ from the one before them, the first of all among them: the keys of runs without repetitions.
    ///
    /// Elements are those of [`RunLengths`](crate::group::RunLengths), and equal by the same rule. A binding must hold the input.
    pub const fn unique(element: Element) -> Self {
        Select::by(Kept::Changes(element), Beside::Nothing)
    }

    /// The first elements of runs, and the lengths of the runs.
    pub(crate) const fn runs(element: Element) -> Self {
        Select::by(Kept::Changes(element), Beside::Lengths)
    }

    const fn by(kept: Kept, beside: Beside) -> Self {
        Select { kept, beside, as_indices: false, progress: Progress::Usual, is_small: false }
    }

    /// Returns this description for the indices of the kept elements, a `u32` each, in the place of the elements.
    pub fn indices(self) -> Self {
        Select { as_indices: true, ..self }
    }

    /// Returns this description with workgroups that get on in another way.
    #[doc(hidden)]
    pub fn with_progress(self, progress: Progress) -> Self {
        Select { progress, ..self }
    }

    fn of(wgsl: &str, made: impl Fn(&str) -> Result<Monoid, Error>) -> Result<Self, Error> {
        let with_count = |text: &str| made(&[text, ADDED, COUNT].concat());
        let monoid = shader::apart(wgsl, "_select_", &["Elem", "keep"], with_count)?;
        Ok(Select::by(Kept::Function(Box::new(monoid)), Beside::Nothing))
    }
}

impl Base for Select {
    const LABEL: &'static str = "halofold::select";

    fn on_driver(self, driver: Driver) -> Self {
        Select { is_small: self.is_small || driver.compiles_slowly, ..self }
    }

    fn check_settings(&self) -> Result<(), Error> {
        match self.kept {
            Kept::Changes(element) => check_key(element),
            Kept::Function(_) => Ok(()),
        }
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        limits::check(&self.slots(), limits)?;
        let workgroup = self.workgroup(SHORT, limits);
        limits::check_workgroup([workgroup, 1], limits)?;
        // Sums, and beside lengths the positions of sixteen rows.
        let words =
            2 * self.beside.state().words() as u32 + if self.beside == Beside::Lengths { 16 } else { 0 };
        needs!(limits, max_compute_workgroup_storage_size, 4 * words * workgroup)?;
        if let Kept::Function(monoid) = &self.kept {
            monoid.on(features).check_features(features)?;
            WgslError::unless_valid(&self.composed(SHORT, features, limits).wgsl)?;
        }
        Ok(())
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = [0, LEAST_MEDIUM, LEAST_LONG].map(|len| self.step(len)).to_vec();
        steps.dedup();
        steps
    }

    fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        self.composed(step, features, limits)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let (_, layout) = self.layout(input.len, limits);
        let parts = self.parts(input, layout.tile, limits)?.len();
        let links = Memory::own_zeros(LINKS, layout.links(input.len, parts, self.beside.state().words()));
        Ok(vec![links.checked(limits, "the memory for counts", SPLIT)?])
    }

    fn parameters(&self) -> (&str, Option<Parameters>) {
        match &self.kept {
            Kept::Function(monoid) => (monoid.name(), monoid.parameters),
            Kept::Changes(_) => (Self::LABEL, None),
        }
    }

    fn element(&self) -> Option<Element> {
        match &self.kept {
            Kept::Function(monoid) => monoid.element(),
            Kept::Changes(element) => Some(*element),
        }
    }

    fn item(&self) -> u64 {
        match &self.kept {
            Kept::Function(monoid) => monoid.stride(),
            Kept::Changes(element) => element.size(),
        }
    }

    /// Room for all elements, and for one at least, as no binding is shorter.
    fn outputs(&self, len: u64) -> Vec<Output> {
        let bytes = len.max(1).saturating_mul(self.kept_size());
        let kept = Output::new("kept", bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX));
        vec![kept, Output::placed("count", 4, "count_at")]
    }

    fn plan_over(&self, Inputs { first: input, .. }: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let error = |error: LimitError| error.of("the output").or(SPLIT);
        LimitError::unless_bound(limits, self.outputs(input.len)[0].size).map_err(error)?;
        let (step, layout) = self.layout(input.len, limits);
        let parts = self.parts(input, layout.tile, limits)?;
        let common = layout.common(input.len, input.len.max(1), parts.len());
        layout.passes(&parts, [step; 2], common, limits)
    }
}

/// Checks that keys of a type are compared.
pub(crate) fn check_key(key: Element) -> Result<(), Error> {
    if matches!(key, Element::U32 | Element::I32 | Element::F32 | Element::U64 | Element::I64) {
        return Ok(());
    }
    Err(SettingError::new("bytes of a key", key.size(), "4, or 8 of an integer").into())
}

impl OneInput for Select {}

/// The outputs of [`Select`].
#[derive(Clone, Copy, Debug)]
pub struct Outputs<K, C> {
    /// The kept elements, or their indices, a `u32` each. There is room for all elements; what lies behind the kept ones is left as it was.
    pub kept: K,
    /// The number of kept elements, a `u32` at any multiple of 4 bytes: it may be the `instance_count` of the arguments of an indirect draw.
    pub count: C,
}

outputs!(Outputs<K: kept, C: count>, Select);

impl<T: FromResults> ResultOf<Select> for T {
    fn results(operation: &Select, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let count: u32 = bytemuck::pod_read_unaligned(outputs[1]);
        let bytes = &outputs[0][..(u64::from(count) * operation.kept_size()) as usize];
        let element = if operation.as_indices { None } else { operation.element() };
        OutputLayout::of("select", element.unwrap_or(Element::U32)).read_all(bytes)
    }
}
