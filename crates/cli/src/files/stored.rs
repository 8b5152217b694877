//! Element types that a file may hold, and the GPU type that each is widened to.

use std::fmt;

use halofold::Element;
use halofold_fleet::host::{truths, widened};

/// The type of a file's elements: one that the library reduces, or a narrower one that becomes a 32-bit integer first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Element(Element),
    /// A byte: zero is false, everything else true.
    Bool,
    U8,
    I8,
    U16,
    I16,
}

/// Each type with its name and NumPy's names, without byte order.
const NAMES: [(Stored, &str, [&str; 2]); 12] = [
    (Stored::Bool, "bool", ["b1", "bool"]),
    (Stored::U8, "u8", ["u1", "uint8"]),
    (Stored::I8, "i8", ["i1", "int8"]),
    (Stored::U16, "u16", ["u2", "uint16"]),
    (Stored::I16, "i16", ["i2", "int16"]),
    (Stored::Element(Element::U32), "u32", ["u4", "uint32"]),
    (Stored::Element(Element::I32), "i32", ["i4", "int32"]),
    (Stored::Element(Element::F32), "f32", ["f4", "float32"]),
    (Stored::Element(Element::F64), "f64", ["f8", "float64"]),
    (Stored::Element(Element::I64), "i64", ["i8", "int64"]),
    (Stored::Element(Element::U64), "u64", ["u8", "uint64"]),
    (Stored::Element(Element::F16), "f16", ["f2", "float16"]),
];

impl Stored {
    /// Returns the type to which it is widened for a reduction.
    pub fn element(self) -> Element {
        match self {
            Stored::Element(element) => element,
            Stored::Bool | Stored::U8 | Stored::U16 => Element::U32,
            Stored::I8 | Stored::I16 => Element::I32,
        }
    }

    pub fn size(self) -> u64 {
        match self {
            Stored::Element(element) => element.size(),
            Stored::Bool | Stored::U8 | Stored::I8 => 1,
            Stored::U16 | Stored::I16 => 2,
        }
    }

    pub fn is_packed(self) -> bool {
        !matches!(self, Stored::Element(_))
    }

    fn names(self) -> (&'static str, [&'static str; 2]) {
        let names = NAMES.iter().find(|(stored, ..)| *stored == self);
        names.map_or(("", [""; 2]), |(_, name, numpys)| (name, *numpys))
    }

    pub fn name(self) -> &'static str {
        self.names().0
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, own, _)| *own == name).map(|(stored, ..)| *stored)
    }

    /// Returns the type with this NumPy name, without byte order.
    pub(crate) fn of_numpy(name: &str) -> Option<Self> {
        let name = if name == "?" { "b1" } else { name };
        NAMES.iter().find(|(.., numpys)| numpys.contains(&name)).map(|(stored, ..)| *stored)
    }

    /// Returns NumPy's short name, without byte order.
    pub fn numpy(self) -> &'static str {
        self.names().1[0]
    }

    /// Returns NumPy's dtype string of little-endian elements.
    pub fn descr(self) -> String {
        let mark = if self.size() == 1 { '|' } else { '<' };
        format!("{mark}{}", self.numpy())
    }

    /// Returns true for signed integers.
    pub fn is_signed(self) -> bool {
        matches!(self.element(), Element::I32 | Element::I64)
    }

    pub fn widened(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Stored::Element(_) => bytes,
            Stored::Bool => widened(&truths(bytes), 1, false),
            _ => widened(&bytes, self.size() as usize, self.is_signed()),
        }
    }
}

impl From<Element> for Stored {
    fn from(element: Element) -> Self {
        Stored::Element(element)
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
