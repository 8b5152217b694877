//! The inputs of an operator: how many, and of which elements.

use crate::element::Element;

/// The number of inputs that an operator maps together. [`Both`](crate::reduce::Both) names two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arity {
    /// `map(elem: Elem, index: u32) -> Acc`.
    One,
    /// `map(first: Elem, second: Elem, index: u32) -> Acc`.
    Two,
}

/// The elements of the inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Elem {
    /// Numbers, and the type with which WGSL reads them. Some operators read floats as integers.
    Number { element: Element, wgsl: &'static str },
    /// Values of a type that the operator's text declares as `Elem`, `stride` bytes apart.
    Declared { stride: u64 },
}

impl Elem {
    /// The declaration of `Elem`, unless the operator's text has it.
    pub(crate) fn alias(self) -> String {
        match self {
            Elem::Number { wgsl, .. } => format!("alias Elem = {wgsl};\n"),
            Elem::Declared { .. } => String::new(),
        }
    }

    /// Numbers as words of 32 bits, one or two, whatever they are.
    pub(crate) fn of_words(element: Element) -> Self {
        Elem::Number { element, wgsl: if element.size() == 8 { PAIR_OF_WORDS } else { "u32" } }
    }

    /// Bytes from one element to the next.
    pub(crate) fn stride(self) -> u64 {
        match self {
            Elem::Number { element, .. } => element.size(),
            Elem::Declared { stride } => stride,
        }
    }

    /// The type of a number in WGSL; `None` if the operator's text declares the type.
    pub(in crate::reduce) fn wgsl(self) -> Option<&'static str> {
        match self {
            Elem::Number { wgsl, .. } => Some(wgsl),
            Elem::Declared { .. } => None,
        }
    }

    pub(in crate::reduce) fn is_half(self) -> bool {
        matches!(self, Elem::Number { element: Element::F16, .. })
    }

    /// Returns true if each element is read as two words of 32 bits.
    pub(in crate::reduce) fn is_in_words(self) -> bool {
        matches!(self, Elem::Number { wgsl: PAIR_OF_WORDS, .. })
    }

    /// Returns true if WGSL has vectors of four elements.
    pub(crate) fn has_vectors(self) -> bool {
        matches!(self, Elem::Number { .. }) && !self.is_in_words()
    }
}

/// The WGSL type for 64-bit floats without 64-bit types.
pub(in crate::reduce) const PAIR_OF_WORDS: &str = "vec2<u32>";
