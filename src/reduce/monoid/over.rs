//! halofold's own operators over element types.

use crate::element::Element;
use crate::gpu::error::Error;
use crate::reduce::elem::Elem;
use crate::reduce::monoid::Monoid;
use crate::reduce::op::Op;
use crate::shader::{Composer, rooms};

impl Op {
    /// Returns the operator over an element type. This parses and checks the operator's WGSL on the CPU, in well under a millisecond.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if [`Op::is_over`] is false.
    pub fn over(self, element: Element) -> Result<Monoid, Error> {
        self.reading(element, self.wgsl(element))
    }

    /// The operator over an element type that WGSL reads as another one.
    pub(in crate::reduce) fn reading(self, element: Element, wgsl: &'static str) -> Result<Monoid, Error> {
        if !self.is_over(element) {
            return Err(Error::setting("element", format!("`{self}` is not defined for {element}")));
        }
        let elem = Elem::Number { element, wgsl };
        let composer = element.defines(Composer::of(&[rooms::OPERATORS, rooms::SHARED, rooms::EXACT]));
        let key = if elem.is_in_words() { "words" } else { "number" };
        let composer = composer
            .choose("operators/keys", key)
            .choose("operators/key_pair", key)
            .choose("operators/best_of_four", key);
        let file = format!("operators/{}", self.name().replace('-', "_"));
        let monoid = Monoid::analyse(self.name(), elem, self.arity(), composer.pieces(&file))?;
        Ok(monoid.known_as(self, self.subgroup()))
    }
}
