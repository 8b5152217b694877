//! Results by id and by key on the CPU, with which those of the GPU are compared. Each group's values are collected first, and then taken together.

use crate::element::{Element, Value};
use crate::group::aggregate::Aggregate;
use crate::group::{GroupById, GroupByKey};
use crate::reduce::Op;
use crate::reduce::exact::{self, Format, State};

/// The results of each group, in the order in which they are asked for, and the number of ids that no group has. Values are given as their bytes.
pub fn by_id(asked: &GroupById, values: &[u8], ids: &[u32]) -> (Vec<Vec<Value>>, u32) {
    let mut members = vec![Vec::new(); asked.groups as usize];
    let mut rejected = 0;
    for (value, id) in values.chunks_exact(4).zip(ids) {
        match members.get_mut(*id as usize) {
            Some(group) => group.extend_from_slice(value),
            None => rejected += 1,
        }
    }
    (members.iter().map(|group| all(asked, group)).collect(), rejected)
}

/// The different keys in ascending order, and the results of each, however many they are. Keys and values are given as their bytes.
pub fn group_by(asked: &GroupByKey, keys: &[u8], values: &[u8]) -> Vec<(Value, Vec<Value>)> {
    // A double holds every key, and adding 0 to -0 gives 0.
    let number = |key: &[u8]| asked.key.read(key).as_f64() + 0.0;
    let number = |key: &[u8]| if number(key).is_nan() { f64::NAN } else { number(key) };
    let key_of = |key: &[u8]| match asked.key.read(key) {
        Value::F32(_) => Value::F32(number(key) as f32),
        integer => integer,
    };
    let mut pairs: Vec<_> = keys.chunks_exact(4).zip(values.chunks_exact(4)).collect();
    pairs.sort_by(|(a, _), (b, _)| number(a).total_cmp(&number(b)));
    let of = |group: &[(&[u8], &[u8])]| {
        let values: Vec<_> = group.iter().flat_map(|(_, value)| value.iter().copied()).collect();
        (key_of(group[0].0), all(&asked.by_id, &values))
    };
    pairs.chunk_by(|(a, _), (b, _)| number(a).total_cmp(&number(b)).is_eq()).map(of).collect()
}

/// The results of one group that are asked for.
fn all(asked: &GroupById, values: &[u8]) -> Vec<Value> {
    asked.aggregates.iter().map(|aggregate| one(asked.element, values, *aggregate)).collect()
}

/// A result of one group.
fn one(element: Element, bytes: &[u8], aggregate: Aggregate) -> Value {
    let values = || bytes.chunks_exact(4).map(|value| element.read(value));
    match aggregate {
        Aggregate::Count => Value::Unsigned(bytes.len() as u64 / 4),
        Aggregate::Sum | Aggregate::Mean => sum(element, bytes, aggregate == Aggregate::Mean),
        Aggregate::Variance => variance(element, bytes, 0),
        Aggregate::SampleVariance => variance(element, bytes, 1),
        Aggregate::Min => {
            let none =
                [Value::Unsigned(u32::MAX.into()), Value::Signed(i32::MAX.into()), Value::F32(f32::INFINITY)];
            values()
                .reduce(|a, b| if is_less(b, a) { b } else { a })
                .unwrap_or_else(|| of_type(element, none))
        }
        Aggregate::Max => {
            let none = [Value::Unsigned(0), Value::Signed(i32::MIN.into()), Value::F32(f32::NEG_INFINITY)];
            values()
                .reduce(|a, b| if !is_nan(a) && (is_less(a, b) || is_nan(b)) { b } else { a })
                .unwrap_or_else(|| of_type(element, none))
        }
    }
}

/// The sum of values, or their mean: floats by a long integer, integers by one of 128 bits.
fn sum(element: Element, bytes: &[u8], is_mean: bool) -> Value {
    if element.is_float() {
        let mut state = State::new(Format::Single);
        state.add(element, bytes);
        return if is_mean { state.mean() } else { state.sum() };
    }
    let (sum, count) = (integers(element, bytes).sum::<i128>(), bytes.len() as u128 / 4);
    match element {
        _ if is_mean && count == 0 => Value::F32(f32::NAN),
        // The quotient in units of 2^-60, and a bit that says whether it has more places: the conversion rounds once.
        _ if is_mean => {
            let scaled = sum.unsigned_abs() << 60;
            let quotient = (scaled / count) << 1 | u128::from(!scaled.is_multiple_of(count));
            Value::F32(quotient as f32 * (-61f32).exp2() * if sum < 0 { -1.0 } else { 1.0 })
        }
        Element::I32 => Value::Signed(i64::from(sum as i32)),
        _ => Value::Unsigned(u64::from(sum as u32)),
    }
}

/// The variance, from the exact sums of values and of their squares.
fn variance(element: Element, bytes: &[u8], correction: u64) -> Value {
    let (mut sum, mut squares) = (State::new(Format::Single), State::new(Format::Product));
    if element.is_float() {
        sum.add(element, bytes);
        squares.add_of(Op::Dot, element, bytes, Some(bytes));
    } else {
        let (values, count) = (|| integers(element, bytes), bytes.len() as u64 / 4);
        sum = State::of_integers(Format::Single, values().sum(), count);
        squares = State::of_integers(Format::Product, values().map(|x| x * x).sum(), count);
    }
    Value::F32(exact::nearest_variance(&sum, &squares, correction))
}

fn integers(element: Element, bytes: &[u8]) -> impl Iterator<Item = i128> {
    bytes.chunks_exact(4).map(move |value| match element.read(value) {
        Value::Signed(x) => i128::from(x),
        x => x.as_f64() as i128,
    })
}

/// A NaN is less than every other value here, and −0 less than +0.
fn is_less(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => {
            (a.is_nan() && !b.is_nan()) || a < b || (a == b && a.is_sign_negative() && b.is_sign_positive())
        }
        (Value::Signed(a), Value::Signed(b)) => a < b,
        (a, b) => a.as_f64() < b.as_f64(),
    }
}

fn is_nan(value: Value) -> bool {
    value.as_f64().is_nan()
}

/// One of three values: of u32, i32 or f32.
fn of_type(element: Element, [unsigned, signed, float]: [Value; 3]) -> Value {
    match element {
        Element::U32 => unsigned,
        Element::I32 => signed,
        _ => float,
    }
}
