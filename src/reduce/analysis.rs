//! An operator's text, as naga reads it: parsed, validated, and its functions checked against the calls of kernels.

use naga::valid::{ModuleInfo, ShaderStages};
use naga::{Block, Handle, Module, Span, Statement, Type};
use wgpu::Features;

use crate::element::Element;
use crate::gpu::error::WgslError;
use crate::gpu::parameters::Parameters;
use crate::reduce::elem::Elem;
use crate::reduce::layout;
use crate::shader::{self, Piece};

/// An operator's text as naga reads it. The user's lines come first, so that they keep their numbers.
pub(super) struct Source {
    text: String,
    /// The columns by which the first line is shifted.
    shift: u32,
}

impl Source {
    pub(super) fn new(elem: Elem, pieces: &[Piece]) -> Self {
        // A text that names `f16` in another word may enable it, too.
        let has_halves = elem.is_half() || pieces.iter().any(|piece| piece.text.contains("f16"));
        let enable = if has_halves { "enable f16; " } else { "" };
        let body: Vec<_> = pieces.iter().map(|piece| piece.text.as_ref()).collect();
        Source { text: format!("{enable}{}\n{}", body.join("\n"), elem.alias()), shift: enable.len() as u32 }
    }

    /// Parses a text that has nothing of a complete shader but parameters, and returns these, too.
    pub(super) fn parse_pure(&self) -> Result<(Module, ModuleInfo, Option<Parameters>), WgslError> {
        let (module, info) = self.parse()?;
        if let Some((span, what)) = impurity(&module, &info) {
            return Err(WgslError::NotPure { line: span.is_defined().then(|| self.line(span)), what });
        }
        let parameters = Parameters::of(&module).map_err(|variable| WgslError::NotPure {
            line: Some(self.line(module.global_variables.get_span(variable))),
            what: "a variable outside of functions",
        })?;
        Ok((module, info, parameters))
    }

    pub(super) fn parse(&self) -> Result<(Module, ModuleInfo), WgslError> {
        shader::validated(&self.text).map_err(|shader::Refusal { spans, report }| {
            WgslError::Invalid(match spans.first().map(|span| span.location(&self.text)) {
                Some(at) => {
                    let shift = if at.line_number == 1 { self.shift } else { 0 };
                    let column = at.line_position.saturating_sub(shift).max(1);
                    format!("line {}, column {column}: {report}", at.line_number)
                }
                None => report,
            })
        })
    }

    pub(super) fn line(&self, span: Span) -> u32 {
        if span.is_defined() { span.location(&self.text).line_number } else { 1 }
    }
}

/// Of a map: the type that it returns, a number or a vector of numbers, the features that its text needs, and the parameters that it declares.
pub(crate) type MapFacts = (String, Features, Option<Parameters>);

/// Checks a text that only declares `map`.
pub(crate) fn map_of(elem: Elem, wgsl: &str) -> Result<MapFacts, WgslError> {
    let expected = "fn map(elem: Elem, index: u32) -> Key";
    function_of(elem, wgsl, ("map", expected), |text| Ok([text.elem(elem)?, "u32".to_owned()]))
}

/// Checks a text that only declares `map_texel`, of texels with these components, as [`map_of`] does.
pub(crate) fn texel_map_of(channel: &str, wgsl: &str) -> Result<MapFacts, WgslError> {
    let expected = match channel {
        "i32" => "fn map_texel(texel: vec4<i32>, at: vec2<u32>) -> Key",
        "u32" => "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> Key",
        _ => "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> Key",
    };
    // The text declares no element.
    let elem = Elem::Declared { stride: 0 };
    let parameters = [format!("vec4<{channel}>"), "vec2<u32>".to_owned()];
    function_of(elem, wgsl, ("map_texel", expected), |_| Ok(parameters))
}

/// Checks a text with one function that kernels call with these parameters.
fn function_of(
    elem: Elem,
    wgsl: &str,
    (name, expected): (&'static str, &'static str),
    parameters: impl FnOnce(&Signatures<'_>) -> Result<[String; 2], WgslError>,
) -> Result<MapFacts, WgslError> {
    let text = Source::new(elem, &[Piece::new("the map", wgsl.to_owned())]);
    let (module, info, declared) = text.parse_pure()?;
    let signatures = Signatures { module: &module, text: &text };
    let returns =
        layout::name(&module, signatures.result(name, expected)?).ok_or(WgslError::NotStorable("Key"))?;
    let parameters = parameters(&signatures)?;
    signatures.check(name, &parameters.each_ref().map(String::as_str), &returns)?;
    Ok((returns, features(&module, &info), declared))
}

/// The functions of an operator's module.
pub(super) struct Signatures<'a> {
    pub(super) module: &'a Module,
    pub(super) text: &'a Source,
}

