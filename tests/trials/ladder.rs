//! Every rung × operator × element type × awkward length, against the CPU, on the adapter at hand.
//!
//! One trial per rung, element type and way to finish. What the adapter cannot run is listed as ignored, with the reason.

use std::collections::BTreeSet;

use crate::common::{Kind, data, gpu, in_turn, is_software, job, missing, over, poisoned, right, run};
use halofold::reduce::ladder::{Coverage, Finish, RUNGS, Rung};
use halofold::reduce::{Arity, Op, Reducer, Scalar, reference};
use halofold::{Element, Slice};
use halofold_measure::Job;
use libtest_mimic::Trial;

use crate::{Adapters, Checked};

/// The rung that every adapter runs in all its ways.
const SINGLE_PASS: &str = "single-pass";

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for rung in RUNGS {
        for element in Element::ALL {
            // On a software adapter all finishes of the types that every adapter runs, and one of the others.
            let step = if [Element::U32, Element::F32].contains(&element) { 1 } else { rung.finishes.len() };
            for &finish in in_turn(rung.finishes, step, trials.len()) {
                trials.push(trial(rung, element, finish, trials.len()));
            }
        }
        trials.push(every_workgroup_size(rung));
    }
    trials
}

/// Of the operators that run: the documents', and one of the others, which take turns, so that each meets several rungs and types. A
/// software adapter, which takes most of the time to compile, gets one of either in turn.
fn operators(number: usize, runs: impl Fn(&Op) -> bool) -> Vec<Op> {
    let (usual, others): (Vec<_>, Vec<_>) = Op::ALL.iter().partition(|op| {
        matches!(op, Op::Sum | Op::Product | Op::Min | Op::Max | Op::WideSum | Op::WideProduct)
    });
    let other = Some(others[number / 2 % others.len()]).filter(&runs);
    let usual = usual.into_iter().filter(runs).collect();
    let kinds = [one_in_turn(usual, number / 2), other.into_iter().collect()];
    one_in_turn(kinds.into_iter().filter(|kind| !kind.is_empty()).collect(), number).concat()
}

/// All cases on a GPU, one on a software adapter; none of none.
fn one_in_turn<T>(cases: Vec<T>, turn: usize) -> Vec<T> {
    let step = cases.len().max(1);
    in_turn(cases, step, turn).collect()
}

fn trial(rung: &'static Rung, element: Element, finish: Finish, number: usize) -> Trial {
    let name = format!("ladder::{}::{element}::{finish}", rung.name());
    let runs = |op: &Op| op.is_over(element) && missing(&job(rung, *op, element, finish, 64)).is_none();
    let operators = operators(number, runs);
    let reason = || missing(&job(rung, Op::Max, element, finish, 64)).unwrap_or_default();
    let left_out = operators.is_empty().then(reason);
    let is_sampled = match finish {
        _ if rung.name() == SINGLE_PASS => true,
        Finish::Repeat => element == Element::F32,
        Finish::LastWorkgroup => element == Element::U32,
        _ => false,
    };
    crate::trial(name, Adapters::every_if(is_sampled), left_out, move || {
        for op in operators {
            awkward_lengths(rung, op, element, finish)?;
        }
        Ok(())
    })
}

/// Lengths around every edge that a workgroup, a tile or a grid has, at one workgroup size, and starts at odd places.
fn awkward_lengths(rung: &'static Rung, op: Op, element: Element, finish: Finish) -> Checked {
    let bench = Bench::new(job(rung, op, element, finish, 64))?;
    let (wg, tuning) = (64, &bench.job.tuning);
    let block = match rung.kernel.coverage {
        Coverage::Block(items) | Coverage::Grid(items) => wg * u64::from(items),
        Coverage::Tiles(tiles) => u64::from(tuning.tile * tiles),
        _ => wg,
    };
    let edges = [wg, block, 2 * block, wg * block].into_iter();
    let edges = edges.flat_map(|edge| [edge - 1, edge, edge + 1]);
    let lengths: BTreeSet<_> = edges.chain([0, 1, 2, 3, 5, 7, 8, 13, 1009, 70_001]).collect();
    for (round, len) in lengths.into_iter().enumerate() {
        // They take turns: every kind meets every edge of some rung and operator. Long inputs get one kind only.
        let turn = round + rung.name().len() + op.name().len();
        let other = [Kind::Constant, Kind::Dyadic, Kind::Extremes, Kind::Nan][turn % 4];
        let kinds = match len {
            0..3 => vec![Kind::Random, Kind::Nan],
            3..=2000 => vec![Kind::Random, other],
            _ if turn.is_multiple_of(5) => vec![Kind::Random],
            _ => vec![other],
        };
        for kind in kinds {
            bench.compare(kind, len as usize, round as u64, round as u64 % 7)?;
        }
    }
    Ok(())
}

