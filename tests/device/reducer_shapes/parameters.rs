//! Operators with parameters of the application's, in every shape: new values take no compilation.

use halofold::reduce::{Monoid, Reduce, Reduction};
use halofold::{Compiled, Slice, wgpu};
use wgpu::BufferUsages;

use super::scene::{GPU, Operator, both, compare, custom, elements, reducer, sum};
use crate::common::{self, Gpu, compiled, poison, poisoned};
use crate::cut::{Cut, reduce};
use crate::refusals;

/// A sum that three weights change: `map` reads two, `finish` one.
fn weighted(declaration: &str, [factor, shift, after]: [&str; 3]) -> Monoid {
    let text = "
alias Acc = u32;
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }";
    let map = format!("return elem * {factor} + (index << {shift});");
    let map = format!("fn map(elem: Elem, index: u32) -> Acc {{ {map} }}");
    let finish = format!("fn finish(acc: Acc, n: u32) -> u32 {{ return acc + {after}; }}");
    custom("weighted", &[declaration, text, &map, &finish].join("\n"))
}

/// The members of a struct, and a list of three, the last one at its end.
fn uniform() -> Monoid {
    let of = "struct Weights { factor: u32, shift: u32, after: u32 }
@group(0) @binding(9) var<uniform> weights: Weights;";
    weighted(of, ["weights.factor", "weights.shift", "weights.after"])
}

fn storage() -> Monoid {
    let of = "@group(0) @binding(10) var<storage> list: array<u32>;";
    weighted(of, ["list[0]", "list[1]", "list[arrayLength(&list) - 1u]"])
}

/// The weights of two frames.
const FRAMES: [[u32; 3]; 2] = [[3, 5, 7], [0x9e37_79b9, 2, 1]];

/// A buffer of weights behind 256 bytes of poison, at which every device's bindings may start.
fn weights(gpu: &Gpu) -> wgpu::Buffer {
    common::buffer(gpu, &poison(1024), BufferUsages::UNIFORM | BufferUsages::STORAGE)
}

#[test]
fn every_shape_reads_the_parameters_of_its_frame_on_every_adapter() {
    for gpu in both() {
        for monoid in [uniform(), storage()] {
            let reducer = gpu.compile(Reduce::new(monoid.clone()));
            let frame = weights(gpu);
            for (number, values) in FRAMES.into_iter().enumerate() {
                gpu.queue.write_buffer(&frame, 256, bytemuck::cast_slice(&values));
                let [factor, shift, after] = values;
                let operator = Operator::new(monoid.clone(), move |elements| {
                    let terms = elements.zip(0u32..).map(|([element, _], index)| {
                        element[0].wrapping_mul(factor).wrapping_add(index << shift)
                    });
                    vec![terms.fold(after, u32::wrapping_add)]
                });
                for cut in Cut::every_of_one() {
                    let (held, want) = operator.hold(gpu, &cut.at(5));
                    let all = held.reduction(&reducer).with_parameters(Slice::new(&frame, 256, 12));
                    let (kernels, got) = compiled(|| reduce(gpu, &all));
                    let what = format!("{} {all:?} of frame {number}", monoid.name());
                    compare(&got, &want, &what);
                    assert!(number == 0 || kernels == 0, "{what} compiles {kernels} kernels");
                }
            }
        }
    }
}

#[test]
fn parameters_that_do_not_go_with_an_operator_are_refused_on_every_adapter() {
    let gpu = &*GPU;
    let words = elements(1000);
    let [held, result] = [(); 2].map(|()| poisoned(gpu, bytemuck::cast_slice(&words), 0));
    let frame = weights(gpu);
    assert_eq!((uniform().parameters_size(), storage().parameters_size()), (Some(12), Some(4)));
    let default = Default::default();
    let [uniform, storage, sum] = [uniform(), storage(), sum()].map(|monoid| reducer(gpu, &monoid, default));
    let refusal = |reduction: Reduction<'_, '_>| reduction.bind(&result).unwrap_err();
    let given = |reducer: &Compiled<Reduce>, buffer, offset, size| {
        refusal(reducer.of(&held).with_parameters(Slice::new(buffer, offset, size)))
    };
    let (role, short) = ("parameters", "Buffer(TooShort");
    refusals::check([
        (refusal(uniform.of(&held)), "Setting(parameters,", "give them by `.with_parameters(…)`"),
        (given(&sum, &frame, 0, 12), "Setting(parameters,", "leave `.with_parameters(…)` out"),
        (given(&uniform, &frame, 0, 3), short, role),
        (given(&storage, &frame, 0, 3), short, role),
        (given(&uniform, &frame, 1020, 12), short, role),
        (given(&storage, &frame, 1020, 12), short, role),
        (given(&uniform, &frame, 4, 12), "Buffer(Offset", "min_uniform_buffer_offset_alignment"),
        (given(&storage, &frame, 4, 12), "Buffer(Offset", "min_storage_buffer_offset_alignment"),
        (given(&uniform, &held, 0, 12), "Buffer(Usage", "parameters; UNIFORM"),
        (given(&storage, &result, 0, 12), "Buffer(Aliased { first: parameters,", "output"),
    ]);

    let large = "@group(0) @binding(9) var<uniform> weights: array<vec4<u32>, 5001>;";
    let large = weighted(large, ["weights[0].x", "weights[0].y", "weights[5000].z"]);
    let size = large.parameters_size().unwrap();
    let large = gpu.compile(Reduce::new(large));
    let frame = common::buffer(gpu, &poison(size as usize), BufferUsages::UNIFORM);
    if size > gpu.device.limits().max_uniform_buffer_binding_size {
        let error = given(&large, &frame, 0, size);
        refusals::check([(error, "Limit(", "max_uniform_buffer_binding_size")]);
    }
}
