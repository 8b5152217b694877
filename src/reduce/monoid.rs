//! An operator as WGSL: four functions over a type `Acc`. naga parses and checks them before they reach a device.

mod atomic;
mod facts;
mod kept;
mod over;

use std::borrow::Cow;

use wgpu::Features;

use crate::element::Element;
use crate::gpu::error::{Error, WgslError};
use crate::gpu::parameters::Parameters;
use crate::map::{Map, texels_refused};
use crate::reduce::analysis::{Signatures, Source, features};
use crate::reduce::elem::{Arity, Elem, PAIR_OF_WORDS};
use crate::reduce::exact::{EXACT_FOLD, ExactSum, Format};
use crate::reduce::kernel::{FOLD, Fold};
use crate::reduce::layout::Layout;
use crate::reduce::op::Op;
use crate::reduce::value::Field;
use crate::shader::{self, Piece};

pub(crate) use atomic::AtomicWord;
use kept::Kept;

/// The largest accumulator: 256 of them fit the 16 KiB of workgroup memory that every device has.
const MOST_WORDS: usize = 16;

/// The names by which kernels know the text of an operator.
const CALLED: [&str; 8] = ["Elem", "Acc", "Out", "map", "map4", "identity", "combine", "finish"];

/// An operator over an element type, complete and checked. A [`Compiled`](crate::Compiled) reduction compiles its kernels from it.
///
/// [`Op::over`](crate::reduce::Op::over) returns halofold's own operators; [`Monoid::custom`] makes one from
/// your WGSL. A monoid is a plain value and needs no device.
#[derive(Clone, Debug)]
pub struct Monoid {
    pub(crate) name: String,
    op: Option<Op>,
    arity: Arity,
    pub(crate) elem: Elem,
    /// The text, in pieces with their headings.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) acc: Layout,
    pub(crate) out: Layout,
    /// The subgroup built-in for `combine`, if there is one.
    pub(crate) subgroup: Option<&'static str>,
    /// True if `finish` returns the accumulator unchanged.
    pub(crate) is_finished: bool,
    /// True if the text declares `map4`.
    pub(crate) has_map4: bool,
    /// True if the text has branches or loops.
    branches: bool,
    /// True if kernels call `combine` in a loop rather than in several places.
    pub(crate) is_rolled: bool,
    features: Features,
    /// True if `finish` uses the number of elements.
    reads_count: bool,
    /// The sum that it computes, in the place of pieces, if that is exact.
    pub(super) exact: Option<ExactSum>,
    /// The sum of its exact form; `None` if the table of operators has it.
    pub(super) exact_form: Option<ExactSum>,
    /// The numbers of a state; `None` if one of them has no type in Rust.
    pub(super) state_fields: Option<Vec<Field>>,
    /// The parameters that its text declares.
    pub(crate) parameters: Option<Parameters>,
    /// The map of a texel to an element, if it reads textures.
    pub(crate) texels: Option<Map>,
    /// The elements that it leaves out, if it does.
    kept: Option<Kept>,
}