/// Some lengths at every power of two that the adapter allows as a workgroup.
fn every_workgroup_size(rung: &'static Rung) -> Trial {
    let name = format!("ladder::{}::every-workgroup-size", rung.name());
    let finish = rung.finishes[0];
    let usual = job(rung, Op::Sum, Element::U32, finish, 64);
    crate::trial(name, Adapters::every_if(rung.name() == SINGLE_PASS), missing(&usual), move || {
        let most = gpu().device.limits().max_compute_invocations_per_workgroup.min(1024);
        // On a software adapter every third and the largest: the others when it is the next rung's turn.
        let is_met = |power: &u32| {
            let turn = *power as usize + rung.name().len();
            1 << power <= most && (!is_software() || 1 << power == most || turn.is_multiple_of(3))
        };
        for power in (0..=10).filter(is_met) {
            // Each size takes one of two types.
            let element = [Element::U32, Element::F32][power as usize % 2];
            let bench = Bench::new(job(rung, Op::Sum, element, finish, 1 << power))?;
            for len in (0..=17).chain([777, 40_003]) {
                bench
                    .compare(Kind::Random, len, 9, len as u64 % 4)
                    .map_err(|message| format!("workgroups of {}: {message}", 1 << power))?;
            }
        }
        Ok(())
    })
}

/// A compiled rung.
struct Bench {
    job: Job,
    reducer: Reducer,
}

impl Bench {
    fn new(job: Job) -> Checked<Self> {
        Ok(Bench { job, reducer: job.reducer(&gpu().device)? })
    }

    /// Compares the result over elements that begin some elements behind the buffer's start. An operator of two inputs takes them twice.
    fn compare(&self, kind: Kind, len: usize, seed: u64, skipped: u64) -> Checked {
        let Job { op, element, .. } = self.job;
        let values = data(kind, op, element, len, seed);
        let offset = skipped * element.size();
        let buffer = poisoned(gpu(), values.bytes(), offset);
        let input = Slice::new(&buffer, offset, values.bytes().len() as u64);
        let expected =
            reference::reduce(op, element, values.bytes(), Some(values.bytes())).expect("it is defined");
        let judged = gpu().watched(|| {
            let (got, depth) = self.run(input).map_err(|error| error.to_string())?;
            right(expected.judge(got, depth))
        });
        let what = |why| format!("{op} of {len} {kind:?} {element} from byte {offset}: {why}");
        Ok(judged.map_err(what)?)
    }

    /// The answer and the plan's depth.
    fn run(&self, input: Slice<'_>) -> Checked<(Scalar, u64)> {
        let Job { op, element, finish, .. } = self.job;
        let inputs = if self.reducer.monoid().arity() == Arity::Two { 2 } else { 1 };
        let reduction = over(&self.reducer, &[input; 2][..inputs]);
        let plan = reduction.plan()?;
        let [first, second] = run(gpu(), &reduction, None)?.map(|bytes| {
            if plan.leaves_partials() {
                reference::combine(op, element, &bytes, input.size() / element.size()).unwrap()
            } else {
                op.read(element, &bytes)[0]
            }
        });
        if finish != Finish::Atomic && !first.same(second) {
            return Err(format!("the second run gave {second}, the first {first}").into());
        }
        Ok((second, plan.depth()))
    }
}
