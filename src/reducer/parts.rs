//! What an operator makes of an element type: the pieces of WGSL, the types they are written in, how results are read.
//!
//! Element types fall into few groups, each with one accumulator: as it is, as a key that orders, as a real number, as
//! words of an exact sum. A group gives the types and definitions, the operator's file the functions.

use crate::element::Element;
use crate::reduce::Operator;
use crate::reduce::operator::{WIDEN_I32, WIDEN_I64, WIDEN_U32, WIDEN_U64, ordered};
use crate::reducer::answer::{Format, Number};
use crate::reducer::monoid::Arity;
use crate::reducer::op::Op;

/// All that an [`Op`] over an [`Element`] is made of.
pub(super) struct Parts {
    /// What the input binding is an array of.
    pub(super) elem: &'static str,
    /// Types and definitions that the pieces refer to.
    pub(super) types: String,
    /// Files under `shaders/`.
    pub(super) pieces: Vec<&'static str>,
    /// The subgroup built-in for `combine`.
    pub(super) subgroup: Option<&'static str>,
    pub(super) arity: Arity,
    /// How results lie in memory.
    pub(super) format: Format,
}

impl Parts {
    /// `None` where the operator is not defined for the element.
    pub(super) fn of(op: Op, element: Element) -> Option<Self> {
        Some(match op {
            Op::Sum => classic(Operator::Sum, element)?,
            Op::Product => classic(Operator::Product, element)?,
            Op::Min => classic(Operator::Min, element)?,
            Op::Max => classic(Operator::Max, element)?,
            Op::WideSum => classic(Operator::WideSum, element)?,
            Op::WideProduct => classic(Operator::WideProduct, element)?,
            Op::MinMax => min_max(element),
            Op::ArgMin => arg("monoid/arg_min", element),
            Op::ArgMax => arg("monoid/arg_max", element),
            Op::Mean if element.is_float() => real("monoid/mean", element).with_subgroup("subgroupAdd"),
            Op::Mean => mean_of_integers(element)?,
            Op::Variance => moments("monoid/variance", element),
            Op::SampleVariance => moments("monoid/sample_variance", element),
            Op::Deviation => moments("monoid/deviation", element),
            Op::SampleDeviation => moments("monoid/sample_deviation", element),
            Op::Dot => {
                let parts = plain("monoid/dot", element).with_subgroup("subgroupAdd");
                Parts { arity: Arity::Two, ..parts }
            }
            Op::L1 if element.is_float() => plain("monoid/l1", element).with_subgroup("subgroupAdd"),
            Op::L1 => sum_of_magnitudes(element)?,
            Op::L2 => real("monoid/l2", element).with_subgroup("subgroupAdd"),
            Op::MaxNorm => max_norm(element),
            Op::Count => set("monoid/count", element).with_subgroup("subgroupAdd"),
            Op::Any => set("monoid/any", element).with_subgroup("subgroupOr"),
            Op::All => set("monoid/all", element).with_subgroup("subgroupAnd"),
            Op::And => bitwise("monoid/and", element)?.with_subgroup("subgroupAnd"),
            Op::Or => bitwise("monoid/or", element)?.with_subgroup("subgroupOr"),
            Op::Xor => bitwise("monoid/xor", element)?.with_subgroup("subgroupXor"),
            Op::LogSumExp => log_sum_exp(element),
        })
    }

    fn new(elem: &'static str, types: String, pieces: &[&'static str], format: Format) -> Self {
        Parts { elem, types, pieces: pieces.to_vec(), subgroup: None, arity: Arity::One, format }
    }

    fn with_subgroup(self, call: &'static str) -> Self {
        Parts { subgroup: Some(call), ..self }
    }
}

/// How the type that floats and integers have themselves lies in memory; 16-bit floats as 32-bit ones.
fn number(element: Element) -> Number {
    match element {
        Element::U32 => Number::U32,
        Element::I32 => Number::I32,
        Element::F32 | Element::F16 => Number::F32,
        Element::U64 => Number::U64,
        Element::I64 => Number::I64,
        Element::F64 => Number::F64,
    }
}

/// The same without a sign.
fn unsigned(element: Element) -> Number {
    match number(element) {
        Number::I32 => Number::U32,
        Number::I64 => Number::U64,
        number => number,
    }
}

/// The operators that the ladder has, too.
fn classic(operator: Operator, element: Element) -> Option<Parts> {
    let pair = operator.over(element)?;
    let number = match (operator, element) {
        (Operator::WideSum | Operator::WideProduct, Element::U32) => Number::U64,
        (Operator::WideSum | Operator::WideProduct, Element::I32) => Number::I64,
        (Operator::WideSum, Element::U64) => Number::HalvesU64,
        (Operator::WideSum, Element::I64) => Number::HalvesI64,
        _ => number(element),
    };
    let types = format!("alias Acc = {};\n{}", pair.acc, pair.definitions.concat());
    let pieces: Vec<_> = [Some(pair.monoid()), pair.order].into_iter().flatten().collect();
    Some(Parts { subgroup: pair.subgroup, ..Parts::new(pair.elem, types, &pieces, Format::One(number)) })
}

