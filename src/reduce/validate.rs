//! Checks for constructs that no operator may contain. Kernels call an operator's functions in non-uniform
//! control flow, such as loops with more iterations in some invocations than in others. A barrier or a
//! subgroup operation there could hang the GPU or give undefined values.

use naga::valid::{ModuleInfo, ShaderStages};
use naga::{Block, Module, Span, Statement};

/// Finds a construct in an operator's module that only a complete shader may contain, and its span.
pub(super) fn impurity(module: &Module, info: &ModuleInfo) -> Option<(Span, &'static str)> {
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
