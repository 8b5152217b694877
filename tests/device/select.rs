//! Selections against a filter on the CPU.

use halofold::reduce::Op;
use halofold::select::Select;
use halofold::{Element, OperationError, Value};

use crate::common::{Gpu, Kind, Random, data, gpu, is_poison, with_few_invocations};
use crate::inputs::{Input, words, written};

/// The text of a function that keeps some elements.
fn keeping(condition: &str) -> String {
    format!("fn keep(elem: Elem, index: u32) -> bool {{ return {condition}; }}")
}

/// Checks what is kept of elements of some bytes each: those for which `keeps` holds, or their indices.
fn check(gpu: &Gpu, select: Select, elements: &[u8], size: usize, keeps: impl Fn(usize, &[u8]) -> bool) {
    for as_indices in [false, true] {
        let select = if as_indices { select.clone().indices() } else { select.clone() };
        let select = match select.on(&gpu.device) {
            Err(OperationError::Map(missing)) => return println!("not run: {missing}"),
            made => made.unwrap(),
        };
        let number = elements.len() / size;
        let kept_size = if as_indices { 4 } else { size };
        let kept = elements.chunks(size).enumerate().filter(|(at, element)| keeps(*at, element));
        let kept = kept.map(
            |(at, element)| {
                if as_indices { (at as u32).to_ne_bytes().to_vec() } else { element.to_vec() }
            },
        );
        let expected = kept.collect::<Vec<_>>().concat();
        let room_for = (number.max(1) * kept_size).next_multiple_of(4) as u64;
        let input = Input::at(gpu, elements, size as u64);
        let found = gpu.clean(|| written(gpu, [room_for, 4], |outputs| select.of(&input).into_each(outputs)));
        let (kept, count) = (&found[0], words(&found[1])[0] as usize);
        assert_eq!(count, expected.len() / kept_size, "{number} elements of {size} bytes");
        assert!(kept[..expected.len()] == expected, "{number} elements of {size} bytes");
        let mut behind = kept.iter().enumerate().skip(expected.len());
        assert!(behind.all(|(at, byte)| is_poison(at, *byte)), "it wrote behind what is kept");
    }
}

/// Words of which a share is below a quarter of all.
fn random_words(len: usize) -> Vec<u32> {
    let mut random = Random::new(len as u64);
    (0..len).map(|_| random.next() as u32).collect()
}

fn word(element: &[u8]) -> u32 {
    bytemuck::pod_read_unaligned(element)
}

#[test]
fn selections_of_lengths_around_tiles() {
    let gpu = gpu();
    let select = Select::new(Element::U32, &keeping("elem < 0x40000000u || index < 3u")).unwrap();
    for len in [0, 1, 3, 4, 4096, 4097, 20_000] {
        let words = random_words(len);
        let keeps = |at: usize, element: &[u8]| word(element) < 1 << 30 || at < 3;
        check(gpu, select.clone(), bytemuck::cast_slice(&words), 4, keeps);
    }
}

#[test]
fn all_elements_and_none_on_every_adapter() {
    let gpu = gpu();
    let words = random_words(9000);
    for (condition, keeps) in [("true", true), ("elem != elem", false)] {
        let select = Select::new(Element::I32, &keeping(condition)).unwrap();
        check(gpu, select, bytemuck::cast_slice(&words), 4, |_, _| keeps);
    }
}

#[test]
fn selections_of_every_type() {
    let gpu = gpu();
    for element in Element::ALL {
        let elements = data(Kind::Random, Op::Sum, element, 10_001, 5);
        // Every type has these operators.
        let select = Select::new(element, &keeping("elem > Elem(0) && index % 3u != 1u")).unwrap();
        let size = element.size() as usize;
        let keeps = |at: usize, bytes: &[u8]| at % 3 != 1 && is_positive(element, bytes);
        check(gpu, select, elements.bytes(), size, keeps);
    }
}

fn is_positive(element: Element, bytes: &[u8]) -> bool {
    match element {
        Element::U32 => word(bytes) > 0,
        Element::I32 => bytemuck::pod_read_unaligned::<i32>(bytes) > 0,
        Element::F32 => bytemuck::pod_read_unaligned::<f32>(bytes) > 0.0,
        Element::F64 => bytemuck::pod_read_unaligned::<f64>(bytes) > 0.0,
        Element::I64 => bytemuck::pod_read_unaligned::<i64>(bytes) > 0,
        Element::U64 => bytemuck::pod_read_unaligned::<u64>(bytes) > 0,
        _ => bytemuck::pod_read_unaligned::<half::f16>(bytes).to_f32() > 0.0,
    }
}

/// Structs, several windows, and states of states.
#[test]
fn selections_on_a_small_device() {
    let small = with_few_invocations(1 << 20);
    let points = random_words(3 * 80_000);
    const INSIDE: &str = "struct Elem { x: u32, y: u32, z: u32 }
    fn keep(elem: Elem, index: u32) -> bool { return elem.x > elem.y; }";
    let select = Select::custom_struct(12, INSIDE).unwrap();
    let keeps = |_, point: &[u8]| word(&point[..4]) > word(&point[4..8]);
    check(&small, select, bytemuck::cast_slice(&points), 12, keeps);
}

#[test]
fn kept_elements_are_values() {
    let gpu = gpu();
    let input = Input::new(gpu, &[1.5f32, -2.0, 0.25, -8.0]);
    let select = Select::new(Element::F32, &keeping("elem < 0.0")).unwrap().on(&gpu.device).unwrap();
    assert_eq!(select.of(&input).wait(&gpu.queue).unwrap(), [-2.0, -8.0].map(Value::F32));
    assert!(select.of(&input).len(0).wait(&gpu.queue).unwrap().is_empty());
}