/// Accumulated in the element's own type, 16-bit floats in 32 bits.
fn plain(piece: &'static str, element: Element) -> Parts {
    let acc = if element == Element::F16 { Element::F32 } else { element };
    let types = format!("alias Acc = {acc};\n");
    Parts::new(element.name(), types, &[piece], Format::One(number(element)))
}

/// The piece and the layout of the floats that an element is computed with where integers do not do.
fn reals(element: Element) -> (&'static str, Number) {
    if element.size() == 8 { ("monoid/real_64", Number::F64) } else { ("monoid/real_32", Number::F32) }
}

/// Accumulated in floats, one each.
fn real(piece: &'static str, element: Element) -> Parts {
    let (reals, number) = reals(element);
    let types = "alias Acc = Real;\n".to_owned();
    Parts::new(element.name(), types, &[piece, reals, "monoid/real"], Format::One(number))
}

fn moments(finish: &'static str, element: Element) -> Parts {
    let (reals, number) = reals(element);
    let pieces = ["monoid/moments", finish, reals, "monoid/real"];
    Parts::new(element.name(), String::new(), &pieces, Format::One(number))
}

fn log_sum_exp(element: Element) -> Parts {
    let (reals, number) = reals(element);
    let exp_log = if number == Number::F64 { "monoid/exp_log_64" } else { "monoid/exp_log_32" };
    let pieces = ["monoid/log_sum_exp", exp_log, reals, "monoid/real"];
    Parts::new(element.name(), String::new(), &pieces, Format::One(number))
}

/// Keys that no element has been asked about: cheaper than `to_key` where `finish` can still tell NaNs.
const RAW_INTEGER: &str = "\
fn raw_key(elem: Elem) -> Key { return elem; }
fn is_nan_key(key: Key) -> bool { return false; }
";
const RAW_FLOAT: &str = "\
fn raw_key(elem: Elem) -> Key { return flip(bits(elem)); }
fn is_nan_key(key: Key) -> bool { return key > INFINITY || key < flip(INFINITY | lowest()); }
";

fn min_max(element: Element) -> Parts {
    let (elem, _, definitions, order) = ordered(element);
    let raw = if element.is_float() { RAW_FLOAT } else { RAW_INTEGER };
    let types = format!("alias Acc = vec2<Key>;\n{}{raw}", definitions.concat());
    let pieces: Vec<_> = [Some("monoid/min_max"), order].into_iter().flatten().collect();
    Parts::new(elem, types, &pieces, Format::Range(number(element)))
}

fn arg(rank: &'static str, element: Element) -> Parts {
    let (elem, _, definitions, order) = ordered(element);
    let pieces: Vec<_> = [Some("monoid/first_best"), Some(rank), order].into_iter().flatten().collect();
    Parts::new(elem, definitions.concat(), &pieces, Format::At(number(element)))
}

/// Counted in 32 bits, by whether an element is zero.
fn set(piece: &'static str, element: Element) -> Parts {
    let (elem, _, definitions, order) = ordered(element);
    let (is_set, order) = if element.is_float() {
        ("(bits(elem) & highest()) != Key(0)", order)
    } else {
        ("elem != Elem(0)", None)
    };
    let definitions = if element.is_float() { definitions.concat() } else { String::new() };
    let types =
        format!("alias Acc = u32;\n{definitions}fn is_set(elem: Elem) -> bool {{ return {is_set}; }}\n");
    let pieces: Vec<_> = [Some(piece), order].into_iter().flatten().collect();
    Parts::new(elem, types, &pieces, Format::One(Number::U32))
}

fn bitwise(piece: &'static str, element: Element) -> Option<Parts> {
    (!element.is_float()).then(|| plain(piece, element))
}

/// The magnitude of a signed integer, in an unsigned one of its width. `abs` of the lowest has no result of its own type.
const MAGNITUDE_I32: &str = "fn magnitude(elem: Elem) -> u32 {
    let bits = bitcast<u32>(elem);
    return select(bits, 0u - bits, elem < 0i);
}
";
const MAGNITUDE_I64: &str = "fn magnitude(elem: Elem) -> u64 {
    let bits = bitcast<u64>(elem);
    return select(bits, 0lu - bits, elem < 0li);
}
";

