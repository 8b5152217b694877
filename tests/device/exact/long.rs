//! Arrays of many elements, in any order.

use halofold::Element;
use halofold::reduce::{Op, Shape};

use super::arrays::Hard;
use super::cpu::Arrays;
use super::gpu::{Inputs, exact, output, reducer, results};
use crate::common::{Random, gpu, in_turn, is_software};

/// The adapter's result over all elements.
fn whole(arrays: &Arrays) -> u64 {
    let (op, element) = (arrays.op, arrays.element);
    let reducer = reducer(gpu(), &op.over(element).unwrap(), exact(false, false));
    let inputs = Inputs::new(gpu(), element, &arrays.slices(), 0);
    results(op, element, &output(gpu(), &reducer, Shape::Whole, &inputs))[0]
}

#[test]
fn millions_of_elements() {
    for (op, element, hard, len) in [
        (Op::Sum, Element::F32, Hard::Uniform, 1 << 24),
        (Op::Mean, Element::F32, Hard::Patterns, 1 << 24),
        (Op::Sum, Element::F64, Hard::Cancelling, 1 << 22),
        (Op::Dot, Element::F32, Hard::Mixed, (1 << 22) + 1),
    ] {
        let len = if is_software() { len >> 2 } else { len };
        let arrays = Arrays::new((op, element), hard, len, 6);
        assert_eq!(whole(&arrays), arrays.expected(), "{op} of {len} {hard:?} {element}");
    }
}

/// Elements by their place in an order.
fn in_order(order: &[u32], bytes: &[u8], size: usize) -> Vec<u8> {
    order.iter().flat_map(|at| &bytes[*at as usize * size..][..size]).copied().collect()
}

#[test]
fn the_order_decides_nothing() {
    let cases = [
        (Op::Sum, Element::F32, 1 << 16),
        (Op::Mean, Element::F16, 1 << 14),
        (Op::Sum, Element::F64, 1 << 14),
        (Op::Dot, Element::F32, 1 << 14),
    ];
    for (op, element, len) in in_turn(cases, 2, 0) {
        let size = element.size() as usize;
        for hard in [Hard::Patterns, Hard::Mixed, Hard::Largest, Hard::Cancelling] {
            let arrays = Arrays::new((op, element), hard, len, 1);
            let wanted = arrays.expected();
            // As bits without a sign: by magnitude.
            let magnitude = |at: &u32| {
                let bytes = &arrays.first[*at as usize * size..][..size];
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
                let ordered = arrays.part(|bytes| in_order(&order, bytes, size));
                assert_eq!(whole(&ordered), wanted, "{op} of {hard:?} {element}, {name}");
            }
        }
    }
}
