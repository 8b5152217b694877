//! The layout of an operator's types, computed by naga: their size in a buffer, and their split into words.

use std::fmt::Write as _;

use naga::{Handle, Module, Scalar, ScalarKind, Type, TypeInner};

use crate::element::Element;
use crate::reduce::value::{Field, Number};
use crate::shader::Composer;

/// A WGSL type that a buffer can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The type's name in WGSL.
    pub(crate) wgsl: String,
    /// Bytes from one value of an array to the next.
    pub(crate) stride: u64,
    /// The scalars in order, each with its path: `.key`, `.x`, or an empty path.
    leaves: Vec<Leaf>,
    /// The expression that constructs a value from its scalars.
    recipe: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Leaf {
    path: String,
    /// Offset of its first byte.
    offset: u32,
    scalar: Scalar,
}

impl Leaf {
    fn words(&self) -> usize {
        if self.scalar.width == 8 { 2 } else { 1 }
    }
}

impl Layout {
    /// Returns the layout of a type; `None` if no buffer can hold it or halofold cannot split it.
    pub(crate) fn of(module: &Module, ty: Handle<Type>) -> Option<Self> {
        let stride = stride(module, ty)?;
        let mut leaves = Vec::new();
        let recipe = take_apart(module, ty, ("", 0), &mut leaves)?;
        Some(Layout { wgsl: name(module, ty)?, stride, leaves, recipe })
    }

    /// Makes the layout of a type of words at these paths, with the expression that constructs it and its stride in bytes.
    pub(crate) fn of_words(wgsl: &str, paths: &[&str], recipe: &str, stride: u64) -> Self {
        let leaf = |(at, path): (usize, &&str)| Leaf {
            path: (*path).to_owned(),
            offset: 4 * at as u32,
            scalar: Scalar::U32,
        };
        Layout {
            wgsl: wgsl.to_owned(),
            stride,
            leaves: paths.iter().enumerate().map(leaf).collect(),
            recipe: recipe.to_owned(),
        }
    }

    /// Returns its numbers as a buffer holds them.
    pub(super) fn fields(&self) -> Option<Vec<Field>> {
        let field = |leaf: &Leaf| {
            let number = Number::One(Element::of(leaf.scalar)?);
            Some(Field { offset: leaf.offset as usize, number })
        };
        self.leaves.iter().map(field).collect()
    }

    /// Returns the number of 32-bit words that lanes and workgroups exchange per value.
    pub(crate) fn words(&self) -> usize {
        self.leaves.iter().map(Leaf::words).sum()
    }

    /// Returns true if the type is one number.
    pub(crate) fn is_scalar(&self) -> bool {
        self.leaves.len() == 1 && self.leaves[0].path.is_empty()
    }

    /// Returns true if the type is one 32-bit scalar, which subgroup operations take directly.
    pub(crate) fn is_word(&self) -> bool {
        self.is_scalar() && self.leaves[0].scalar.width == 4
    }

    /// Returns true if a scalar has 64 bits: splitting it takes 64-bit integers.
    pub(crate) fn is_wide(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.scalar.width == 8)
    }

    /// Returns the number of words of the vector or array that holds a value.
    fn padded(&self) -> usize {
        let count = self.words();
        if count > 4 { count } else { count.next_power_of_two().max(2) }
    }

    /// Adds what `#import <words>` declares, and the constants: words of an accumulator, and words of what holds it.
    pub(crate) fn described(&self, composer: Composer) -> Composer {
        let composer = composer.number("WORDS", self.words() as u32).number("PADDED", self.padded() as u32);
        composer.generate("words", "an accumulator as words", self.words_piece())
    }

    /// Generates WGSL that splits a value into words and rebuilds it.
    fn words_piece(&self) -> String {
        let count = self.words();
        let alias = match count {
            0..=2 => "vec2<u32>".to_owned(),
            3 | 4 => "vec4<u32>".to_owned(),
            more => format!("array<u32, {more}>"),
        };
        let mut to = Vec::new();
        let mut from = self.recipe.clone();
        let mut at = 0;
        for (number, leaf) in self.leaves.iter().enumerate() {
            let value = format!("acc{}", leaf.path);
            let (words, back) = convert(leaf.scalar, &value, at);
            at += words.len();
            to.extend(words);
            from = from.replace(&format!("{{{number}}}"), &back);
        }
        to.resize(self.padded(), "0u".to_owned());
        let mut text = format!("alias Words = {alias};\nconst ACC_WORDS: u32 = {count}u;\n\n");
        let (ty, to) = (&self.wgsl, to.join(", "));
        let _ = write!(text, "fn to_words(acc: {ty}) -> Words {{\n    return Words({to});\n}}\n\n");
        let _ = write!(text, "fn from_words(words: Words) -> {ty} {{\n    return {from};\n}}\n");
        text
    }
}

