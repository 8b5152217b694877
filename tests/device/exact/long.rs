//! Arrays of many elements, in any order.

use halofold::Element;
use halofold::reduce::{Op, Shape};

use super::arrays::{Hard, array};
use super::cpu::second;
use super::gpu::{Inputs, exact, output, reducer, results};
use crate::common::oracle::expected;
use crate::common::{Random, gpu};

/// The adapter's result over all elements.
fn whole(op: Op, element: Element, arrays: &[&[u8]]) -> u64 {
    let reducer = reducer(gpu(), &op.over(element).unwrap(), exact(false, false));
    let inputs = Inputs::new(gpu(), element, arrays, 0);
    results(op, element, &output(gpu(), &reducer, Shape::Whole, &inputs))[0]
}

#[test]
fn sixteen_million_elements() {
    for (op, element, hard, len) in [
        (Op::Sum, Element::F32, Hard::Uniform, 1 << 24),
        (Op::Mean, Element::F32, Hard::Patterns, 1 << 24),
        (Op::Sum, Element::F64, Hard::Cancelling, 1 << 22),
        (Op::Dot, Element::F32, Hard::Mixed, (1 << 22) + 1),
    ] {
        let first = array(hard, element, len, 6);
        let second = second(op, hard, element, len, 6);
        let arrays: Vec<&[u8]> = std::iter::once(&first[..]).chain(second.as_deref()).collect();
        let wanted = expected(op, element, &first, second.as_deref());
        assert_eq!(whole(op, element, &arrays), wanted, "{op} of {len} {hard:?} {element}");
    }
}

/// Elements by their place in an order.
fn in_order(order: &[u32], bytes: &[u8], size: usize) -> Vec<u8> {
    order.iter().flat_map(|at| &bytes[*at as usize * size..][..size]).copied().collect()
}

#[test]
fn the_order_decides_nothing() {
    for (op, element, len) in [
        (Op::Sum, Element::F32, 1 << 18),
        (Op::Mean, Element::F16, 1 << 16),
        (Op::Sum, Element::F64, 1 << 16),
        (Op::Dot, Element::F32, 1 << 16),
    ] {
        let size = element.size() as usize;
        for hard in [Hard::Patterns, Hard::Mixed, Hard::Largest, Hard::Cancelling] {
            let first = array(hard, element, len, 1);
            let second = second(op, hard, element, len, 1);
            let wanted = expected(op, element, &first, second.as_deref());
            // As bits without a sign: by magnitude.
            let magnitude = |at: &u32| {
                let bytes = &first[*at as usize * size..][..size];
                bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte)) << (65 - 8 * size)
            };
            let mut random = Random::new(8);
            let mut order: Vec<u32> = (0..len as u32).collect();
            for name in ["sorted", "reversed", "shuffled"] {
                match name {
                    "sorted" => order.sort_by_cached_key(magnitude),
                    "reversed" => order.reverse(),
                    _ => (1..len).for_each(|i| order.swap(i, random.next() as usize % (i + 1))),
                }
                let arrays: Vec<_> = std::iter::once(&first)
                    .chain(&second)
                    .map(|bytes| in_order(&order, bytes, size))
                    .collect();
                let arrays: Vec<&[u8]> = arrays.iter().map(Vec::as_slice).collect();
                assert_eq!(whole(op, element, &arrays), wanted, "{op} of {hard:?} {element}, {name}");
            }
        }
    }
}
