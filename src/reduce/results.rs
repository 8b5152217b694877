//! Conversion of results to Rust types.

use bytemuck::pod_read_unaligned;

use crate::element::{Element, Value};
use crate::gpu::error::{DataError, Error};
use crate::reduce::value::{Field, Number};

/// A type that [`Reduction::run`](crate::reduce::Reduction::run) can return: one result, or a `Vec` of all results. One
/// result is a number, a tuple or an array of such types, [`Value`] for any number, or [`Numbers`] for any result. Applications do not
/// implement it: its functions take types that are private.
///
/// | result in WGSL | type in Rust |
/// |---|---|
/// | `f32`, `u32`, … | `f32`, `u32`, … (of `f16` [`half::f16`]) |
/// | a value and its index | `(f32, u32)` |
/// | `vec3<f32>` | `[f32; 3]` or `(f32, f32, f32)` |
/// | `struct Out { low: vec2<f32>, count: u32 }` | `([f32; 2], u32)` |
/// | the exact sum of 32-bit integers | `u64` or `i64` |
/// | the exact sum of 64-bit integers | `i128` |
/// | a [state](crate::reduce#states) | its numbers in the same way |
/// | a state of an [exact sum](crate::reduce::exact) | `[i64; 16]` of f32 and f16, `[i64; 25]` of products, `[i64; 73]` of f64 |
///
/// The numbers are taken in the order of their offsets, and it does not matter how tuples and arrays group them.
/// A tuple has at most eight members; more go into tuples of tuples and arrays:
///
/// ```
/// use halofold::{Compiled, Element, Options};
/// use halofold::reduce::{Arity, Monoid, Reduce};
///
/// # let Some((device, _queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// let wgsl = "
/// alias Acc = f32;
/// struct Out { low: f32, high: f32, sum: f32, mean: f32, a: vec4<f32>, b: f32, count: u32 }
/// fn map(elem: Elem, index: u32) -> Acc { return elem; }
/// fn identity() -> Acc { return 0.0; }
/// fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
/// fn finish(acc: Acc, n: u32) -> Out { return Out(acc, acc, acc, acc, vec4(acc), acc, n); }
/// ";
/// let reducer = Compiled::new(&device, Reduce::new(Monoid::custom("ten", Element::F32, Arity::One, wgsl)?), &Options::default())?;
/// type Out = ((f32, f32, f32, f32), [f32; 4], (f32, u32));
/// let bytes = [0; 48]; // as read from the output
/// let ((low, high, sum, mean), a, (b, count)): Out = reducer.results(&bytes)?;
/// # assert_eq!((low, high, sum, mean, a, b, count), (0.0, 0.0, 0.0, 0.0, [0.0; 4], 0.0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FromResults: Sized {
    /// Takes the numbers of one result from those that are left; `None` if their types do not match.
    #[doc(hidden)]
    fn from_fields(fields: &mut Fields<'_>) -> Option<Self>;

    /// Converts the results; `None` if their types do not match.
    #[doc(hidden)]
    fn from_results(layout: &OutputLayout, bytes: &[u8]) -> Option<Self> {
        layout.result(bytes, 0)
    }

    /// Returns true if it can hold `count` results.
    #[doc(hidden)]
    fn takes(count: u64) -> bool {
        count == 1
    }
}

/// The numbers of one result that have not been read yet.
#[derive(Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    rest: std::slice::Iter<'a, Field>,
}

impl<'a> Fields<'a> {
    /// Takes the next number, if it has this type.
    fn next(&mut self, number: Number) -> Option<&'a [u8]> {
        let field = self.rest.next().filter(|field| field.number == number)?;
        self.bytes.get(field.offset..)
    }
}

/// The layout of results in an output buffer.
#[derive(Debug)]
pub struct OutputLayout {
    /// The operator.
    pub(super) name: String,
    /// The numbers of one result.
    pub(super) fields: Vec<Field>,
    /// Bytes from one result to the next.
    pub(crate) stride: u64,
}

impl OutputLayout {
    /// The layout of an array of elements.
    pub(crate) fn of(name: &str, element: Element) -> Self {
        let number = Field { offset: 0, number: Number::One(element) };
        OutputLayout { name: name.to_owned(), fields: vec![number], stride: element.size() }
    }

    fn count(&self, bytes: &[u8]) -> usize {
        bytes.len() / self.stride as usize
    }

    fn result<T: FromResults>(&self, bytes: &[u8], nth: usize) -> Option<T> {
        let bytes = bytes.get(nth * self.stride as usize..)?;
        let mut fields = Fields { bytes, rest: self.fields.iter() };
        T::from_fields(&mut fields).filter(|_| fields.rest.next().is_none())
    }

    /// Converts the bytes of an output to results.
    pub(super) fn read<T: FromResults>(&self, bytes: &[u8]) -> Result<T, Error> {
        let count = self.count(bytes) as u64;
        if count == 0 && !T::takes(0) {
            let message = format!("{} bytes: one result of `{}` has {}", bytes.len(), self.name, self.stride);
            return Err(DataError::Format(message).into());
        }
        if !T::takes(count) {
            return Err(not_one(count));
        }
        T::from_results(self, bytes).ok_or_else(|| self.wrong_type::<T>())
    }

    /// Converts the bytes of an array to results, one of type `T` each.
    pub(crate) fn read_all<T: FromResults>(&self, bytes: &[u8]) -> Result<Vec<T>, Error> {
        Vec::from_results(self, bytes).ok_or_else(|| self.wrong_type::<T>())
    }

