//! Every rung × operator × element type × awkward length, against the CPU: a trial per rung, element type and finish.

use std::collections::BTreeSet;

use halofold::Element;
use halofold::ladder::{Coverage, Finish, RUNGS, Rung};
use halofold::reduce::{Arity, Op, Shape};
use halofold_measure::Job;
use libtest_mimic::Trial;

use crate::Checked;
use crate::common::{Kind, data, gpu, in_turn, is_software, job, missing};
use crate::reduced::Bench;

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

/// The documents' operators and one of the others in turn, so that each meets several rungs and types; on a software adapter one of either.
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
    crate::trial(name, is_sampled, left_out, move || {
        for op in operators {
            awkward_lengths(rung, op, element, finish)?;
        }
        Ok(())
    })
}

/// Lengths around every edge that a workgroup, a tile or a grid has, at one workgroup size, and starts at odd places.
fn awkward_lengths(rung: &'static Rung, op: Op, element: Element, finish: Finish) -> Checked {
    let job = job(rung, op, element, finish, 64);
    let (wg, tuning, bench) = (64, job.tuning, compiled(job)?);
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
            compare(&bench, kind, len as usize, round as u64, round as u64 % 7)?;
        }
    }
    Ok(())
}

/// Some lengths at every power of two that the adapter allows as a workgroup.
fn every_workgroup_size(rung: &'static Rung) -> Trial {
    let name = format!("ladder::{}::every-workgroup-size", rung.name());
    let finish = rung.finishes[0];
    let usual = job(rung, Op::Sum, Element::U32, finish, 64);
    crate::trial(name, rung.name() == SINGLE_PASS, missing(&usual), move || {
        let most = gpu().device.limits().max_compute_invocations_per_workgroup.min(1024);
        // On a software adapter every third and the largest: the others when it is the next rung's turn.
        let is_met = |power: &u32| {
            let turn = *power as usize + rung.name().len();
            1 << power <= most && (!is_software() || 1 << power == most || turn.is_multiple_of(3))
        };
        for power in (0..=10).filter(is_met) {
            // Each size takes one of two types.
            let element = [Element::U32, Element::F32][power as usize % 2];
            let bench = compiled(job(rung, Op::Sum, element, finish, 1 << power))?;
            for len in (0..=17).chain([777, 40_003]) {
                compare(&bench, Kind::Random, len, 9, len as u64 % 4)
                    .map_err(|message| format!("workgroups of {}: {message}", 1 << power))?;
            }
        }
        Ok(())
    })
}

/// Compares the result over elements that begin some elements behind the buffer's start. An operator of two inputs takes them twice.
fn compare(bench: &Bench, kind: Kind, len: usize, seed: u64, skipped: u64) -> Checked {
    let Bench { op, element, reducer, .. } = bench;
    let inputs = if reducer.operation().monoid().arity() == Arity::Two { 2 } else { 1 };
    let inputs = vec![data(kind, *op, *element, len, seed).bytes().to_vec(); inputs];
    let offset = skipped * element.size();
    let checked = bench.check(&inputs, |_| true, Shape::Whole, [offset; 2], false);
    Ok(checked.map_err(|why| format!("{op} of {len} {kind:?} {element} from byte {offset}: {why}"))?)
}

fn compiled(job: Job) -> Checked<Bench> {
    let Job { op, element, finish, .. } = job;
    Ok(Bench { op, element, reducer: job.reducer(&gpu().device)?, varies: finish == Finish::Atomic })
}
