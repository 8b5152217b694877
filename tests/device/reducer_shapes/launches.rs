//! The finish in two launches: how many launches there are, and the bits that one launch gives. `whole` has its results.

use halofold::Element;
use halofold::reduce::plan::{Launch, Src};
use halofold::reduce::{Arity, Launches, Op, Options, Plan, Shape};

use super::scene::{GPU, in_two, reducer, sum};
use crate::common::{Data, Kind, data, gpu, in_turn};
use crate::cut::{Cut, reduce};

/// Launches over elements, and launches over partials.
fn launches(plan: &Plan) -> (usize, usize) {
    let is_over_partials = |launch: &&Launch| matches!(launch.src, Src::Scratch(..));
    let over_partials = plan.launches().iter().filter(is_over_partials).count();
    (plan.launches().len() - over_partials, over_partials)
}

#[test]
fn one_launch_is_what_adapters_start_with() {
    let plan = |options, len| {
        let held = Cut::whole(len).hold(&GPU, 4, &[&vec![0; 4 * len]]);
        held.reduction(&reducer(&GPU, &sum(), options)).plan().unwrap()
    };
    let of = |choice| launches(&plan(Options::default().with_launches(choice), 100_000));
    // No adapter is known on which it fails.
    assert_eq!(of(Launches::ByAdapter), (1, 0));
    assert_eq!(of(Launches::One), (1, 0));
    assert_eq!(of(Launches::Two), (1, 1));
    // One workgroup has no others to wait for.
    let few = plan(in_two(), 1000);
    assert_eq!((launches(&few), few.scratch(), few.partials()), ((1, 0), [0; 2], 0));
}

/// Every operator over every type: the same tree, and so the same bits, also of floats.
#[test]
fn the_bits_of_one_launch() {
    const LEN: usize = 140_001;
    for (turn, &op) in in_turn(Op::ALL.iter().enumerate(), 2, 0) {
        // On a software adapter every second operator meets one type.
        let monoids = Element::ALL.into_iter().filter_map(|element| Some((element, op.over(element).ok()?)));
        let monoids: Vec<_> = monoids.collect();
        let step = monoids.len();
        for (element, monoid) in in_turn(monoids, step, turn) {
            let missing = monoid.features() - gpu().device.features();
            if !missing.is_empty() {
                eprintln!("{op} of {element}: the adapter lacks {missing:?}");
                continue;
            }
            let inputs = if monoid.arity() == Arity::Two { 2 } else { 1 };
            let inputs: Vec<_> = (0..inputs).map(|seed| data(Kind::Random, op, element, LEN, seed)).collect();
            let inputs: Vec<_> = inputs.iter().map(Data::bytes).collect();
            // Compiling takes most of the time.
            let shapes = [Shape::Whole, Shape::Strided { stride: 7 }];
            for shape in &shapes[..if element == Element::F32 { 2 } else { 1 }] {
                let held = Cut::of(*shape, LEN).hold(gpu(), element.size() as usize, &inputs);
                let [one, two] = [Launches::One, Launches::Two].map(|launches| {
                    let reducer = reducer(gpu(), &monoid, Options::default().with_launches(launches));
                    let reduction = held.reduction(&reducer);
                    (reduction.plan().unwrap().launches().len(), reduce(gpu(), &reduction))
                });
                assert_eq!((one.0, two.0), (1, 2), "{op} of {element}, {shape:?}");
                assert_eq!(one.1, two.1, "{op} of {element}, {shape:?}");
            }
        }
    }
}