impl Monoid {
    /// Makes an operator from your WGSL.
    ///
    /// `wgsl` declares a type `Acc` (a number, a vector or a struct of these) and the functions
    ///
    /// ```wgsl
    /// fn map(elem: Elem, index: u32) -> Acc        // an element, and its index in the input or segment, from 0
    /// fn identity() -> Acc                         // combine(identity(), a) = a
    /// fn combine(a: Acc, b: Acc) -> Acc            // associative and commutative
    /// fn finish(acc: Acc, n: u32) -> Out           // the result, given the number of elements
    /// ```
    ///
    /// halofold declares `Elem`, the element type (`f32` for [`Element::F32`], and so on). `Out` is the type that `finish` returns: a number, a
    /// vector or a struct of these. With [`Arity::Two`], `map` takes an element of each input.
    ///
    /// You may add a function `map4(elems: vec4<Elem>, index: u32) -> Acc` (with two inputs `map4(first: vec4<Elem>, second: vec4<Elem>, index:
    /// u32)`) that maps four elements to one accumulator in fewer operations. Its `index` is that of the first of the four. You may also add helper
    /// functions, constants and types, by any names. Other variables outside functions than parameters (see below), directives, barriers and subgroup
    /// operations are not allowed: each invocation runs the functions on its own. halofold adds `enable f16;` if the text names `f16`.
    ///
    /// `Acc` has at most 16 words of 32 bits. A 64-bit number counts as two words, and a 16-bit number as
    /// one. halofold chooses the order in which elements are combined, and inserts identities. If `combine` rounds, results are as
    /// [deterministic](crate#determinism) as those of a float sum. Your functions decide what happens with NaN. The output has the layout of
    /// `array<Out>` in WGSL, with [`Monoid::out_size`] bytes from one result to the next.
    ///
    /// The rung `interleaved-modulo-pair` ([`Reduce::with_rung`](crate::reduce::Reduce::with_rung)) combines neighbours: a `combine` that is
    /// associative only is then applied in the order of the input.
    ///
    /// Prefer `select` to branches in `combine`: a kernel contains more than ten copies of it. On SwiftShader, an operator for the two largest elements
    /// and their positions compiles in 0.4 s with nested branches, and in 0.2 s with `select`.
    ///
    /// This call parses and validates the text on the CPU, in well under a millisecond. Nothing is compiled
    /// for a device yet. `name` appears only in labels and errors.
    ///
    /// ```
    /// use halofold::{Compiled, Element, Options};
    /// use halofold::reduce::{Arity, Monoid, Reduce};
    ///
    /// /// The mean of the elements above zero, and their number.
    /// const MEAN_ABOVE_ZERO: &str = "
    /// struct Acc { sum: f32, count: u32 }
    /// struct Out { mean: f32, count: u32 }
    ///
    /// fn map(elem: Elem, index: u32) -> Acc { return Acc(max(elem, 0.0), select(0u, 1u, elem > 0.0)); }
    /// fn identity() -> Acc { return Acc(0.0, 0u); }
    /// fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.count + b.count); }
    /// fn finish(acc: Acc, n: u32) -> Out { return Out(acc.sum / f32(max(acc.count, 1u)), acc.count); }
    /// ";
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let elements: Vec<f32> = (0..1000).map(|i| if i % 4 == 0 { 2.5 } else { -(i as f32) }).collect();
    /// # let elements = buffer(bytemuck::cast_slice(&elements));
    /// let monoid = Monoid::custom("mean-above-zero", Element::F32, Arity::One, MEAN_ABOVE_ZERO)?;
    /// let mean = Compiled::new(&device, Reduce::new(monoid), &Options::default())?;
    /// let (mean, count): (f32, u32) = mean.of(&elements).run(&queue)?;
    /// # assert_eq!((mean, count), (2.5, 250));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Parameters
    ///
    /// The functions can read one variable that your application binds: numbers that change from frame to frame, such as a camera,
    /// without a new operator and so without a compilation. The text declares it as
    ///
    /// ```wgsl
    /// @group(0) @binding(9) var<uniform> camera: Camera;              // of any name and type, or
    /// @group(0) @binding(10) var<storage> planes: array<vec4<f32>>;   // read only, of any length
    /// ```
    ///
    /// and [`Reduction::with_parameters`](crate::reduce::Reduction::with_parameters) binds a buffer to it. `examples/visible_points.rs`
    /// counts the points that a camera sees. The variable takes one binding more in each kernel. A uniform is read as fast as a
    /// constant; a storage buffer counts among those that [a form needs](crate::reduce#what-a-device-needs).
    ///
    /// # Errors
    ///
    /// The error names the line of `wgsl` that is wrong.
    pub fn custom(name: &str, element: Element, arity: Arity, wgsl: &str) -> Result<Self, Error> {
        Monoid::of_text(name, Elem::Number { element, wgsl: element.name() }, arity, wgsl)
    }

