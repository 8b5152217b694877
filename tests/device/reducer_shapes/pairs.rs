//! Two inputs in every shape.

use halofold::Element;
use halofold::reduce::{Arity, Monoid, Shape};

use super::scene::{GPU, NARROW, WEIGHTED, buffer, compare, elements, groups, reducers, run, words};
use crate::common::shaped;

#[test]
fn two_inputs_in_every_shape() {
    let monoid = Monoid::custom("weighted", Element::U32, Arity::Two, WEIGHTED).unwrap();
    let model = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
        let sum = |(n, sum): (u32, u32), (a, b): (u32, u32)| {
            (n + 1, sum.wrapping_add(a.wrapping_mul(b)).wrapping_add(n))
        };
        let (n, sum) = pairs.fold((0, 0), sum);
        sum.wrapping_add(n)
    };
    let len = 60_000;
    let (first, second) = (elements(len), elements(2 * len).split_off(len));
    let pairs: Vec<_> = first.iter().copied().zip(second.iter().copied()).collect();
    let list = [0u32, 3, 3, 20_000, 20_100, 59_000, 60_000];
    let shapes = [
        Shape::Whole,
        Shape::Strided { stride: 6 },
        Shape::Segments { len: 3 },
        Shape::Segments { len: 250 },
        Shape::Segments { len: 30_000 },
        Shape::Offsets { count: 6 },
        Shape::axis(6, 1000, 10),
        Shape::axis(1, 12_000, 5),
    ];
    for gpu in [&*GPU, &NARROW] {
        let positions = buffer(gpu, &list, 0);
        for shape in shapes {
            let model = |group: &Vec<usize>| model(&mut group.iter().map(|&at| pairs[at]));
            let want: Vec<u32> = groups(shape, len, &list).iter().map(model).collect();
            for reducer in reducers(gpu, &monoid) {
                for (at, beside) in [(0, 0), (1, 5), (3, 2), (0, 63)] {
                    let (a, b) = (buffer(gpu, &first, at), buffer(gpu, &second, beside));
                    let both = reducer.of(words(&a, at, len)).with(words(&b, beside, len));
                    let got = run(gpu, &shaped(both, shape, words(&positions, 0, list.len())));
                    compare(&got, &want, &format!("{shape:?} + {at} and {beside}"));
                }
            }
        }
    }
}