/// Returns the words of a scalar, and the expression that rebuilds it from words starting at `at`.
fn convert(scalar: Scalar, value: &str, at: usize) -> (Vec<String>, String) {
    let word = |k: usize| format!("words[{}]", at + k);
    match (scalar.kind, scalar.width) {
        (ScalarKind::Uint, 4) => (vec![value.to_owned()], word(0)),
        (kind, 4) => {
            let ty = if kind == ScalarKind::Float { "f32" } else { "i32" };
            (vec![format!("bitcast<u32>({value})")], format!("bitcast<{ty}>({})", word(0)))
        }
        (_, 2) => (vec![format!("bitcast<u32>(f32({value}))")], format!("f16(bitcast<f32>({}))", word(0))),
        (kind, _) => {
            let bits =
                if kind == ScalarKind::Uint { value.to_owned() } else { format!("bitcast<u64>({value})") };
            let whole = format!("((u64({}) << 32u) | u64({}))", word(1), word(0));
            let back = match kind {
                ScalarKind::Uint => whole,
                ScalarKind::Float => format!("bitcast<f64>({whole})"),
                _ => format!("bitcast<i64>({whole})"),
            };
            (vec![format!("u32({bits} & 0xfffffffflu)"), format!("u32({bits} >> 32u)")], back)
        }
    }
}

/// Collects the scalars of a type at this path and offset, and returns the expression that constructs it. `{k}` stands for scalar number
/// `k`.
fn take_apart(
    module: &Module,
    ty: Handle<Type>,
    (path, offset): (&str, u32),
    leaves: &mut Vec<Leaf>,
) -> Option<String> {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar) if Element::of(*scalar).is_some() => {
            leaves.push(Leaf { path: path.to_owned(), offset, scalar: *scalar });
            Some(format!("{{{}}}", leaves.len() - 1))
        }
        TypeInner::Vector { size, scalar } if Element::of(*scalar).is_some() => {
            let parts: Vec<_> = (0..)
                .zip(&["x", "y", "z", "w"][..*size as usize])
                .map(|(nth, component)| {
                    let offset = offset + nth * u32::from(scalar.width);
                    leaves.push(Leaf { path: format!("{path}.{component}"), offset, scalar: *scalar });
                    format!("{{{}}}", leaves.len() - 1)
                })
                .collect();
            Some(format!("{}({})", name(module, ty)?, parts.join(", ")))
        }
        TypeInner::Struct { members, .. } => {
            let parts: Option<Vec<_>> = members
                .iter()
                .map(|member| {
                    let path = format!("{path}.{}", member.name.as_deref()?);
                    take_apart(module, member.ty, (&path, offset + member.offset), leaves)
                })
                .collect();
            Some(format!("{}({})", name(module, ty)?, parts?.join(", ")))
        }
        _ => None,
    }
}

/// Returns the bytes from one value of a type to the next in an array.
pub(crate) fn stride(module: &Module, ty: Handle<Type>) -> Option<u64> {
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    Some(u64::from(layouter[ty].to_stride()))
}

/// Returns the name of a type in WGSL.
pub(crate) fn name(module: &Module, ty: Handle<Type>) -> Option<String> {
    let ty = &module.types[ty];
    match &ty.inner {
        TypeInner::Scalar(scalar) => Element::of(*scalar).map(|element| element.to_string()),
        TypeInner::Vector { size, scalar } => Some(format!("vec{}<{}>", *size as u8, Element::of(*scalar)?)),
        TypeInner::Struct { .. } => ty.name.clone(),
        _ => None,
    }
}
