//! Numbers of distinct values, exact and estimated, against a sort, on the adapter at hand.

use crate::common::{Random, gpu, in_one_pass, poisoned, read, room};
use halofold::rank::{Distinct, reference};
use halofold::{Element, Slice};

/// Bytes in front of the elements.
const BEFORE: u64 = 8;

/// Words of the output of an estimate.
const REGISTERS: usize = 1 << 14;

/// The output, of so many words, of an operation that is recorded twice in one pass.
fn run(distinct: Distinct, bytes: &[u8], words: usize) -> Vec<u32> {
    let gpu = gpu();
    let distinct = distinct.on(&gpu.device).unwrap();
    let (input, output) = (poisoned(gpu, bytes, BEFORE), room(gpu, 4 * words as u64));
    let prepared = distinct.of(Slice::new(&input, BEFORE, bytes.len() as u64)).into(&output).unwrap();
    gpu.clean(|| {
        in_one_pass(gpu, |pass| {
            prepared.encode_in_pass(pass);
            prepared.encode_in_pass(pass);
        });
    });
    bytemuck::pod_collect_to_vec(&read(gpu, &output)[..4 * words])
}

/// Elements of a type from random words, with everything that equals something else by another pattern.
fn elements(element: Element, len: usize, mut next: impl FnMut(usize) -> u64) -> Vec<u8> {
    let size = element.size() as usize;
    let of = |at| next(at).to_le_bytes()[..size].to_vec();
    let mut bytes: Vec<u8> = (0..len).flat_map(of).collect();
    let top = 1 << (8 * size - 1);
    // 0, -0, a NaN of either sign.
    let ends = [0, top, u64::MAX, u64::MAX ^ top];
    for (place, bits) in bytes.chunks_exact_mut(size).zip(ends) {
        place.copy_from_slice(&u64::to_le_bytes(bits)[..size]);
    }
    bytes
}

#[test]
fn distinct_halves_are_counted() {
    let mut random = Random::new(1);
    let mut check = |len, next: fn(usize, u64) -> u64| {
        let bytes = elements(Element::F16, len, |at| next(at, random.next()));
        let expected = reference::distinct(Element::F16, &bytes);
        assert_eq!(run(Distinct::new(Element::F16).unwrap(), &bytes, 1), [expected as u32], "{len}");
    };
    for len in [0, 1, 2, 3, 4, 9, 5001] {
        check(len, |_, random| random);
        check(len, |_, _| 7);
    }
    check(1 << 16, |at, _| at as u64);
    check(100_000, |at, _| at as u64 % 1000);
}

#[test]
fn distinct_words_are_counted() {
    let mut random = Random::new(2);
    let floats = elements(Element::F32, 30_001, |_| random.next() >> 20 & !0x1fff);
    let integers = elements(Element::I32, 10_000, |at| (at as u64).wrapping_mul(0x9e37_79b1));
    for (element, bytes) in [(Element::F32, floats), (Element::I32, integers)] {
        let expected = reference::distinct(element, &bytes);
        assert_eq!(run(Distinct::new(element).unwrap(), &bytes, 1), [expected as u32], "{element}");
    }
}

/// The registers that have seen elements, from the numbers that sort them.
fn registers(element: Element, bytes: &[u8]) -> Vec<u32> {
    let bits = 8 * element.size() as u32;
    let infinity = match element {
        Element::F16 => 0x7c00u64,
        Element::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    let hash = |x: u32| {
        let x = x.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
        let x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
        let x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
        x ^ (x >> 16)
    };
    let mut registers = vec![0; REGISTERS];
    for bytes in bytes.chunks_exact(element.size() as usize) {
        let pattern = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let (sign, magnitude) = (pattern >> (bits - 1), pattern & !(1 << (bits - 1)));
        let key = match element {
            Element::U32 | Element::U64 => pattern,
            Element::I32 | Element::I64 => pattern ^ (1 << (bits - 1)),
            _ if magnitude > infinity => 2 * infinity + 1,
            _ if sign == 1 => infinity - magnitude,
            _ => infinity + magnitude,
        };
        let low = key as u32;
        let high = (key >> 32) as u32 ^ hash(low);
        let low = low ^ hash(high ^ 0x5bd1_e995);
        let number = u64::from(high ^ hash(low ^ 0xa3c5_9ac3)) << 32 | u64::from(low);
        let register = &mut registers[(number >> 50) as usize];
        *register = (*register).max((number << 14).leading_zeros().min(50) + 1);
    }
    registers
}

#[test]
fn estimates_are_near_and_registers_are_the_same_everywhere() {
    for (element, len) in Element::ALL.into_iter().zip([40_000, 0, 1, 70_001, 5000, 30_000, 20_000]) {
        let mut random = Random::new(len as u64);
        let bytes = elements(element, len, |_| random.next());
        let got = run(Distinct::estimated(element), &bytes, REGISTERS);
        assert!(got == registers(element, &bytes), "{element}: registers");
        let (estimate, exact) = (Distinct::estimate(&got), reference::distinct(element, &bytes) as f64);
        assert!((estimate - exact).abs() <= 0.025 * exact, "{element}: {estimate} instead of {exact}");
    }
}

#[test]
fn registers_of_parts_become_those_of_the_whole() {
    let bytes = elements(Element::U32, 20_000, |at| (at * at) as u64 % 10_007);
    let (first, second) = bytes.split_at(48_000);
    let [mut merged, other, all] =
        [first, second, &bytes].map(|part| run(Distinct::estimated(Element::U32), part, REGISTERS));
    Distinct::merge(&mut merged, &other);
    assert!(merged == all);
}

#[test]
fn numbers_of_64_bits_are_only_estimated() {
    let error = Distinct::new(Element::F64).unwrap_err().to_string();
    assert_eq!(error, "bits of an element of 64: it can be 16 or 32: estimate the number of others");
}