    /// Makes an operator over elements of your own type: a struct or an alias of a vector, which `wgsl` declares by the name `Elem`.
    ///
    /// `stride` is the number of bytes from one element to the next in the buffer. It must be the stride that
    /// WGSL gives `array<Elem>`: 12 for a struct of three `f32`, but 16 for `vec3<f32>`. Lengths, offsets and
    /// strides of reductions count elements. One invocation loads an element as a whole; there is no `map4`.
    ///
    /// This operator finds the bounding box of points of 12 bytes each:
    ///
    /// ```
    /// use halofold::reduce::{Arity, Monoid, Reduce};
    /// use halofold::{Compiled, Options};
    ///
    /// const BOUNDS: &str = "
    /// struct Elem { x: f32, y: f32, z: f32 }
    /// struct Acc { low: vec3<f32>, high: vec3<f32> }
    ///
    /// fn map(elem: Elem, index: u32) -> Acc { let p = vec3<f32>(elem.x, elem.y, elem.z); return Acc(p, p); }
    /// fn identity() -> Acc { return Acc(vec3<f32>(0x1.fffffep+127f), vec3<f32>(-0x1.fffffep+127f)); }
    /// fn combine(a: Acc, b: Acc) -> Acc { return Acc(min(a.low, b.low), max(a.high, b.high)); }
    /// fn finish(acc: Acc, n: u32) -> Acc { return acc; }
    /// ";
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let points: Vec<[f32; 3]> = (0..1000).map(|i| [i as f32, -(i as f32), 0.5]).collect();
    /// # let points = buffer(bytemuck::cast_slice(&points));
    /// let bounds = Compiled::new(&device, Reduce::new(Monoid::custom_struct("bounds", 12, Arity::One, BOUNDS)?), &Options::default())?;
    /// let (low, high): ([f32; 3], [f32; 3]) = bounds.of(&points).run(&queue)?;
    /// # assert_eq!((low, high), ([0.0, -999.0, 0.5], [999.0, 0.0, 0.5]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Monoid::custom`], and [`WgslError::Stride`].
    pub fn custom_struct(name: &str, stride: u64, arity: Arity, wgsl: &str) -> Result<Self, Error> {
        Monoid::of_text(name, Elem::Declared { stride }, arity, wgsl)
    }

    fn of_text(name: &str, elem: Elem, arity: Arity, wgsl: &str) -> Result<Self, Error> {
        shader::apart(wgsl, "_op_", &CALLED, |text| {
            Monoid::analyse(name, elem, arity, vec![Piece::foreign(format!("operator: {name}"), text)])
        })
    }

    /// Parses and checks the pieces of an operator.
    pub(crate) fn analyse(name: &str, elem: Elem, arity: Arity, pieces: Vec<Piece>) -> Result<Self, Error> {
        let text = Source::new(elem, &pieces);
        let (module, info, parameters) = text.parse_pure()?;
        let signatures = Signatures { module: &module, text: &text };
        let acc = signatures.result("identity", "fn identity() -> Acc")?;
        let out = signatures.result("finish", "fn finish(acc: Acc, n: u32) -> Out")?;
        let acc_layout = Layout::of(&module, acc).ok_or(WgslError::NotStorable("Acc"))?;
        let out_layout = Layout::of(&module, out).ok_or(WgslError::NotStorable("Out"))?;
        let a = acc_layout.wgsl.as_str();
        let inputs = if arity == Arity::Two { 2 } else { 1 };
        let element = signatures.elem(elem)?;
        let map = [vec![element.as_str(); inputs], vec!["u32"]].concat();
        let vector = format!("vec4<{element}>");
        let map4 = [vec![vector.as_str(); inputs], vec!["u32"]].concat();
        signatures.check("identity", &[], a)?;
        signatures.check("map", &map, a)?;
        signatures.check("combine", &[a, a], a)?;
        signatures.check("finish", &[a, "u32"], &out_layout.wgsl)?;
        let has_map4 = signatures.has("map4");
        if has_map4 {
            signatures.check("map4", &map4, a)?;
        }
        if acc_layout.words() > MOST_WORDS {
            return Err(WgslError::TooLarge { words: acc_layout.words(), limit: MOST_WORDS }.into());
        }
        let features = features(&module, &info);
        Ok(Monoid {
            name: name.to_owned(),
            op: None,
            arity,
            elem,
            pieces,
            state_fields: acc_layout.fields(),
            acc: acc_layout,
            out: out_layout,
            subgroup: None,
            is_finished: signatures.returns_argument("finish"),
            has_map4,
            branches: signatures.branches(),
            is_rolled: false,
            features,
            reads_count: signatures.uses_last("finish", &info),
            exact: None,
            exact_form: None,
            parameters,
            texels: None,
            kept: None,
        })
    }

    /// Marks this monoid as one of halofold's own operators. `subgroup` is the built-in that computes
    /// `combine` if the accumulator is one number.
    pub(crate) fn known_as(self, op: Op, subgroup: Option<&'static str>) -> Self {
        let subgroup = subgroup.filter(|_| self.acc.is_scalar());
        Monoid { op: Some(op), subgroup, ..self }
    }

