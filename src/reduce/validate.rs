//! What no operator may have. Kernels call its functions wherever they like, in loops that turn more often for some invocations
//! than for others: whatever waits for neighbours there, or asks them, hangs a GPU or gives anything.

use naga::valid::{ModuleInfo, ShaderStages};
use naga::{Block, Module, Span, Statement};

/// What an operator's module has that belongs to a whole shader, and where.
pub(super) fn impurity(module: &Module, info: &ModuleInfo) -> Option<(Span, &'static str)> {
    if let Some((variable, _)) = module.global_variables.iter().next() {
        return Some((module.global_variables.get_span(variable), "a variable outside of functions"));
    }
    if let Some((number, _)) = module.overrides.iter().next() {
        return Some((module.overrides.get_span(number), "an override"));
    }
    if let Some(entry) = module.entry_points.first() {
        // naga does not keep where it is declared.
        let mut spans = entry.function.body.span_iter().map(|(_, span)| *span);
        return Some((spans.find(Span::is_defined).unwrap_or_default(), "an entry point"));
    }
    module.functions.iter().find_map(|(handle, function)| {
        // What it calls comes before it, and so is found first.
        let is_for_compute = info[handle].available_stages.contains(ShaderStages::COMPUTE);
        let fragments =
            (!is_for_compute).then(|| (module.functions.get_span(handle), "what only a fragment shader has"));
        meeting(&function.body).or(fragments)
    })
}

/// The first statement by which invocations meet.
fn meeting(block: &Block) -> Option<(Span, &'static str)> {
    block.span_iter().find_map(|(statement, span)| match statement {
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Some((*span, "a barrier")),
        Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. } => Some((*span, "a subgroup operation")),
        Statement::Block(inner) => meeting(inner),
        Statement::If { accept, reject, .. } => meeting(accept).or_else(|| meeting(reject)),
        Statement::Loop { body, continuing, .. } => meeting(body).or_else(|| meeting(continuing)),
        Statement::Switch { cases, .. } => cases.iter().find_map(|case| meeting(&case.body)),
        _ => None,
    })
}
