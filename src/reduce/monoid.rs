//! An operator as WGSL: four functions over a type `Acc`, read and checked by naga before any device sees them.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Handle, Module, Span, Type};
use wgpu::Features;

use crate::element::Element;
use crate::reduce::exact::Format;
use crate::reduce::layout::{self, Layout};
use crate::reduce::op::Op;
use crate::reduce::validate;
use crate::shader::Piece;

/// Why a text is no operator. Lines and columns are those of the text itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MonoidError {
    /// naga does not accept the text.
    #[error("the operator is not valid WGSL:\n{0}")]
    Invalid(String),
    /// A function is missing.
    #[error("the operator lacks the function `{expected}`")]
    Missing {
        /// The function as it should be declared.
        expected: &'static str,
    },
    /// A function has other parameters or another result.
    #[error("line {line}: `{function}` must be declared `{expected}`")]
    Signature {
        /// Where it is declared, counted from 1.
        line: u32,
        /// Which.
        function: &'static str,
        /// How it should be declared.
        expected: String,
    },
    /// A type that a buffer cannot hold: `Acc` or `Out`.
    #[error("`{0}` must be a number, a vector of numbers or a struct of those: a buffer holds nothing else")]
    NotStorable(&'static str),
    /// More words than a workgroup's memory has room for.
    #[error("`Acc` takes {words} words of 32 bits: at most {limit}")]
    TooLarge {
        /// The words it takes.
        words: usize,
        /// The most.
        limit: usize,
    },
    /// The text has something that belongs to a whole shader, or by which invocations meet: a variable outside of functions, an
    /// override, an entry point, a barrier, a subgroup operation, a derivative or `discard`.
    #[error(
        "{}{what}: an operator is only constants, types, and functions that each invocation calls by itself",
        line.map(|line| format!("line {line}: ")).unwrap_or_default()
    )]
    NotPure {
        /// Where it is, counted from 1, if naga knows.
        line: Option<u32>,
        /// What it is.
        what: &'static str,
    },
}

/// The largest accumulator: 256 of them fit the 16 KiB of workgroup memory that every device has.
const MOST_WORDS: usize = 16;

/// How many inputs an operator maps together: [`Source::of`](crate::reduce::Source::of) or
/// [`Source::pairs`](crate::reduce::Source::pairs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arity {
    /// `map(elem: Elem, index: u32) -> Acc`.
    One,
    /// `map(first: Elem, second: Elem, index: u32) -> Acc`.
    Two,
}

/// How an operator's accumulators meet in one atomic word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtomicWord {
    /// The word's type: `u32`, `i32`, `f32`, `u64` or `i64`.
    pub(crate) word: &'static str,
    /// The built-in that does it in one step, or `None` for a compare-exchange loop on the bits.
    pub(crate) native: Option<&'static str>,
    /// What the device needs for it.
    pub(crate) features: Features,
}

/// An operator over an element type, complete and checked: what a [`Reducer`](crate::reduce::Reducer) is compiled from.
///
/// The operators that halofold knows come from [`Op::over`](crate::reduce::Op::over); [`Monoid::custom`] takes your own. A plain
/// value: no device is asked.
#[derive(Clone, Debug)]
pub struct Monoid {
    pub(crate) name: String,
    op: Option<Op>,
    element: Element,
    arity: Arity,
    /// What the input binding is an array of, in WGSL.
    pub(crate) elem: &'static str,
    /// The text, in pieces with their headings.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) acc: Layout,
    pub(crate) out: Layout,
    /// The subgroup built-in for `combine`, where there is one.
    pub(crate) subgroup: Option<&'static str>,
    is_finished: bool,
    /// Whether the text has a `map4` of its own.
    pub(crate) has_map4: bool,
    features: Features,
    /// The format of its states, if it is an exact one.
    format: Option<Format>,
    /// The same operator, exact, where there is one.
    exact: Option<Box<Monoid>>,
}

