//! halofold's own operators over element types.

use crate::element::Element;
use crate::gpu::error::Error;
use crate::reduce::elem::Elem;
use crate::reduce::monoid::Monoid;
use crate::reduce::op::Op;
use crate::shader::{Composer, rooms};

impl Op {
    /// Returns the operator over an element type. This parses and checks the operator's WGSL on the CPU, in
    /// well under a millisecond.
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
        let file = format!("operators/{}", self.name().replace('-', "_"));
        let composer = compared(
            elem.is_in_words(),
            accumulated(
                element,
                element.defines(Composer::of(&[rooms::OPERATORS, rooms::SHARED, rooms::EXACT])),
            ),
        );
        let monoid = Monoid::analyse(self.name(), elem, self.arity(), composer.pieces(&file))?;
        Ok(monoid.known_as(self, self.subgroup()))
    }
}

/// Sets the imports of operators' files about the type that they accumulate in.
fn accumulated(element: Element, composer: Composer) -> Composer {
    const TYPE: &str = "of the element type";
    // The bits of a float, and those of the smallest normal one.
    let (own, bits, normal) = match element {
        Element::F16 => ("f32", "bitcast<i32>(f32(elem))", "0x38800000u"),
        _ if element.size() == 8 => ("Elem", "elem", "0x0010000000000000lu"),
        _ => ("Elem", "elem", "0x00800000u"),
    };
    composer
        .generate("own", TYPE, format!("alias Acc = {own};"))
        .generate("float_bits", TYPE, format!("fn bits(elem: Elem) -> Key {{\n    return {bits};\n}}"))
        .generate("normal", TYPE, format!("const NORMAL: Bits = {normal};"))
}

/// Chooses the files for keys of one number, or for keys in words.
fn compared(in_words: bool, composer: Composer) -> Composer {
    if in_words {
        return composer
            .choose("keys", "operators/shared/keys_in_words")
            .choose("key_pair", "operators/shared/key_pair_in_words")
            .provide("first_best_of_four", Vec::new());
    }
    composer
}
