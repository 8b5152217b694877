//! Operators with parameters of the application's, in every shape: new values take no compilation.

use halofold::reduce::{Arity, Monoid, Op, ReduceError, Reducer, Reduction, Shape};
use halofold::{BufferError, Element, Slice, wgpu};
use wgpu::BufferUsages;

use super::scene::{GPU, NARROW, buffer, compare, elements, groups, run, words};
use crate::common::{self, Gpu, compiled, poison};

/// Adds `weights` of a uniform: each of the four functions but `identity` reads one.
const UNIFORM: &str = "
struct Weights { factor: u32, shift: u32, after: u32 }
@group(0) @binding(9) var<uniform> weights: Weights;
alias Acc = u32;
fn map(elem: Elem, index: u32) -> Acc { return elem * weights.factor + (index << weights.shift); }
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return acc + weights.after; }
";

/// The same with a list of three, the last one at its end.
const STORAGE: (&str, &str) = (
    "struct Weights { factor: u32, shift: u32, after: u32 }
@group(0) @binding(9) var<uniform> weights: Weights;",
    "@group(0) @binding(10) var<storage> list: array<u32>;
struct Weights { factor: u32, shift: u32, after: u32 }
const weights = Weights();",
);

/// The weights of two frames.
const FRAMES: [[u32; 3]; 2] = [[3, 5, 7], [0x9e37_79b9, 2, 1]];

const LEN: usize = 60_000;

fn uniform() -> Monoid {
    Monoid::custom("weighted", Element::U32, Arity::One, UNIFORM).unwrap()
}

fn storage() -> Monoid {
    let text = UNIFORM.replace(STORAGE.0, STORAGE.1);
    let text = text.replace("weights.factor", "list[0]").replace("weights.shift", "list[1]");
    let text = text.replace("weights.after", "list[arrayLength(&list) - 1u]");
    Monoid::custom("listed", Element::U32, Arity::One, &text).unwrap()
}

/// A buffer of weights behind 256 bytes of poison, at which every device's bindings may start.
fn weights(gpu: &Gpu) -> wgpu::Buffer {
    common::buffer(gpu, &poison(1024), BufferUsages::UNIFORM | BufferUsages::STORAGE)
}

#[test]
fn every_shape_reads_the_parameters_of_its_frame() {
    let data = elements(LEN);
    for gpu in [&*GPU, &NARROW] {
        let (held, list) = (buffer(gpu, &data, 5), [0u32, 7, 7, 40_000, 59_999, 60_000]);
        let (offsets, counted) = (buffer(gpu, &list, 0), buffer(gpu, &[50_001], 0));
        for monoid in [uniform(), storage()] {
            let reducer = Reducer::new(&gpu.device, monoid).unwrap();
            let frame = weights(gpu);
            let all = || reducer.of(words(&held, 5, LEN)).with_parameters(Slice::new(&frame, 256, 12));
            let reductions: [(Reduction<'_, '_>, Vec<Vec<usize>>); 8] = [
                (all(), vec![(0..LEN).collect()]),
                (all().count_buffer(&counted), vec![(0..50_001).collect()]),
                (all().chain(words(&held, 5, 100)), vec![(0..LEN).chain(0..100).collect()]),
                (all().strided(7), groups(Shape::Strided { stride: 7 }, LEN, &[])),
                (all().segments(10), groups(Shape::Segments { len: 10 }, LEN, &[])),
                (all().segments(30_000), groups(Shape::Segments { len: 30_000 }, LEN, &[])),
                (
                    all().segment_offsets(words(&offsets, 0, list.len())),
                    groups(Shape::Offsets { count: 5 }, LEN, &list),
                ),
                (all().axis(1, 600, 100), groups(Shape::axis(1, 600, 100), LEN, &[])),
            ];
            for (frame_number, values) in FRAMES.into_iter().enumerate() {
                gpu.queue.write_buffer(&frame, 256, bytemuck::cast_slice(&values));
                let [factor, shift, after] = values;
                for (number, (reduction, places)) in reductions.iter().enumerate() {
                    let want = places.iter().map(|places| {
                        let terms = places.iter().zip(0u32..);
                        let terms = terms
                            .map(|(&at, index)| data[at].wrapping_mul(factor).wrapping_add(index << shift));
                        terms.fold(after, u32::wrapping_add)
                    });
                    let (kernels, got) = compiled(|| run(gpu, reduction));
                    let what = format!("{} {number} of frame {frame_number}", reducer.monoid().name());
                    compare(&got, &want.collect::<Vec<_>>(), &what);
                    assert!(frame_number == 0 || kernels == 0, "{what} compiles {kernels} kernels");
                }
            }
        }
    }
}