impl Monoid {
    /// Your own operator.
    ///
    /// `wgsl` declares a type `Acc` (a number, a vector or a struct of those) and the functions
    ///
    /// ```wgsl
    /// fn map(elem: Elem, index: u32) -> Acc        // an element, and its place in the input or segment, from 0
    /// fn identity() -> Acc                         // combine(identity(), a) = a
    /// fn combine(a: Acc, b: Acc) -> Acc            // associative and commutative
    /// fn finish(acc: Acc, n: u32) -> Out           // the result, given the number of elements
    /// ```
    ///
    /// `Elem` is the element type, declared for you (`f32` for [`Element::F32`], and so on); `Out` is whatever type
    /// `finish` returns: a number, a vector or a struct of those, too. With [`Arity::Two`], `map` takes an element of each input. A function
    /// `map4(elems: vec4<Elem>, index: u32) -> Acc` (`map4(first: vec4<Elem>, second: vec4<Elem>, index: u32)`) may say how four
    /// elements become one accumulator in fewer operations; `index` is the first one's. Helper functions, constants and types are
    /// yours to add; variables outside of functions, bindings and directives are not (`enable f16;` is added where the text
    /// names `f16`), nor barriers and subgroup operations: each invocation calls the functions by itself.
    ///
    /// `Acc` has 16 words of 32 bits at most, a 64-bit number counting two and a 16-bit one, as it travels, one. Elements are combined in an
    /// order of halofold's, and with identities in between. Where `combine` rounds, results are as
    /// [deterministic](crate#determinism) as those of a float sum. NaN is what your functions make of it. Results lie in the output as
    /// WGSL lays out `array<Out>`: [`Monoid::out_size`] is the distance.
    ///
    /// The text is parsed and validated here, on the CPU, in well under a millisecond; nothing is compiled for a device yet.
    /// `name` appears in labels and errors only.
    ///
    /// ```
    /// use halofold::reduce::{Arity, Extent, Form, Input, Monoid, Output, Reducer, Shape, Source, Workspace};
    /// use halofold::{Element, wgpu};
    ///
    /// /// Mean of the elements above zero, and how many those are.
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
    /// /// Records that of the first `len` floats of `elements`, into eight bytes of `result`.
    /// fn record_mean_above_zero(
    ///     device: &wgpu::Device,
    ///     encoder: &mut wgpu::CommandEncoder,
    ///     elements: &wgpu::Buffer,
    ///     len: u64,
    ///     result: &wgpu::Buffer,
    /// ) -> Result<(), Box<dyn std::error::Error>> {
    ///     let monoid = Monoid::custom("mean-above-zero", Element::F32, Arity::One, MEAN_ABOVE_ZERO)?;
    ///     let reducer = Reducer::new(device, monoid, Form::Whole)?;
    ///     let plan = reducer.plan(Shape::Whole, &[Extent { offset: 0, len }], None)?;
    ///     let workspace = Workspace::new(device, &plan);
    ///     let input = [Input { buffer: elements, offset: 0, len }];
    ///     let output = Output { buffer: result, offset: 0 };
    ///     reducer.prepare(device, Source::of(&input), Shape::Whole, output, &workspace)?.encode(encoder);
    ///     Ok(())
    /// }
    /// # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
    /// # let Some((device, queue)) = opened else { return };
    /// # use wgpu::util::DeviceExt as _;
    /// # let elements: Vec<f32> = (0..1000).map(|i| if i % 4 == 0 { 2.5 } else { -(i as f32) }).collect();
    /// # let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
    /// #     label: None, contents: bytemuck::cast_slice(&elements), usage: wgpu::BufferUsages::STORAGE });
    /// # let result = device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 8,
    /// #     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, mapped_at_creation: false });
    /// # let mut encoder = device.create_command_encoder(&Default::default());
    /// # record_mean_above_zero(&device, &mut encoder, &elements, 1000, &result).unwrap();
    /// # let readback = halofold::read::Readback::new(&device, 8);
    /// # readback.encode(&mut encoder, &result, 0, 8).unwrap();
    /// # queue.submit([encoder.finish()]);
    /// # let bytes = readback.wait(&device, 8).unwrap();
    /// # assert_eq!((&bytes[..4], &bytes[4..]), (&2.5f32.to_ne_bytes()[..], &250u32.to_ne_bytes()[..]));
    /// ```
    ///
    /// # Errors
    ///
    /// Points at the line of `wgsl` that is wrong.
    pub fn custom(name: &str, element: Element, arity: Arity, wgsl: &str) -> Result<Self, MonoidError> {
        let pieces = vec![Piece::new(format!("operator: {name}"), wgsl.to_owned())];
        Monoid::analyse(name, element, arity, element.name(), pieces)
    }

