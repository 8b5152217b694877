//! The element types that a buffer can hold, and the values that a reduction returns.

use std::fmt;

use bytemuck::{AnyBitPattern, pod_read_unaligned};
use naga::{Scalar, ScalarKind};
use wgpu::Features;

use crate::parse::by_name;
use crate::shader::Composer;

/// The type of the elements in a buffer.
///
/// `U32`, `I32` and `F32` run everywhere. The others need a feature of the adapter, which
/// [`Element::feature`] names. Minima and maxima of `F64` compare bit patterns and run everywhere, as
/// [exact](crate::reduce::exact) sums do (see [`crate::reduce::Op`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Element {
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    I32,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 64-bit signed integer.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// 16-bit float; accumulated in 32 bits.
    F16,
}

impl Element {
    /// All element types. Those that run everywhere come first.
    pub const ALL: [Element; 7] =
        [Element::U32, Element::I32, Element::F32, Element::F64, Element::I64, Element::U64, Element::F16];

    /// The name, the bytes in a buffer, the kind of naga's scalars, and the feature.
    const fn facts(self) -> (&'static str, u8, ScalarKind, Features) {
        match self {
            Element::U32 => ("u32", 4, ScalarKind::Uint, Features::empty()),
            Element::I32 => ("i32", 4, ScalarKind::Sint, Features::empty()),
            Element::F32 => ("f32", 4, ScalarKind::Float, Features::empty()),
            Element::F64 => ("f64", 8, ScalarKind::Float, Features::SHADER_F64),
            Element::I64 => ("i64", 8, ScalarKind::Sint, Features::SHADER_INT64),
            Element::U64 => ("u64", 8, ScalarKind::Uint, Features::SHADER_INT64),
            Element::F16 => ("f16", 2, ScalarKind::Float, Features::SHADER_F16),
        }
    }

    /// The type's name in WGSL and on the command line.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// The size of one element in a buffer, in bytes.
    pub const fn size(self) -> u64 {
        self.facts().1 as u64
    }

    /// Returns true if this is a float type.
    pub const fn is_float(self) -> bool {
        matches!(self.facts().2, ScalarKind::Float)
    }

    /// The feature that a device needs before a shader may compute with this type. Empty if it needs none.
    pub const fn feature(self) -> Features {
        self.facts().3
    }

    /// The type of naga's scalars of this kind and width; `None` of truth values and abstract numbers.
    pub(crate) fn of(Scalar { kind, width }: Scalar) -> Option<Self> {
        Element::ALL.into_iter().find(|element| {
            let (_, bytes, its_kind, _) = element.facts();
            (bytes, its_kind) == (width, kind)
        })
    }

    /// Sets the defines about the type that operators' files may test.
    pub(crate) fn defines(self, composer: Composer) -> Composer {
        composer
            .define("float", self.is_float())
            .define("signed", matches!(self, Element::I32 | Element::I64))
            .define("half", self == Element::F16)
            .define("bits_64", self.size() == 8)
    }

    /// Reads the element at the start of the bytes. A 16-bit float becomes one of 32 bits.
    pub(crate) fn read(self, bytes: &[u8]) -> Value {
        fn first<T: AnyBitPattern>(bytes: &[u8]) -> T {
            pod_read_unaligned(&bytes[..size_of::<T>()])
        }
        match self {
            Element::U32 => Value::Unsigned(first::<u32>(bytes).into()),
            Element::I32 => Value::Signed(first::<i32>(bytes).into()),
            Element::F32 => Value::F32(first(bytes)),
            Element::U64 => Value::Unsigned(first(bytes)),
            Element::I64 => Value::Signed(first(bytes)),
            Element::F64 => Value::F64(first(bytes)),
            Element::F16 => Value::F32(first::<half::f16>(bytes).to_f32()),
        }
    }

    /// Reads all elements.
    ///
    /// # Panics
    ///
    /// If the number of bytes is not a multiple of an element's size.
    pub(crate) fn read_all(self, bytes: &[u8]) -> impl Iterator<Item = Value> {
        let elements = bytes.chunks_exact(self.size() as usize);
        assert!(elements.remainder().is_empty(), "not a whole number of elements");
        elements.map(move |bytes| self.read(bytes))
    }

    /// Converts numbers to the bytes of elements of this float type, each rounded to the nearest.
    pub(crate) fn encode(self, numbers: &[f64]) -> Vec<u8> {
        debug_assert!(self.is_float());
        match self {
            Element::F16 => numbers.iter().flat_map(|x| half::f16::from_f64(*x).to_ne_bytes()).collect(),
            Element::F64 => bytemuck::cast_slice(numbers).to_vec(),
            _ => numbers.iter().flat_map(|x| (*x as f32).to_ne_bytes()).collect(),
        }
    }
}

by_name!(Element, "type", "types");

/// An integer that orders like the float, as kernels compute it. −0 is 0.
pub(crate) fn ordered(x: f32) -> u32 {
    let bits = if x == 0.0 { 0 } else { x.to_bits() };
    bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 }
}

/// A result on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// An unsigned integer of 32 or 64 bits.
    Unsigned(u64),
    /// A signed integer of 32 or 64 bits.
    Signed(i64),
    /// The exact sum of 64-bit integers, which may need more than 64 bits.
    Wide(i128),
    /// A 32-bit float; also what 16-bit floats accumulate to.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
}

impl Value {
    /// Converts the value to the nearest 64-bit float.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Unsigned(x) => x as f64,
            Value::Signed(x) => x as f64,
            Value::Wide(x) => x as f64,
            Value::F32(x) => f64::from(x),
            Value::F64(x) => x,
        }
    }

    /// The integer; `None` of a float.
    pub(crate) fn integer(self) -> Option<i128> {
        match self {
            Value::Unsigned(x) => Some(x.into()),
            Value::Signed(x) => Some(x.into()),
            Value::Wide(x) => Some(x),
            Value::F32(_) | Value::F64(_) => None,
        }
    }

    /// Equality for tests: all NaNs are equal to each other, and -0 differs from +0.
    pub fn same(self, other: Value) -> bool {
        match (self, other) {
            (Value::F32(a), Value::F32(b)) => (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits(),
            (Value::F64(a), Value::F64(b)) => (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unsigned(x) => x.fmt(f),
            Value::Signed(x) => x.fmt(f),
            Value::Wide(x) => x.fmt(f),
            Value::F32(x) => x.fmt(f),
            Value::F64(x) => x.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sameness_is_by_bits() {
        assert!(Value::F32(f32::NAN).same(Value::F32(-f32::NAN)));
        assert!(!Value::F32(0.0).same(Value::F32(-0.0)));
        assert!(!Value::F32(0.0).same(Value::F64(0.0)));
        assert!(Value::Signed(-3).same(Value::Signed(-3)));
    }

    #[test]
    fn ordered_integers_order_like_floats() {
        let above = [1e-45, f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY];
        let below = above.into_iter().rev().map(|x| -x);
        let rising: Vec<_> = below.chain([0.0]).chain(above).collect();
        assert!(rising.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert_eq!(ordered(-0.0), ordered(0.0));
        assert!(ordered(f32::NAN) > ordered(f32::INFINITY));
        assert!(ordered(-f32::NAN) < ordered(f32::NEG_INFINITY));
    }
}