#[test]
fn parameters_that_do_not_go_with_an_operator_are_refused() {
    let gpu = &*GPU;
    let (held, result) = (buffer(gpu, &elements(1000), 0), buffer(gpu, &elements(1000), 0));
    let frame = weights(gpu);
    assert_eq!((uniform().parameters_size(), storage().parameters_size()), (Some(12), Some(4)));
    let [uniform, storage] = [uniform(), storage()].map(|monoid| Reducer::new(&gpu.device, monoid).unwrap());
    let sum = Reducer::new(&gpu.device, Op::Sum.over(Element::U32).unwrap()).unwrap();
    let refusal = |reduction: Reduction<'_, '_>| reduction.into(&result).unwrap_err();

    let missing = refusal(uniform.of(&held));
    assert!(matches!(missing, ReduceError::Parameters { are_declared: true, .. }), "{missing}");
    assert!(missing.to_string().contains("give them by `.with_parameters(…)`"), "{missing}");
    let needless = refusal(sum.of(&held).with_parameters(&frame));
    assert!(matches!(needless, ReduceError::Parameters { are_declared: false, .. }), "{needless}");
    assert!(needless.to_string().contains("leave `.with_parameters(…)` out"), "{needless}");

    let given = |reducer: &Reducer, slice: Slice<'_>| match refusal(reducer.of(&held).with_parameters(slice))
    {
        ReduceError::Buffer(error) => error,
        other => panic!("{other}"),
    };
    for reducer in [&uniform, &storage] {
        let short = given(reducer, Slice::new(&frame, 0, 3));
        assert!(matches!(short, BufferError::TooShort { role: "parameters", .. }), "{short}");
        let behind = given(reducer, Slice::new(&frame, 1020, 12));
        assert!(matches!(behind, BufferError::TooShort { role: "parameters", .. }), "{behind}");
    }
    let odd = given(&uniform, Slice::new(&frame, 4, 12));
    assert!(odd.to_string().contains("min_uniform_buffer_offset_alignment"), "{odd}");
    let odd = given(&storage, Slice::new(&frame, 4, 12));
    assert!(odd.to_string().contains("min_storage_buffer_offset_alignment"), "{odd}");
    let usage = given(&uniform, Slice::new(&held, 0, 12));
    assert_eq!(usage, BufferError::Usage { role: "parameters", usage: BufferUsages::UNIFORM });
    let aliased = given(&storage, Slice::new(&result, 0, 12));
    assert!(matches!(aliased, BufferError::Aliased { first: "parameters", .. }), "{aliased}");

    let large = UNIFORM.replace("after: u32", "after: u32, more: array<vec4<u32>, 5000>");
    let large = Monoid::custom("large", Element::U32, Arity::One, &large).unwrap();
    let size = large.parameters_size().unwrap();
    let large = Reducer::new(&gpu.device, large).unwrap();
    let frame = common::buffer(gpu, &poison(size as usize), BufferUsages::UNIFORM);
    let limit = gpu.device.limits().max_uniform_buffer_binding_size;
    if size > limit {
        let error = refusal(large.of(&held).with_parameters(&frame));
        assert!(matches!(error, ReduceError::Limit(_)), "{error}");
        assert!(error.to_string().contains("max_uniform_buffer_binding_size"), "{error}");
    }
}