    /// Parses and checks the pieces of an operator.
    pub(crate) fn analyse(
        name: &str,
        element: Element,
        arity: Arity,
        elem: &'static str,
        pieces: Vec<Piece>,
    ) -> Result<Self, MonoidError> {
        let text = Source::new(elem, &pieces);
        let (module, info) = text.parse()?;
        if let Some((span, what)) = validate::impurity(&module, &info) {
            return Err(MonoidError::NotPure { line: span.is_defined().then(|| text.line(span)), what });
        }
        let signatures = Signatures { module: &module, text: &text };
        let acc = signatures.result("identity", "fn identity() -> Acc")?;
        let out = signatures.result("finish", "fn finish(acc: Acc, n: u32) -> Out")?;
        let acc_layout = Layout::of(&module, acc).ok_or(MonoidError::NotStorable("Acc"))?;
        let out_layout = Layout::of(&module, out).ok_or(MonoidError::NotStorable("Out"))?;
        let a = acc_layout.wgsl.as_str();
        let inputs = if arity == Arity::Two { 2 } else { 1 };
        let map = [vec![elem; inputs], vec!["u32"]].concat();
        let vector = format!("vec4<{elem}>");
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
            return Err(MonoidError::TooLarge { words: acc_layout.words(), limit: MOST_WORDS });
        }
        let features = features(&module, &info, elem);
        Ok(Monoid {
            name: name.to_owned(),
            op: None,
            element,
            arity,
            elem,
            pieces,
            acc: acc_layout,
            out: out_layout,
            subgroup: None,
            is_finished: signatures.returns_argument("finish"),
            has_map4,
            features,
            format: None,
            exact: None,
        })
    }

    /// The same as one of halofold's own, with the subgroup built-in that does what `combine` does where that is on one number.
    pub(crate) fn known_as(self, op: Op, subgroup: Option<&'static str>) -> Self {
        let subgroup = subgroup.filter(|_| self.acc.is_scalar());
        let known = Monoid { op: Some(op), subgroup, ..self };
        let exact = Format::of(op, known.element).map(|format| Box::new(known.in_format(format)));
        Monoid { exact, ..known }
    }

    /// The same operator by whole numbers.
    fn in_format(&self, format: Format) -> Self {
        Monoid {
            elem: "u32",
            pieces: format.pieces(self.element),
            acc: format.accumulator(),
            out: format.output(),
            subgroup: None,
            is_finished: false,
            has_map4: false,
            features: Features::empty(),
            format: Some(format),
            ..self.clone()
        }
    }

    /// The same operator with [exact](crate::reduce::exact) sums, of which this is one already, or has one; `None` for all others. A
    /// reducer with [`Accuracy::Exact`](crate::reduce::Accuracy::Exact) takes either.
    pub fn exact(&self) -> Option<&Monoid> {
        if self.format.is_some() { Some(self) } else { self.exact.as_deref() }
    }

    /// The format of its states, if its sums are exact.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// Which of halofold's own operators it is; `None` for a custom one.
    pub fn op(&self) -> Option<Op> {
        self.op
    }

    /// The name it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the inputs hold.
    pub fn element(&self) -> Element {
        self.element
    }

    /// How many inputs it maps together.
    pub fn arity(&self) -> Arity {
        self.arity
    }

    /// Bytes from one result to the next in the output buffer. Whatever number of results there is, a whole number of words of
    /// four bytes is bound: [`Plan::output`](crate::reduce::Plan::output).
    pub fn out_size(&self) -> u64 {
        self.out.stride
    }

    /// The type of a result, as WGSL writes it.
    pub fn out_type(&self) -> &str {
        &self.out.wgsl
    }

    /// Bytes from one accumulator to the next in a buffer of [states](crate::reduce#states).
    pub fn acc_size(&self) -> u64 {
        self.acc.stride
    }

    /// The type of an accumulator, as WGSL writes it.
    pub fn acc_type(&self) -> &str {
        &self.acc.wgsl
    }

    /// What a device needs besides for [`Shape::Accumulate`](crate::reduce::Shape::Accumulate), perhaps nothing; `None` if
    /// the operator does not go with it.
    ///
    /// Counts, `any` and `all` do, of every type; sums, dot products, minima, maxima, maximum norms and bits of integers (those of 64
    /// bits with [`Features::SHADER_INT64_ATOMIC_ALL_OPS`]); sums, dot products and L1 norms of floats of 16 and 32 bits (with
    /// [`Features::SHADER_FLOAT32_ATOMIC`]). What `finish` has to work on does not, nor does a custom operator.
    pub fn accumulates(&self) -> Option<Features> {
        let word = self.atomic(Features::all()).filter(|word| self.is_finished && word.native.is_some())?;
        Some(word.features)
    }

    /// How accumulators meet in one atomic word on a device with these features; `None` where no word is wide enough, or results
    /// are other words than accumulators.
    pub(crate) fn atomic(&self, available: Features) -> Option<AtomicWord> {
        let (acc, out) = (&self.acc, &self.out);
        if !(acc.is_scalar() && out.is_scalar() && acc.stride == out.stride) {
            return None;
        }
        let call = self.subgroup.and_then(|call| call.strip_prefix("subgroup"));
        let calls = ["atomicAdd", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor"];
        let native = calls.into_iter().find(|name| name.strip_prefix("atomic") == call);
        let (word, native, features) = match (acc.wgsl.as_str(), native) {
            ("u32", native) => ("u32", native, Features::empty()),
            ("i32", native) => ("i32", native, Features::empty()),
            ("f32", Some("atomicAdd")) if available.contains(Features::SHADER_FLOAT32_ATOMIC) => {
                ("f32", native, Features::SHADER_FLOAT32_ATOMIC)
            }
            ("f32", _) => ("u32", None, Features::empty()),
            ("i64", native) => ("i64", native, Features::SHADER_INT64_ATOMIC_ALL_OPS),
            ("u64", native) => ("u64", native, Features::SHADER_INT64_ATOMIC_ALL_OPS),
            ("f64", _) => ("u64", None, Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS),
            _ => return None,
        };
        Some(AtomicWord { word, native, features })
    }

    /// Whether `finish` returns the accumulator as it is.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// What the operator's own text needs, with nothing that moves accumulators as words.
    pub(crate) fn own_features(&self) -> Features {
        self.features
    }

    /// What a device needs to run it in every form but [`Form::Accumulate`](crate::reduce::Form::Accumulate), which may need
    /// [more](Monoid::accumulates). Nothing, for most operators over types of 32 bits.
    pub fn features(&self) -> Features {
        // Accumulators of 64 bits travel as words, which 64-bit integers take apart.
        if self.acc.is_wide() { self.features | Features::SHADER_INT64 } else { self.features }
    }
}

