//! Numbers of distinct values, exact and estimated, and modes, against a sort, on the adapter at hand.

use crate::common::{Random, gpu, in_one_pass, limited, poisoned, read, room};
use halofold::rank::{Distinct, Mode, reference};
use halofold::reduce::BufferRange;
use halofold::{Element, OnDevice, Slice, Value};

/// Bytes in front of the elements.
const BEFORE: u64 = 8;

/// Words of the output of an estimate.
const REGISTERS: usize = 1 << 14;

/// The operation on the adapter.
fn made(distinct: Distinct) -> OnDevice<Distinct> {
    distinct.on(&gpu().device).unwrap()
}

/// The output, of so many words, of an operation that is recorded twice in one pass.
fn run(distinct: &OnDevice<Distinct>, bytes: &[u8], words: usize) -> Vec<u32> {
    let gpu = gpu();
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
    let distinct = made(Distinct::new(Element::F16).unwrap());
    let mut check = |len, next: fn(usize, u64) -> u64| {
        let bytes = elements(Element::F16, len, |at| next(at, random.next()));
        let expected = reference::distinct(Element::F16, &bytes);
        assert_eq!(run(&distinct, &bytes, 1), [expected as u32], "{len}");
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
    let bytes = elements(Element::F32, 30_001, |_| random.next() >> 20 & !0x1fff);
    let (gpu, expected) = (gpu(), reference::distinct(Element::F32, &bytes) as u32);
    let input = poisoned(gpu, &bytes, BEFORE);
    let distinct = made(Distinct::new(Element::F32).unwrap());
    let slice = Slice::new(&input, BEFORE, bytes.len() as u64);
    assert_eq!(gpu.clean(|| distinct.of(slice).wait(&gpu.queue)).unwrap(), [expected]);
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
        let (high, low) = ((key >> 32) as u32, key as u32);
        let first = hash(if bits == 64 { high ^ hash(low) } else { low });
        let number = u64::from(first) << 32 | u64::from(low ^ hash(first ^ 0x5bd1_e995));
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
        let got = run(&made(Distinct::estimated(element)), &bytes, REGISTERS);
        assert!(got == registers(element, &bytes), "{element}: registers");
        let (estimate, exact) = (Distinct::estimate(&got), reference::distinct(element, &bytes) as f64);
        assert!((estimate - exact).abs() <= 0.025 * exact, "{element}: {estimate} instead of {exact}");
    }
}

#[test]
fn registers_of_parts_become_those_of_the_whole() {
    let bytes = elements(Element::U32, 20_000, |at| (at * at) as u64 % 10_007);
    let (first, second) = bytes.split_at(48_000);
    let estimated = made(Distinct::estimated(Element::U32));
    let [mut merged, other, all] = [first, second, &bytes].map(|part| run(&estimated, part, REGISTERS));
    Distinct::merge(&mut merged, &other);
    assert!(merged == all);
}

#[test]
fn numbers_of_64_bits_are_only_estimated() {
    let error = Distinct::new(Element::F64).unwrap_err().to_string();
    assert_eq!(error, "bits of an element of 64: it can be 16 or 32: estimate the number of others");
}

/// Registers that have seen so many hashes, which are random.
fn seen(number: u64, seed: u64) -> Vec<u32> {
    let mut registers = vec![0; REGISTERS];
    let mut state = seed;
    for _ in 0..number {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (state ^ (state >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = mixed ^ (mixed >> 32);
        let rank = ((hash << 14) | (1 << 13)).leading_zeros() + 1;
        let register = &mut registers[(hash >> 50) as usize];
        *register = rank.max(*register);
    }
    registers
}

#[test]
fn estimates_of_random_hashes_are_near_at_every_number() {
    for number in [0, 1, 10, 1000, 16_384, 50_000, 300_000, 1_000_000] {
        let estimate = Distinct::estimate(&seen(number, 7));
        assert!((estimate - number as f64).abs() <= 0.025 * number as f64, "{estimate} of {number}");
    }
}

#[test]
fn estimates_have_no_bias() {
    for number in [100, 10_000, 40_000, 80_000] {
        let errors = (0..40).map(|seed| Distinct::estimate(&seen(number, seed << 32)) / number as f64 - 1.0);
        let (sum, squares) = errors.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        assert!(f64::abs(sum) / 40.0 < 4.0 * 0.0081 / 40f64.sqrt(), "{number}: bias {}", sum / 40.0);
        assert!((squares / 40.0).sqrt() < 1.4 * 0.0081, "{number}: error {}", (squares / 40.0).sqrt());
    }
}

/// Compares the mode of elements with a sort, recorded twice in one pass.
fn check_mode(mode: &OnDevice<Mode>, element: Element, bytes: &[u8]) {
    let gpu = gpu();
    let (input, output) = (poisoned(gpu, bytes, BEFORE), room(gpu, 8));
    let slice = Slice::new(&input, BEFORE, bytes.len() as u64);
    let prepared = mode.of(slice).into(&output).unwrap();
    let of_request = gpu.clean(|| {
        in_one_pass(gpu, |pass| {
            prepared.encode_in_pass(pass);
            prepared.encode_in_pass(pass);
        });
        mode.of(slice).wait(&gpu.queue).unwrap()
    });
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&read(gpu, &output)[..8]);
    let (value, number) = reference::mode(element, bytes);
    assert_eq!(words[1], number as u32, "{element}: {words:?} instead of {value}");
    let bits = match value {
        Value::F32(x) => x.to_bits(),
        Value::Unsigned(x) => x as u32,
        value => value.as_f64() as i32 as u32,
    };
    assert!(
        words[0] == bits || value.as_f64().is_nan() && f32::from_bits(words[0]).is_nan(),
        "{element}: {words:?}"
    );
    assert!(of_request.len() == 1 && of_request[0].0.same(value) && of_request[0].1 == words[1]);
}

#[test]
fn modes_are_the_most_frequent_and_the_smallest_of_them() {
    let mut random = Random::new(3);
    for element in [Element::F32, Element::U32, Element::I32, Element::F16] {
        let mode = Mode::new(element).unwrap().on(&gpu().device).unwrap();
        let mut check = |len, next: fn(usize, u64) -> u64| {
            check_mode(&mode, element, &elements(element, len, |at| next(at, random.next())));
        };
        // All ones are a NaN, or the integer whose place is behind all others; other words have their high bits set.
        [0, 1, 2, 4].into_iter().for_each(|len| check(len, |_, _| 0));
        check(3000, |_, _| u64::MAX);
        check(3001, |at, _| (1 << 31) | (1 << 14) | (at as u64 % 1500));
        check(50_000, |at, random| if at % 3 == 0 { random % 20 * 0x0101 } else { random });
        // The frequent ones come when there is no more room for them in workgroup memory.
        check(30_000, |at, random| if at < 20_000 { at as u64 * 0x9e37 } else { random % 3 });
    }
}

#[test]
fn modes_of_too_many_elements_are_an_error_with_a_remedy() {
    let gpu = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 20);
    let mode = Mode::new(Element::U32).unwrap().on(&gpu.device).unwrap();
    let error = mode.plan(BufferRange { offset: 0, len: 1 << 18 }).unwrap_err().to_string();
    assert!(error.contains("the table of elements") && error.contains("give fewer elements"), "{error}");
}
