//! Results by id and by key on the CPU, with which those of the GPU are compared. Each group's values are collected first, and then taken together.

use crate::element::{Element, Value};
use crate::group::aggregate::Aggregate;
use crate::group::{GroupById, GroupByKey};
use crate::reduce::exact::{self, Format, State};
use crate::reduce::{Op, reference};

/// The results of each group, in the order in which they are requested, and the number of ids that no group has. Values are given as their bytes.
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

/// The results of one group that are requested.
fn all(asked: &GroupById, values: &[u8]) -> Vec<Value> {
    asked.aggregates.iter().map(|aggregate| one(asked.element, values, *aggregate)).collect()
}

/// A result of one group.
fn one(element: Element, bytes: &[u8], aggregate: Aggregate) -> Value {
    let op = match aggregate {
        Aggregate::Count => return Value::Unsigned(bytes.len() as u64 / 4),
        Aggregate::Variance => return variance(element, bytes, 0),
        Aggregate::SampleVariance => return variance(element, bytes, 1),
        Aggregate::Sum => Op::Sum,
        Aggregate::Mean => Op::Mean,
        Aggregate::Min => Op::Min,
        Aggregate::Max => Op::Max,
    };
    if element.is_float() && matches!(op, Op::Sum | Op::Mean) {
        // An operator's own sums have an error.
        let mut state = State::new(Format::Single);
        state.add(element, bytes);
        return if op == Op::Sum { state.sum() } else { state.mean() };
    }
    let expected = reference::reduce(op, element, bytes, None);
    expected.and_then(|expected| expected.answer.value()).expect("a number of each type")
}

/// The variance, from the exact sums of values and of their squares.
fn variance(element: Element, bytes: &[u8], correction: u64) -> Value {
    let (mut sum, mut squares) = (State::new(Format::Single), State::new(Format::Product));
    if element.is_float() {
        sum.add(element, bytes);
        squares.add_of(Op::Dot, element, bytes, Some(bytes));
    } else {
        let values = || element.read_all(bytes).filter_map(Value::integer);
        let count = bytes.len() as u64 / 4;
        sum = State::of_integers(Format::Single, values().sum(), count);
        squares = State::of_integers(Format::Product, values().map(|x| x * x).sum(), count);
    }
    Value::F32(exact::nearest_variance(&sum, &squares, correction))
}
