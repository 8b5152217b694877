//! Segments of one length, columns and strides.

use halofold::reduce::Shape;

use super::scene::{GPU, NARROW, cases, check, elements, groups, reducers};
use crate::common::Gpu;

fn segments(gpu: &Gpu, sizes: &[(usize, usize)]) {
    for case in cases() {
        let ways = reducers(gpu, &case.monoid);
        for (number, &(len, count)) in sizes.iter().enumerate() {
            let data = elements(len * count);
            let want: Vec<_> =
                data.chunks(len).flat_map(|part| (case.model)(&mut part.iter().copied())).collect();
            let shape = Shape::Segments { len: len as u64 };
            check(gpu, &ways, shape, &data, number % 7, &want);
        }
    }
}

pub const LENGTHS: [usize; 19] =
    [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4096, 16_385, 40_000, 100_003];

#[test]
fn segments_of_every_length() {
    let counted = |len: usize| [1, 3, 300_000usize.div_ceil(len).min(70_000)].map(|count| (len, count));
    segments(&GPU, &LENGTHS.map(counted).concat());
}

#[test]
fn segments_in_windows() {
    segments(&NARROW, &[(1, 70_000), (3, 20_000), (257, 300), (5000, 40), (100_003, 3), (1 << 17, 2)]);
}

fn arrays(gpu: &Gpu, sizes: &[[usize; 3]]) {
    for case in cases() {
        let ways = reducers(gpu, &case.monoid);
        for (number, &[outer, len, inner]) in sizes.iter().enumerate() {
            let data = elements(outer * len * inner);
            let shape = Shape::axis(outer as u64, len as u64, inner as u64);
            let column = |column: Vec<usize>| (case.model)(&mut column.into_iter().map(|at| data[at]));
            let want: Vec<_> = groups(shape, data.len(), &[]).into_iter().flat_map(column).collect();
            check(gpu, &ways, shape, &data, number % 5, &want);
        }
    }
}

#[test]
fn axes_of_every_size() {
    let mut sizes = Vec::new();
    for inner in [1, 2, 3, 4, 5, 8, 31, 32, 33, 64, 65, 100, 256, 257, 1000] {
        for len in [1, 2, 3, 16, 17, 64, 255, 1000] {
            sizes.push([1, len, inner]);
            sizes.push([(40_000 / (len * inner)).clamp(2, 1000), len, inner]);
        }
        sizes.push([1, 200_000 / inner, inner]);
    }
    sizes.extend([[2, 1, 30_000], [1, 3, 70_000], [5000, 2, 2], [1, 100_003, 3]]);
    arrays(&GPU, &sizes);
}

#[test]
fn axes_in_windows() {
    arrays(
        &NARROW,
        &[
            [1, 50_000, 3],
            [1, 1000, 257],
            [7, 100, 100],
            [300, 5, 65],
            [2, 30, 4000],
            [1, 5, 5000],
            [1, 40, 4100],
        ],
    );
}

#[test]
fn every_stride() {
    for (gpu, most) in [(&*GPU, 100_003), (&NARROW, 60_000)] {
        for case in cases() {
            let ways = reducers(gpu, &case.monoid);
            for stride in [1, 2, 3, 7, 64, 1000, 20_000] {
                for len in [1, 2, 255, 1000, most] {
                    // The last element has no stride behind it.
                    let spanned = (len.min(400_000 / stride).max(1) - 1) * stride + 1;
                    let data = elements(spanned);
                    let want = (case.model)(&mut data.iter().copied().step_by(stride));
                    check(gpu, &ways, Shape::Strided { stride: stride as u64 }, &data, stride % 5, &want);
                }
            }
        }
    }
}
