//! Exact sums of elements that are a stride apart.

use halofold::Element;
use halofold::reduce::{Op, Shape};
use halofold::wgpu;

use super::arrays::{Hard, array};
use super::cpu::{cases, second};
use super::gpu::{Bench, Case, Inputs, of_reduction, output, results};
use crate::common::oracle::expected;
use crate::common::{buffer, gpu, in_turn, limited};

/// The elements that a stride takes: at most `count` of them.
fn selected(bytes: &[u8], size: usize, stride: usize, count: usize) -> Vec<u8> {
    bytes.chunks_exact(size).step_by(stride).take(count).flatten().copied().collect()
}

fn check(bench: &Bench<'_>, hard: Hard, stride: usize, len: usize) {
    let Bench { gpu, case: Case { op, element }, results: ref sum } = *bench;
    let size = element.size() as usize;
    let first = array(hard, element, len, 4);
    let second = second(op, hard, element, len, 4);
    let arrays: Vec<&[u8]> = std::iter::once(&first[..]).chain(second.as_deref()).collect();
    let inputs = Inputs::new(gpu, element, &arrays, 3);
    let wanted = |count| {
        let some = |bytes: &[u8]| selected(bytes, size, stride, count);
        expected(op, element, &some(&first), second.as_deref().map(some).as_deref())
    };
    let what = format!("{op} of {hard:?} {element}, every {stride} of {len}");
    let shape = Shape::Strided { stride: stride as u64 };
    let got = results(op, element, &output(gpu, sum, shape, &inputs));
    assert_eq!(got, [wanted(len)], "{what}");
    // As many of them as a number on the GPU says.
    let count = len / stride / 2;
    let number = buffer(gpu, &(count as u32).to_le_bytes(), wgpu::BufferUsages::STORAGE);
    let some = crate::common::over(sum, &inputs.slices()).shape(shape).count_buffer(&number);
    let got = results(op, element, &of_reduction(gpu, &some));
    assert_eq!(got, [wanted(count)], "{what}, the first {count}");
}

#[test]
fn strides() {
    for case in cases() {
        let bench = Bench::new(gpu(), case);
        for (turn, hard) in
            [Hard::Patterns, Hard::Mixed, Hard::Special, Hard::MinusZeros].into_iter().enumerate()
        {
            for (stride, len) in
                in_turn([(1, 0), (1, 100), (2, 1), (3, 5000), (7, 70_001), (1000, 999)], 2, turn)
            {
                check(&bench, hard, stride, len);
            }
        }
    }
}

/// Windows, which need not begin at an element that is selected.
#[test]
fn long_strides() {
    let small = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    for case in
        [(Op::Sum, Element::F32), (Op::Mean, Element::F16), (Op::Sum, Element::F64), (Op::Dot, Element::F32)]
    {
        for (stride, len) in [(5, 90_000), (300, 50_000)] {
            check(&Bench::new(&small, case), Hard::Mixed, stride, len);
        }
    }
}
