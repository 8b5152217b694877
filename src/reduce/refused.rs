//! Errors of reductions that several rooms return.

use crate::element::Element;
use crate::gpu::error::Error;
use crate::reduce::exact::Format;
use crate::reduce::monoid::Monoid;
use crate::reduce::op::Op;

/// The error of a sum that needs several workgroups in one dispatch, which the options exclude.
pub(super) fn exact_in_one_launch() -> Error {
    let message = "exact sums of several buffers, of a stride and of a count on the GPU combine their partials in one launch, which the \
                   options (`Launches::Two`) exclude: leave a state of each buffer (`Reduce::with_to_states`) and add \
                   these up, or reduce the axis of which the stride is a column";
    Error::setting("launches", message)
}

/// The error of an operator that no atomic operation carries out: [`Monoid::accumulates`] is `None`. None carries out an exact sum.
pub(super) fn no_atomic(monoid: &Monoid) -> Error {
    let (name, element) = (monoid.name(), monoid.element_name());
    let remedy = "use `Shape::Whole` instead of `Shape::Accumulate`, or leave states (`Reduce::with_to_states`) and merge them \
                  (`Reduce::with_from_states`)";
    let message =
        format!("no atomic operation computes `{name}` over {element}, nor any exact sum: {remedy}");
    Error::setting("shape", message)
}

/// The error of an operator that has no exact form.
pub(super) fn not_exact(monoid: &Monoid) -> Error {
    let elements =
        |op: Op| Element::ALL.into_iter().filter(move |element| Format::of(op, *element).is_some());
    let form =
        |op: &Op| format!("{op} of {}", elements(*op).map(Element::name).collect::<Vec<_>>().join(", "));
    let having = Op::ALL.iter().filter(|op| elements(**op).next().is_some());
    let forms = having.map(form).collect::<Vec<_>>().join("; ");
    let (name, element) = (monoid.name(), monoid.element_name());
    let remedy = format!("ask for it without exactness; these have one: {forms}");
    Error::setting("accuracy", format!("`{name}` over {element} has no exact form: {remedy}"))
}
