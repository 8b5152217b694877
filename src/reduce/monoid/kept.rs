//! Forms of an operator that leave elements out: NaNs, or those that a mask does not keep.

use crate::element::Element;
use crate::gpu::error::Error;
use crate::reduce::elem::{Arity, Elem, PAIR_OF_WORDS};
use crate::reduce::monoid::Monoid;
use crate::shader::{Composer, Piece, rooms};

/// The names of an operator's type and functions inside `shaders/operators/shared/kept.wgsl`.
const INNER: [(&str, &str); 6] = [
    ("Acc", "InnerAcc"),
    ("map", "inner_map"),
    ("map4", "inner_map4"),
    ("identity", "inner_identity"),
    ("combine", "inner_combine"),
    ("finish", "inner_finish"),
];

/// The elements that an operator leaves out, and the operator over all of them.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    all: Box<Monoid>,
    skips_nan: bool,
    is_masked: bool,
}

impl Kept {
    /// True of sums with a mask: others need the number of elements that are kept, and exact states do not count them.
    pub(super) fn has_exact_form(&self) -> bool {
        !self.skips_nan && self.is_masked && !self.all.reads_count
    }
}

impl Monoid {
    /// Returns the form of this operator that leaves NaNs out: NumPy's `nansum`, `nanmean`, `nanmin` and so on. Of two inputs it leaves
    /// out the pairs that have one. An operator over integers is returned as it is.
    ///
    /// The result is that of an input without them: a mean divides by the number of the others, and if there are only NaNs, the result is
    /// that of an empty input. Indices still count all elements. An accumulator has a `u32` more, behind its own fields: the number of
    /// elements that were kept. NaNs are known by their bits, on every GPU. The form has no exact sums and no
    /// [`Shape::Accumulate`](crate::reduce::Shape::Accumulate).
    ///
    /// ```
    /// use halofold::{Compiled, Element, Options};
    /// use halofold::reduce::{Op, Reduce};
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let depths = buffer(bytemuck::cast_slice(&[1.5f32, f32::NAN, 2.5, f32::NAN, 2.0]));
    /// let mean = Compiled::new(&device, Reduce::new(Op::Mean.over(Element::F32)?.skipping_nan()?), &Options::default())?;
    /// assert_eq!(mean.of(&depths).run::<f32>(&queue)?, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The elements are of a type that the operator's text declares, or its accumulator has no room for the count.
    pub fn skipping_nan(&self) -> Result<Monoid, Error> {
        match self.element() {
            Some(element) if !element.is_float() => Ok(self.clone()),
            _ => self.keeping(true, self.is_masked()),
        }
    }

    /// Returns the form of this operator with a mask as its second input: it leaves out the elements whose partner there is 0 in all
    /// bits, as NumPy's `where=` does.
    ///
    /// [`Both`](crate::reduce::Both) names the mask `second`: elements of the same type, or any other values of that width,
    /// such as `u32` for `f32`. The result is that of an input of the elements that are kept, as with [`Monoid::skipping_nan`], and the
    /// form has the same accumulator. Both go together. Sums have an exact form, whose states count all elements.
    ///
    /// # Errors
    ///
    /// The operator has two inputs already, its elements are of a type that its text declares, or its accumulator has no room for the count.
    pub fn masked(&self) -> Result<Monoid, Error> {
        self.keeping(self.kept.as_ref().is_some_and(|kept| kept.skips_nan), true)
    }

    /// The form of another operator that leaves out what this one does.
    pub(super) fn keeping_as(&self, other: Monoid) -> Result<Monoid, Error> {
        self.kept.as_ref().map_or(Ok(other.clone()), |kept| other.keeping(kept.skips_nan, kept.is_masked))
    }

