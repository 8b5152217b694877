//! Results of several numbers, each number in an array of its own: the words that one array of results holds.

use halofold::reduce::{Monoid, Op, Reduce, Reduction};
use halofold::{Compiled, Element, Launches, Slice};
use halofold_cases::How;

use super::scene::{GPU, NARROW, both, custom, elements, operators, reducer, sum};
use crate::common::{Gpu, Outputs, in_turn, limited, poisoned, room};
use crate::cut::{Cut, reduce};
use crate::refusals;

/// Numbers of two bytes, and one of four.
const HALVES: &str = "
struct Found { low: f16, n: u32, high: f16 }
alias Acc = vec2<u32>;
fn map(elem: Elem, index: u32) -> Acc { return vec2(elem % 1000u, elem / 1000u % 1000u); }
fn identity() -> Acc { return vec2(0u); }
fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
fn finish(acc: Acc, n: u32) -> Found { return Found(f16(f32(acc.x)), n, f16(f32(acc.y))); }
";

/// The numbers of a result: names, offsets and sizes, and bytes from one result to the next.
type Numbers = (&'static [(&'static str, usize, usize)], usize);

/// Runs a reduction twice into several outputs among poison, named from the last to the first, and into one; all hold the same numbers.
fn check(gpu: &Gpu, reduction: &Reduction<'_, '_>, (ranges, stride): Numbers) {
    let together = reduce(gpu, reduction);
    let results = reduction.plan().unwrap().results() as usize;
    let outputs = Outputs::new(gpu, ranges.iter().map(|(_, _, size)| (results * size) as u64));
    let mut named: Vec<_> = ranges.iter().map(|(name, ..)| *name).zip(outputs.slices()).collect();
    named.reverse();
    let prepared = reduction.clone().bind_each(named).unwrap();
    let found = outputs.run(|encoder| prepared.encode(encoder));
    for (found, (_, offset, size)) in
        found.unwrap_or_else(|why| panic!("{reduction:?}: {why}")).iter().zip(ranges)
    {
        let wanted = together.chunks_exact(stride).flat_map(|result| &result[*offset..][..*size]);
        assert!(found.iter().eq(wanted), "{reduction:?}, the number at {offset}");
    }
}

/// Checks every shape of one input.
fn every_shape(gpu: &Gpu, reducer: &Compiled<Reduce>, element: Element, numbers: Numbers) {
    let size = element.size() as usize;
    let cuts = [Cut::whole(0), Cut::whole(1)].into_iter().chain(Cut::every_of_one());
    for cut in cuts {
        let words = elements(cut.len * size / 4);
        let held = cut.at(3).hold(gpu, size, &[bytemuck::cast_slice(&words)]);
        check(gpu, &held.reduction(reducer), numbers);
    }
}

#[test]
fn each_number_has_an_array_in_every_shape() {
    let known = |op: Op, element| op.over(element).unwrap();
    let found = &[("seen.x", 0, 4), ("seen.y", 4, 4), ("index", 8, 4), ("n", 12, 4)];
    let cases: [(Monoid, Element, Numbers); 6] = [
        (known(Op::ArgMax, Element::F32), Element::F32, (&[("value", 0, 4), ("index", 4, 4)], 8)),
        (known(Op::MinMax, Element::I32), Element::I32, (&[("min", 0, 4), ("max", 4, 4)], 8)),
        (known(Op::ArgMin, Element::F64), Element::F64, (&[("value", 0, 8), ("index", 8, 4)], 16)),
        (known(Op::MinMax, Element::F64), Element::F64, (&[("min", 0, 8), ("max", 8, 8)], 16)),
        (operators()[1].monoid.clone(), Element::U32, (found, 16)),
        (custom("halves", HALVES), Element::U32, (&[("low", 0, 2), ("n", 4, 4), ("high", 8, 2)], 12)),
    ];
    for (turn, (monoid, element, numbers)) in in_turn(cases.into_iter().enumerate(), 2, 0) {
        for (nth, gpu) in in_turn(both().into_iter().enumerate(), 2, turn / 2) {
            if !gpu.device.features().contains(monoid.features()) {
                eprintln!("{}: the adapter lacks {:?}", monoid.name(), monoid.features());
                continue;
            }
            let default = How::default();
            let all = [default, default.with_subgroups(false), default.with_launches(Launches::Two)];
            for how in in_turn(all, 3, turn + nth) {
                every_shape(gpu, &reducer(gpu, &monoid, how), element, numbers);
            }
        }
    }
    // One number has one output.
    every_shape(&GPU, &reducer(&GPU, &sum(), How::default()), Element::U32, (&[("result", 0, 4)], 4));
}

#[test]
fn outputs_have_the_names_of_numbers_and_buffers_of_their_own() {
    let gpu = &*GPU;
    let held = poisoned(gpu, &[1; 4000], 0);
    let [first, second] = [(); 2].map(|()| room(gpu, 4096));
    let argmax = Op::ArgMax.over(Element::U32).unwrap();
    // A state is one array.
    let [max, states] =
        [false, true].map(|states| reducer(gpu, &argmax, How::default().with_to_states(states)));
    let of = |reducer: &Compiled<Reduce>, outputs: &[(&str, Slice<'_>)]| {
        let rows = reducer.of(Slice::new(&held, 0, 4000)).segments(10);
        rows.bind_each(outputs.iter().copied()).unwrap_err()
    };
    let (value, index) = (("value", Slice::from(&first)), ("index", Slice::from(&second)));
    let with_index = |index| of(&max, &[("index", index), value]);
    let (second_output, setting) = ("second output", "Setting(outputs,");
    refusals::check([
        (of(&max, &[]), setting, "`value` is missing: the outputs are `value`, `index`"),
        (of(&max, &[value]), setting, "`index` is missing: the outputs are `value`, `index`"),
        (of(&max, &[value, index, index]), setting, "`index` is given twice"),
        (of(&max, &[value, ("place", index.1)]), setting, "`place` is not written"),
        (of(&states, &[value]), setting, "`value` is not written: the outputs are `state`"),
        (with_index(Slice::new(&first, 512, 512)), "Buffer(Aliased { first: output,", second_output),
        (with_index(Slice::at(&held, 0)), "Buffer(Aliased", second_output),
        (with_index(Slice::new(&second, 0, 396)), "Buffer(TooShort", second_output),
        (with_index(Slice::new(&second, 4, 4000)), "Buffer(Offset", second_output),
    ]);
    let few = limited(|limits| limits.max_storage_buffers_per_shader_stage = 4);
    let refused = |gpu: &Gpu, cut: Cut| {
        let held = cut.hold(gpu, 4, &[&vec![1; 4 * cut.len]]);
        let outputs = ["value", "index"].map(|name| (name, room(gpu, 160_000)));
        let outputs = outputs.iter().map(|(name, buffer)| (*name, buffer));
        held.reduction(&reducer(gpu, &argmax, How::default())).bind_each(outputs).unwrap_err()
    };
    refusals::check([
        (refused(&few, Cut::whole(1000)), "Limit(", "max_storage_buffers_per_shader_stage; 5; 4"),
        // An array is bound as a whole.
        (refused(&NARROW, Cut::segments(2, 20_000)), "", "max_storage_buffer_binding_size of 80000"),
    ]);
}