fn max_norm(element: Element) -> Parts {
    let as_it_is = "fn settle(acc: Acc) -> Acc { return acc; }\n";
    let nan_wins = "fn magnitude(elem: Elem) -> Acc { return bits(elem) & highest(); }
fn settle(acc: Acc) -> Acc { return select(acc, NOT_A_NUMBER, acc > INFINITY); }\n";
    let (elem, key, definitions, _) = ordered(element);
    let (acc, definitions) = match element {
        Element::U32 | Element::U64 => {
            (key, format!("fn magnitude(elem: Elem) -> Acc {{ return elem; }}\n{as_it_is}"))
        }
        Element::I32 => ("u32", format!("{MAGNITUDE_I32}{as_it_is}")),
        Element::I64 => ("u64", format!("{MAGNITUDE_I64}{as_it_is}")),
        Element::F32 | Element::F16 | Element::F64 => (key, format!("{}{nan_wins}", definitions.concat())),
    };
    let types = format!("alias Acc = {acc};\n{definitions}");
    let format = Format::One(unsigned(element));
    Parts::new(elem, types, &["monoid/max_norm"], format).with_subgroup("subgroupMax")
}

/// L1 norm of integers: an exact sum of magnitudes.
fn sum_of_magnitudes(element: Element) -> Option<Parts> {
    const WIDEN_I32: &str = "fn widen(elem: Elem) -> Acc { return Acc(magnitude(elem), 0u); }\n";
    const WIDEN_I64: &str = "fn widen(elem: Elem) -> Acc {
    let m = magnitude(elem);
    return Acc(m >> 32u, m & 0xfffffffflu);
}
";
    let (widen, wide) = match element {
        Element::U32 => (WIDEN_U32.to_owned(), false),
        Element::I32 => (format!("{MAGNITUDE_I32}{WIDEN_I32}"), false),
        Element::U64 => (WIDEN_U64.to_owned(), true),
        Element::I64 => (format!("{MAGNITUDE_I64}{WIDEN_I64}"), true),
        Element::F32 | Element::F16 | Element::F64 => return None,
    };
    let (acc, piece, number) = if wide {
        ("vec2<u64>", "monoid/split_sum", Number::HalvesU64)
    } else {
        ("vec2<u32>", "monoid/wide_sum", Number::U64)
    };
    let types = format!("alias Acc = {acc};\n{widen}fn finish(acc: Acc, n: u32) -> Acc {{ return acc; }}\n");
    Some(Parts::new(element.name(), types, &[piece], Format::One(number)))
}

/// A sum of 32-bit integers is two words.
const QUOTIENT_32: &str = "\
alias Acc = vec2<u32>;
alias Word = u32;
const BITS: u32 = 32u;
const DIGITS: u32 = 24u;
const BIAS: i32 = 127i;
const NOT_A_NUMBER: Word = 0x7fc00000u;
fn upper(acc: Acc) -> Word { return acc.y; }
fn lower(acc: Acc) -> Word { return acc.x; }
";

/// A sum of 64-bit integers is two sums of halves, of which 2^32 times the first plus the second takes 128 bits.
const QUOTIENT_64: &str = "\
alias Word = u64;
const BITS: u32 = 64u;
const DIGITS: u32 = 53u;
const BIAS: i32 = 1023i;
const NOT_A_NUMBER: Word = 0x7ff8000000000000lu;
fn lower(acc: Acc) -> Word { return (bitcast<u64>(acc.x) << 32u) + bitcast<u64>(acc.y); }
fn upper(acc: Acc) -> Word {
    let carry = select(0lu, 1lu, lower(acc) < bitcast<u64>(acc.y));
    return bitcast<u64>(acc.x >> 32u) + carry;
}
";

/// An exact sum, divided exactly, as the bits of a float.
fn mean_of_integers(element: Element) -> Option<Parts> {
    let (sum, types, number, widen) = match element {
        Element::U32 => ("monoid/wide_sum", QUOTIENT_32.to_owned(), Number::F32, WIDEN_U32),
        Element::I32 => ("monoid/wide_sum", QUOTIENT_32.to_owned(), Number::F32, WIDEN_I32),
        Element::U64 => {
            ("monoid/split_sum", format!("alias Acc = vec2<u64>;\n{QUOTIENT_64}"), Number::F64, WIDEN_U64)
        }
        Element::I64 => {
            ("monoid/split_sum", format!("alias Acc = vec2<i64>;\n{QUOTIENT_64}"), Number::F64, WIDEN_I64)
        }
        Element::F32 | Element::F16 | Element::F64 => return None,
    };
    let signed = matches!(element, Element::I32 | Element::I64);
    let types = format!("{types}const IS_SIGNED: bool = {signed};\n{widen}");
    Some(Parts::new(element.name(), types, &[sum, "monoid/mean_integer"], Format::One(number)))
}