    /// True if its second input is a mask.
    pub(crate) fn is_masked(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_masked)
    }

    fn keeping(&self, skips_nan: bool, is_masked: bool) -> Result<Monoid, Error> {
        let all = self.kept.as_ref().map_or(self, |kept| &kept.all);
        let Elem::Number { element, wgsl } = all.elem else { return Err(not_kept()) };
        if is_masked && (all.arity == Arity::Two || all.texels.is_some()) {
            return Err(not_kept());
        }
        let is_pair = is_masked || all.arity == Arity::Two;
        let out =
            Piece::new("generated: the operator's result", format!("alias InnerOut = {};", all.out.wgsl));
        let keeps = keeps(wgsl, element, is_pair, (skips_nan, is_masked));
        let keeps = Piece::new("generated: the elements that are kept", keeps);
        let inner =
            all.pieces.iter().chain([&out]).map(|piece| piece.renamed(&INNER)).chain([keeps]).collect();
        let composer = Composer::of(&[rooms::OPERATORS, rooms::SHARED])
            .define("pair", is_pair)
            .define("masked", is_masked)
            .define("vectors", all.has_map4)
            .provide("inner", inner);
        let name =
            [&*all.name, if skips_nan { "without-nan" } else { "" }, if is_masked { "masked" } else { "" }];
        let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let arity = if is_pair { Arity::Two } else { Arity::One };
        let kept = Self::analyse(&name, all.elem, arity, composer.pieces("operators/shared/kept"))?;
        Ok(Monoid {
            op: all.op,
            features: all.features | kept.features,
            texels: all.texels.clone(),
            kept: Some(Kept { all: Box::new(all.clone()), skips_nan, is_masked }),
            ..kept
        })
    }
}

/// The error of a mask for an operator of two inputs, or of elements left out of those of a type that the operator's text declares.
fn not_kept() -> Error {
    let message = "elements that are NaN are left out of numbers, and those outside of a mask of the numbers in one buffer: over \
                   elements of its own an operator leaves them out in its `map`";
    Error::setting("kept", message)
}

/// The function that says if an element, or a pair, is kept.
fn keeps(wgsl: &str, element: Element, is_pair: bool, (skips_nan, is_masked): (bool, bool)) -> String {
    let is_number = |elem: &str| match (wgsl, element) {
        (PAIR_OF_WORDS, _) => format!(
            "(({elem}.y & 0x7fffffffu) < 0x7ff00000u || (({elem}.y & 0x7fffffffu) == 0x7ff00000u && {elem}.x == 0u))"
        ),
        (_, Element::F64) => {
            format!("((bitcast<u64>({elem}) & 0x7ffffffffffffffflu) <= 0x7ff0000000000000lu)")
        }
        (_, Element::F16) => format!("((bitcast<u32>(f32({elem})) & 0x7fffffffu) <= 0x7f800000u)"),
        _ => format!("((bitcast<u32>({elem}) & 0x7fffffffu) <= 0x7f800000u)"),
    };
    let mut conditions = Vec::new();
    if skips_nan && element.is_float() {
        conditions.push(is_number("a"));
        conditions.extend((is_pair && !is_masked).then(|| is_number("b")));
    }
    if is_masked {
        conditions.push(match (wgsl, element) {
            (PAIR_OF_WORDS, _) => "(b.x | b.y) != 0u".to_owned(),
            (_, Element::F16) => "bitcast<u32>(f32(b)) != 0u".to_owned(),
            _ if element.size() == 8 => "bitcast<u64>(b) != 0lu".to_owned(),
            _ => "bitcast<u32>(b) != 0u".to_owned(),
        });
    }
    let parameters = if is_pair { format!("a: {wgsl}, b: {wgsl}") } else { format!("a: {wgsl}") };
    format!("fn keeps({parameters}) -> bool {{\n    return {};\n}}", conditions.join(" && "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::op::Op;

    #[test]
    fn forms_count_in_a_word_and_keep_names_of_an_operators_own() {
        let wgsl = "struct Acc { map: f32 }
            fn map(elem: Elem, index: u32) -> Acc { return Acc(elem); }
            fn identity() -> Acc { return Acc(0.0); }
            fn combine(a: Acc, b: Acc) -> Acc { return Acc(max(a.map, b.map)); }
            fn finish(acc: Acc, n: u32) -> Acc { return acc; }";
        let own = Monoid::custom("own", Element::F32, Arity::One, wgsl).unwrap();
        let both = own.skipping_nan().unwrap().masked().unwrap();
        assert_eq!((both.name(), both.arity(), both.acc_size()), ("own-without-nan-masked", Arity::Two, 8));
        assert!(own.masked().unwrap().skipping_nan().unwrap().out_elements() == own.out_elements());
        let dot = Op::Dot.over(Element::F32).unwrap();
        assert_eq!(dot.masked().err(), Some(not_kept()));
        assert_eq!(dot.skipping_nan().unwrap().arity(), Arity::Two);
        assert_eq!(Op::Sum.over(Element::U32).unwrap().skipping_nan().unwrap().name(), "sum");
    }
}
