//! Results by id on the CPU, with which those of the GPU are compared. Each group's values are collected first, and then taken together.

use crate::element::{Element, Value};
use crate::group::ById;
use crate::group::aggregate::Aggregate;
use crate::reduce::exact::{Format, State};

/// The results of each group, in the order in which they are asked for, and the number of ids that no group has. Values are given as their bytes.
pub fn by_id(asked: &ById, values: &[u8], ids: &[u32]) -> (Vec<Vec<Value>>, u32) {
    let ById { element, groups, aggregates } = asked;
    let mut members = vec![Vec::new(); *groups as usize];
    let mut rejected = 0;
    for (value, id) in values.chunks_exact(4).zip(ids) {
        match members.get_mut(*id as usize) {
            Some(group) => group.extend_from_slice(value),
            None => rejected += 1,
        }
    }
    let of = |group: &Vec<u8>| {
        let result = |aggregate: &Aggregate| one(*element, group, *aggregate);
        aggregates.iter().map(result).collect()
    };
    (members.iter().map(of).collect(), rejected)
}

/// A result of one group.
fn one(element: Element, bytes: &[u8], aggregate: Aggregate) -> Value {
    let values = || bytes.chunks_exact(4).map(|value| element.read(value));
    match aggregate {
        Aggregate::Count => Value::Unsigned(bytes.len() as u64 / 4),
        Aggregate::Sum | Aggregate::Mean => sum(element, bytes, aggregate == Aggregate::Mean),
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
    let values = bytes.chunks_exact(4).map(|value| match element.read(value) {
        Value::Signed(x) => i128::from(x),
        x => x.as_f64() as i128,
    });
    let (sum, count) = (values.sum::<i128>(), bytes.len() as u128 / 4);
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