impl Signatures<'_> {
    fn find(&self, name: &str) -> Option<(Handle<naga::Function>, &naga::Function)> {
        self.module.functions.iter().find(|(_, function)| function.name.as_deref() == Some(name))
    }

    /// Returns true if a function only returns its first parameter, directly or through functions that only do so.
    pub(super) fn returns_argument(&self, name: &str) -> bool {
        self.find(name).is_some_and(|(_, function)| self.returned(function) == Some(0))
    }

    /// The index of the parameter that a function returns unchanged, if there is one.
    fn returned(&self, function: &naga::Function) -> Option<u32> {
        use naga::Expression;
        let (last, before) = function.body.split_last()?;
        let Statement::Return { value: Some(value) } = last else { return None };
        let mut value = *value;
        // From the last call to the first: a call returns one of its arguments, which may be an earlier call's result.
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

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// True if a function uses its last parameter; false of one that is not there.
    pub(super) fn uses_last(&self, name: &str, info: &ModuleInfo) -> bool {
        self.find(name).is_some_and(|(handle, function)| {
            let last = naga::Expression::FunctionArgument(function.arguments.len().saturating_sub(1) as u32);
            let mut expressions = function.expressions.iter();
            expressions.any(|(at, expression)| *expression == last && info[handle][at].ref_count > 0)
        })
    }

    /// True if the invocations that run one of the functions may diverge.
    pub(super) fn branches(&self) -> bool {
        use naga::Statement::{If, Loop, Switch};
        let parts = |statement: &Statement| matches!(statement, If { .. } | Switch { .. } | Loop { .. });
        self.module.functions.iter().any(|(_, function)| function.body.iter().any(parts))
    }

    /// The type that a function returns.
    pub(super) fn result(
        &self,
        name: &'static str,
        expected: &'static str,
    ) -> Result<Handle<Type>, WgslError> {
        let (handle, function) = self.find(name).ok_or(WgslError::Missing { expected })?;
        function.result.as_ref().map(|result| result.ty).ok_or_else(|| WgslError::Signature {
            line: self.text.line(self.module.functions.get_span(handle)),
            function: name,
            expected: expected.to_owned(),
        })
    }

    /// The type of an element in WGSL. If the text declares it, its stride must be the given one.
    pub(super) fn elem(&self, elem: Elem) -> Result<String, WgslError> {
        let stride = match elem {
            Elem::Number { wgsl, .. } => return Ok(wgsl.to_owned()),
            Elem::Declared { stride } => stride,
        };
        let expected = "fn map(elem: Elem, index: u32) -> Acc";
        let (_, function) = self.find("map").ok_or(WgslError::Missing { expected })?;
        let ty = function.arguments.first().map(|argument| argument.ty);
        let ty = ty.ok_or(WgslError::Missing { expected })?;
        match (layout::stride(self.module, ty), layout::name(self.module, ty)) {
            (Some(wgsl), Some(_)) if wgsl != stride => Err(WgslError::Stride { wgsl, said: stride }),
            (Some(_), Some(name)) => Ok(name),
            _ => Err(WgslError::NotStorable("Elem")),
        }
    }

    /// Checks parameters and result.
    pub(super) fn check(
        &self,
        name: &'static str,
        parameters: &[&str],
        result: &str,
    ) -> Result<(), WgslError> {
        let declaration = match name {
            "map" => "fn map(elem: Elem, index: u32) -> Acc",
            "combine" => "fn combine(a: Acc, b: Acc) -> Acc",
            "value" => "fn value(x: f32) -> f32",
            _ => "one of the operator's functions",
        };
        let (handle, function) = self.find(name).ok_or(WgslError::Missing { expected: declaration })?;
        let has: Option<Vec<_>> =
            function.arguments.iter().map(|argument| layout::name(self.module, argument.ty)).collect();
        let returns = function.result.as_ref().and_then(|returned| layout::name(self.module, returned.ty));
        let fits = has.is_some_and(|has| has.iter().map(String::as_str).eq(parameters.iter().copied()));
        if fits && returns.as_deref() == Some(result) {
            return Ok(());
        }
        Err(WgslError::Signature {
            line: self.text.line(self.module.functions.get_span(handle)),
            function: name,
            expected: format!("fn {name}({}) -> {result}", parameters.join(", ")),
        })
    }
}

/// The features that a device needs for the types of a module: those that it declares, and those that occur only in its expressions.
pub(super) fn features(module: &Module, info: &ModuleInfo) -> Features {
    let declared = module.types.iter().filter_map(|(_, ty)| ty.inner.scalar());
    let computed = module.functions.iter().flat_map(|(handle, function)| {
        let info = &info[handle];
        function.expressions.iter().filter_map(|(at, _)| info[at].ty.inner_with(&module.types).scalar())
    });
    let elements = declared.chain(computed).filter_map(Element::of);
    elements.fold(Features::empty(), |features, element| features | element.feature())
}

/// Finds a construct in an operator's module that only a complete shader may contain, and its span. Kernels call an operator's functions in
/// non-uniform control flow, such as loops with more iterations in some invocations than in others. A barrier or a subgroup operation there
/// could hang the GPU or give undefined values.
fn impurity(module: &Module, info: &ModuleInfo) -> Option<(Span, &'static str)> {
    if let Some((number, _)) = module.overrides.iter().next() {
        return Some((module.overrides.get_span(number), "an override"));
    }
    if let Some(entry) = module.entry_points.first() {
        // naga does not keep the span of the declaration.
        let mut spans = entry.function.body.span_iter().map(|(_, span)| *span);
        return Some((spans.find(Span::is_defined).unwrap_or_default(), "an entry point"));
    }
    module.functions.iter().find_map(|(handle, function)| {
        // Functions that it calls come before it, so the innermost one is found first.
        let is_for_compute = info[handle].available_stages.contains(ShaderStages::COMPUTE);
        let fragments = (!is_for_compute)
            .then(|| (module.functions.get_span(handle), "what only a fragment shader may have"));
        synchronization(&function.body).or(fragments)
    })
}

/// The first statement that synchronizes invocations.
fn synchronization(block: &Block) -> Option<(Span, &'static str)> {
    block.span_iter().find_map(|(statement, span)| match statement {
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Some((*span, "a barrier")),
        Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. } => Some((*span, "a subgroup operation")),
        Statement::Block(inner) => synchronization(inner),
        Statement::If { accept, reject, .. } => synchronization(accept).or_else(|| synchronization(reject)),
        Statement::Loop { body, continuing, .. } => {
            synchronization(body).or_else(|| synchronization(continuing))
        }
        Statement::Switch { cases, .. } => cases.iter().find_map(|case| synchronization(&case.body)),
        _ => None,
    })
}
