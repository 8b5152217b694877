//! Accumulators in one atomic word.

use wgpu::Features;

use super::Monoid;

/// The combination of an operator's accumulators in one atomic word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtomicWord {
    /// The word's type: `u32`, `i32`, `f32`, `u64` or `i64`.
    pub(crate) word: &'static str,
    /// The built-in that combines them in one step, or `None` for a compare-exchange loop on the bits.
    pub(crate) native: Option<&'static str>,
    /// The features that the device needs for it.
    pub(crate) features: Features,
}

impl Monoid {
    /// The additional features that a device needs for
    /// [`Shape::Accumulate`](crate::reduce::Shape::Accumulate), perhaps none; `None` if the operator does not
    /// support that shape.
    ///
    /// These operators support it:
    ///
    /// - counts, `any` and `all` of every type;
    /// - sums, dot products, minima, maxima, maximum norms and bitwise operators of integers (64-bit integers
    ///   with [`Features::SHADER_INT64_ATOMIC_ALL_OPS`]);
    /// - sums, dot products and L1 norms of floats of 16 and 32 bits (with
    ///   [`Features::SHADER_FLOAT32_ATOMIC`]).
    ///
    /// Operators whose `finish` changes the accumulator do not support it, and custom operators do not.
    pub fn accumulates(&self) -> Option<Features> {
        let word = self.atomic(Features::all()).filter(|word| self.is_finished && word.native.is_some())?;
        Some(word.features)
    }

    /// The combination of accumulators in one atomic word on a device with these features; `None` if no word is
    /// wide enough, or if results differ from accumulators.
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
}