    /// Checks, before anything is submitted, that `count` results can be read as `T`. It tries with zeros.
    pub(super) fn check<T: FromResults>(&self, count: u64) -> Result<(), Error> {
        if !T::takes(count) {
            return Err(not_one(count));
        }
        self.read::<T>(&vec![0; self.stride as usize]).map(drop)
    }

    fn wrong_type<T>(&self) -> Error {
        let name = |field: &Field| field.number.element().map_or("i128", Element::name);
        let gives: Vec<_> = self.fields.iter().map(name).collect();
        let gives = if let [one] = gives[..] { one.to_owned() } else { format!("({})", gives.join(", ")) };
        let asked = std::any::type_name::<T>();
        Error::setting("type", format!("`{}` gives {gives}, not {asked}", self.name))
    }
}

/// The error of no result, or of several, where one was read.
fn not_one(count: u64) -> Error {
    Error::setting("results", format!("{count} results: ask for a `Vec` of them"))
}

impl<T: FromResults> FromResults for Vec<T> {
    /// All results are no part of one.
    fn from_fields(_fields: &mut Fields<'_>) -> Option<Self> {
        None
    }

    fn from_results(layout: &OutputLayout, bytes: &[u8]) -> Option<Self> {
        (0..layout.count(bytes)).map(|nth| layout.result(bytes, nth)).collect()
    }

    fn takes(_count: u64) -> bool {
        true
    }
}

/// Implements `FromResults` for numbers.
macro_rules! numbers {
    ($($ty:ty = $number:ident;)*) => {
        $(impl FromResults for $ty {
            fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
                let bytes = fields.next(Number::One(Element::$number))?;
                Some(pod_read_unaligned(bytes.get(..size_of::<$ty>())?))
            }
        })*
    };
}

numbers! {
    u32 = U32;
    i32 = I32;
    f32 = F32;
    u64 = U64;
    i64 = I64;
    f64 = F64;
    half::f16 = F16;
}

impl FromResults for Value {
    fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
        let field = fields.rest.next()?;
        Some(field.number.read(fields.bytes.get(field.offset..)?))
    }
}

/// All numbers of one result, however many it has: for programs that learn the operator when they run.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers(pub Vec<Value>);

impl FromResults for Numbers {
    fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
        let count = fields.rest.len();
        (0..count).map(|_| Value::from_fields(fields)).collect::<Option<_>>().map(Numbers)
    }
}

impl FromResults for i128 {
    fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
        match Value::from_fields(fields)? {
            Value::Wide(sum) => Some(sum),
            _ => None,
        }
    }
}

impl<T: FromResults, const N: usize> FromResults for [T; N] {
    fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
        let parts: Option<Vec<T>> = (0..N).map(|_| T::from_fields(fields)).collect();
        parts?.try_into().ok()
    }
}

/// Implements `FromResults` for tuples of up to eight members.
macro_rules! tuples {
    ($(($($part:ident),*);)*) => {
        $(impl<$($part: FromResults),*> FromResults for ($($part,)*) {
            fn from_fields(fields: &mut Fields<'_>) -> Option<Self> {
                Some(($($part::from_fields(fields)?,)*))
            }
        })*
    };
}

tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
    (A, B, C, D, E, F, G);
    (A, B, C, D, E, F, G, H);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: FromResults>(bytes: &[u8], stride: u64, fields: &[Field]) -> Option<T> {
        let layout = OutputLayout { name: String::new(), fields: fields.to_vec(), stride };
        T::from_results(&layout, bytes)
    }

    #[test]
    fn types_are_those_of_the_result() {
        let field = |offset, number| Field { offset, number };
        let bytes = bytemuck::bytes_of(&[1.5f32.to_bits(), 7, 2.5f32.to_bits(), 9]).to_vec();
        let at = [field(0, Number::F32), field(4, Number::U32)];
        assert_eq!(read::<(f32, u32)>(&bytes[..8], 8, &at), Some((1.5, 7)));
        assert_eq!(read::<Vec<(f32, u32)>>(&bytes, 8, &at), Some(vec![(1.5, 7), (2.5, 9)]));
        assert_eq!(read::<(u32, f32)>(&bytes, 8, &at), None);
        let numbers = Numbers(vec![Value::F32(1.5), Value::Unsigned(7)]);
        assert_eq!(read::<Numbers>(&bytes[..8], 8, &at), Some(numbers));
        assert_eq!(read::<f32>(&bytes, 8, &at), None, "a number is left");
        assert_eq!(read::<(f32, u32, u32)>(&bytes, 8, &at), None, "a number is missing");
        let pair = [field(0, Number::F32), field(8, Number::F32)];
        assert_eq!(read::<[f32; 2]>(&bytes, 16, &pair), Some([1.5, 2.5]));
        assert_eq!(read::<(Value, f32)>(&bytes, 16, &pair), Some((Value::F32(1.5), 2.5)));
        let six: Vec<_> = (0..6).map(|word| field(4 * word, Number::U32)).collect();
        let words = [1u32, 2, 3, 4, 5, 6];
        let words = bytemuck::bytes_of(&words);
        assert_eq!(read::<(u32, u32, u32, u32, u32, u32)>(words, 24, &six), Some((1, 2, 3, 4, 5, 6)));
        type Nested = ((u32, u32), [u32; 3], u32);
        assert_eq!(read::<Nested>(words, 24, &six), Some(((1, 2), [3, 4, 5], 6)));
        let halves = bytemuck::bytes_of(&[-1i64, 5]).to_vec();
        assert_eq!(read::<i128>(&halves, 16, &[field(0, Number::Halves(Element::I64))]), Some(5 - (1 << 32)));
    }
}