    /// Makes the form of this operator that reads texels of textures: `map` makes an element of each.
    /// [`Compiled::of_texels`](crate::Compiled::of_texels) takes them, in every shape: the rectangle is an array of rows, so
    /// [`Shape::Segments`](crate::reduce::Shape::Segments) of its width gives a result for each row. The index of an element is its number row by row.
    /// [`Texels`](crate::Texels) has an example.
    ///
    /// The map returns what the operator's elements are: `f32`, `i32` or `u32`, or of an operator made by
    /// [`Monoid::custom_struct`] the number or vector that its text calls `Elem`.
    ///
    /// # Errors
    ///
    /// The map is none of texels or returns another type; the operator has two inputs or elements of 16 or 64 bits; both declare parameters.
    pub fn of_texels(self, map: Map) -> Result<Self, Error> {
        let is_one = self.arity == Arity::One && map.sample.is_some();
        match self.elem {
            Elem::Number { element: element @ (Element::F32 | Element::I32 | Element::U32), .. }
                if is_one =>
            {
                map.returns(element.name())?;
            }
            // The types are compared when the kernel is composed.
            Elem::Declared { .. } if is_one => {}
            _ => return Err(texels_refused()),
        }
        map.check_beside(self.parameters)?;
        Ok(Monoid { features: self.features | map.features, texels: Some(map), ..self })
    }

    /// Makes a form of this operator that sums exactly.
    pub(crate) fn summed(&self, sum: ExactSum) -> Self {
        let format = sum.format;
        Monoid {
            elem: Elem::Number { element: sum.element, wgsl: "u32" },
            pieces: Vec::new(),
            acc: format.accumulator(),
            out: format.output(),
            subgroup: None,
            is_finished: false,
            has_map4: false,
            features: sum.features | self.texels.as_ref().map_or(Features::empty(), |map| map.features),
            state_fields: Some(format.fields()),
            exact: Some(sum),
            ..self.clone()
        }
    }

    /// The form of this operator for a device with these features: one that compares 64-bit floats reads them
    /// as pairs of words if the device has no 64-bit integers. Results and states have the same bytes.
    pub(crate) fn on(&self, features: Features) -> Cow<'_, Monoid> {
        let missing = self.features - features;
        let words = match (self.op, self.element()) {
            (Some(op), Some(element)) if !missing.is_empty() && self.compares_in_words() => {
                op.reading(element, PAIR_OF_WORDS).and_then(|words| self.keeping_as(words)).ok()
            }
            _ => None,
        };
        let state_fields = self.state_fields.clone();
        words.map_or(Cow::Borrowed(self), |words| Cow::Owned(Monoid { state_fields, ..words }))
    }

    /// True if it compares 64-bit floats by their bits, which takes no 64-bit integers.
    fn compares_in_words(&self) -> bool {
        // A pair of such words and a count have another size than a pair of integers and a count.
        let is_another = |op| op == Op::MinMax && self.kept.is_some();
        let known = self.op.zip(self.element()).filter(|(op, _)| !is_another(*op));
        known.is_some_and(|(op, element)| op.compares_in_words(element))
    }

    /// The form of this operator for an adapter: compilers of software adapters may not come to an end with several copies of a `combine` that branches.
    pub(super) fn for_adapter(self, adapter: &wgpu::AdapterInfo) -> Self {
        let is_software = crate::adapter::is_software(adapter);
        Monoid { is_rolled: self.op.is_none() && self.branches && is_software, ..self }
    }

    /// Returns this operator with [exact](crate::reduce::exact) sums, or itself if its sums are already exact; `None` if it has no exact form. A
    /// reducer with [`Accuracy::Exact`](crate::reduce::Accuracy::Exact) takes either form.
    pub fn exact(&self) -> Option<Monoid> {
        if self.exact.is_some() {
            return Some(self.clone());
        }
        if self.kept.as_ref().is_some_and(|kept| !kept.has_exact_form()) {
            return None;
        }
        let known = || ExactSum::of_op(self.op?, self.element()?);
        self.exact_form.clone().or_else(known).map(|sum| self.summed(sum))
    }

    /// The format of its states, if its sums are exact.
    pub fn format(&self) -> Option<Format> {
        self.exact.as_ref().map(|sum| sum.format)
    }

    /// The kernels that fold it.
    pub(super) fn fold(&self) -> &'static Fold {
        if self.exact.is_some() { &EXACT_FOLD } else { &FOLD }
    }
}
