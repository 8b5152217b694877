//! Exact sums of elements that are a stride apart.

use halofold::reduce::Shape;
use halofold::wgpu;

use super::arrays::Hard;
use super::cpu::{Arrays, SOME, cases_in_turn};
use super::gpu::{Bench, Case, Inputs, of_reduction, output, results};
use crate::common::{buffer, gpu, in_turn, limited};

/// The elements that a stride takes: at most `count` of them.
fn selected(bytes: &[u8], size: usize, stride: usize, count: usize) -> Vec<u8> {
    bytes.chunks_exact(size).step_by(stride).take(count).flatten().copied().collect()
}

fn check(bench: &Bench<'_>, hard: Hard, stride: usize, len: usize) {
    let Bench { gpu, case: Case { op, element }, results: ref sum } = *bench;
    let size = element.size() as usize;
    let arrays = Arrays::new((op, element), hard, len, 4);
    let inputs = Inputs::new(gpu, element, &arrays.slices(), 3);
    let wanted = |count| arrays.part(|bytes| selected(bytes, size, stride, count)).expected();
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
    for case in cases_in_turn(2) {
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
    for case in in_turn(SOME, 2, 1) {
        for (stride, len) in [(5, 90_000), (300, 50_000)] {
            check(&Bench::new(&small, case), Hard::Mixed, stride, len);
        }
    }
}