/// An operator's text as naga reads it: the user's lines first, so that they keep their numbers.
struct Source {
    text: String,
    /// Columns by which the first line is shifted.
    shift: u32,
}

impl Source {
    fn new(elem: &str, pieces: &[Piece]) -> Self {
        let enable = if elem == "f16" || mentions_f16(pieces) { "enable f16; " } else { "" };
        let body: Vec<_> = pieces.iter().map(|piece| piece.text.as_ref()).collect();
        Source {
            text: format!("{enable}{}\nalias Elem = {elem};\n", body.join("\n")),
            shift: enable.len() as u32,
        }
    }

    fn parse(&self) -> Result<(Module, ModuleInfo), MonoidError> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|error| {
            self.at(error.location(&self.text), error.emit_to_string_with_path(&self.text, "operator"))
        })?;
        let validated = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
        let info = validated.map_err(|error| {
            self.at(error.location(&self.text), error.emit_to_string_with_path(&self.text, "operator"))
        })?;
        Ok((module, info))
    }

    fn at(&self, location: Option<naga::SourceLocation>, message: String) -> MonoidError {
        MonoidError::Invalid(match location {
            Some(at) => {
                let shift = if at.line_number == 1 { self.shift } else { 0 };
                format!(
                    "line {}, column {}: {message}",
                    at.line_number,
                    at.line_position.saturating_sub(shift).max(1)
                )
            }
            None => message,
        })
    }

    fn line(&self, span: Span) -> u32 {
        if span.is_defined() { span.location(&self.text).line_number } else { 1 }
    }
}

fn mentions_f16(pieces: &[Piece]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    pieces.iter().any(|piece| piece.text.split(|c| !is_part(c)).any(|word| word == "f16"))
}

/// The functions of an operator's module.
struct Signatures<'a> {
    module: &'a Module,
    text: &'a Source,
}

impl Signatures<'_> {
    fn find(&self, name: &str) -> Option<(Handle<naga::Function>, &naga::Function)> {
        self.module.functions.iter().find(|(_, function)| function.name.as_deref() == Some(name))
    }

    /// Whether all that a function does is return its first parameter, itself or by functions that do nothing else.
    fn returns_argument(&self, name: &str) -> bool {
        self.find(name).is_some_and(|(_, function)| self.returned(function) == Some(0))
    }

    /// The number of the parameter that a function returns as it is, if it does.
    fn returned(&self, function: &naga::Function) -> Option<u32> {
        use naga::{Expression, Statement};
        let (last, before) = function.body.split_last()?;
        let Statement::Return { value: Some(value) } = last else { return None };
        let mut value = *value;
        // From the last call to the first: what one returns is an argument of it, perhaps an earlier call's result.
        for statement in before.iter().rev() {
            match statement {
                Statement::Emit(_) => {}
                Statement::Call { function, arguments, result } => {
                    if *result == Some(value) {
                        let callee = &self.module.functions[*function];
                        value = *arguments.get(self.returned(callee)? as usize)?;
                    }
                }
                _ => return None,
            }
        }
        match function.expressions[value] {
            Expression::FunctionArgument(number) => Some(number),
            _ => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The type that a function returns.
    fn result(&self, name: &'static str, expected: &'static str) -> Result<Handle<Type>, MonoidError> {
        let (handle, function) = self.find(name).ok_or(MonoidError::Missing { expected })?;
        function.result.as_ref().map(|result| result.ty).ok_or_else(|| MonoidError::Signature {
            line: self.text.line(self.module.functions.get_span(handle)),
            function: name,
            expected: expected.to_owned(),
        })
    }

    /// Checks parameters and result.
    fn check(&self, name: &'static str, parameters: &[&str], result: &str) -> Result<(), MonoidError> {
        let declaration = match name {
            "map" => "fn map(elem: Elem, index: u32) -> Acc",
            "combine" => "fn combine(a: Acc, b: Acc) -> Acc",
            _ => "a function of the quartet",
        };
        let (handle, function) = self.find(name).ok_or(MonoidError::Missing { expected: declaration })?;
        let has: Option<Vec<_>> =
            function.arguments.iter().map(|argument| layout::name(self.module, argument.ty)).collect();
        let returns = function.result.as_ref().and_then(|returned| layout::name(self.module, returned.ty));
        let fits = has.is_some_and(|has| has.iter().map(String::as_str).eq(parameters.iter().copied()));
        if fits && returns.as_deref() == Some(result) {
            return Ok(());
        }
        Err(MonoidError::Signature {
            line: self.text.line(self.module.functions.get_span(handle)),
            function: name,
            expected: format!("fn {name}({}) -> {result}", parameters.join(", ")),
        })
    }
}

/// What a device needs for the types of a module: those it declares, and those that only its expressions have.
fn features(module: &Module, info: &ModuleInfo, elem: &str) -> Features {
    let element = match elem {
        "f16" => Features::SHADER_F16,
        "f64" => Features::SHADER_F64,
        "i64" | "u64" => Features::SHADER_INT64,
        _ => Features::empty(),
    };
    let declared = module.types.iter().filter_map(|(_, ty)| ty.inner.scalar());
    let computed = module.functions.iter().flat_map(|(handle, function)| {
        let info = &info[handle];
        function.expressions.iter().filter_map(|(at, _)| info[at].ty.inner_with(&module.types).scalar())
    });
    declared.chain(computed).fold(element, |features, scalar| {
        features
            | match (scalar.kind, scalar.width) {
                (naga::ScalarKind::Float, 2) => Features::SHADER_F16,
                (naga::ScalarKind::Float, 8) => Features::SHADER_F64,
                (naga::ScalarKind::Sint | naga::ScalarKind::Uint, 8) => Features::SHADER_INT64,
                _ => Features::empty(),
            }
    })
}
