//! A plan carried out on the CPU, with integers for values and the kernels' own arithmetic for indices.

use halofold::reduce::{Coverage, From as Source, Pass, Plan, Stage, To};
use proptest::prelude::*;

use crate::Case;

/// What a slot of memory holds: a value, and whether `finish` has been applied to it. `None` is poison.
type Slot = Option<(u64, bool)>;

/// The elements' value at a position: any two sets of positions have different sums, as good as surely.
fn element(index: u64) -> u64 {
    (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Memory as a run sees it.
struct Memory {
    /// The caller's buffer, by element.
    input: Vec<Slot>,
    scratch: [Vec<Slot>; 2],
    output: Vec<Slot>,
    board: Vec<Slot>,
}

/// Runs a plan and compares what is left with the sum of all elements.
pub fn run(case: &Case, plan: &Plan) -> Result<(), TestCaseError> {
    let size = case.job.accumulator.element.size();
    let slots = |bytes: u64| vec![None; (bytes / case.job.accumulator.size) as usize];
    let mut memory = Memory {
        input: vec![None; (case.offset / size + case.len + 64) as usize],
        scratch: plan.scratch.map(slots),
        output: slots(plan.output),
        board: slots(plan.board),
    };
    for index in 0..case.len {
        memory.input[(case.offset / size + index) as usize] = Some((element(index), false));
    }
    let mut posted = 0;
    for pass in &plan.passes {
        match pass.stage {
            Stage::Seed => memory.output[0] = Some((0, false)),
            Stage::Seal => memory.output[0] = memory.output[0].map(|(value, _)| (value, true)),
            Stage::Elements | Stage::Partials => posted += dispatch(case, plan, pass, &mut memory)?,
        }
    }
    prop_assert_eq!(posted, if plan.board > 0 { plan.workgroups() } else { 0 });
    let sum = (0..case.len).fold(0, |sum: u64, index| sum.wrapping_add(element(index)));
    let mut total = 0u64;
    for slot in &memory.output[..plan.left as usize] {
        let (value, finished) = slot.ok_or_else(|| TestCaseError::fail("poison is left"))?;
        let sealed = plan.passes.iter().any(|pass| pass.stage == Stage::Seal);
        let delivered = plan.passes.last().is_some_and(|pass| pass.params.last == 1);
        prop_assert_eq!(finished, sealed || delivered);
        total = total.wrapping_add(value);
    }
    prop_assert_eq!(total, sum);
    Ok(())
}

/// One dispatch; answers how many workgroups posted to the board.
fn dispatch(case: &Case, plan: &Plan, pass: &Pass, memory: &mut Memory) -> Result<u64, TestCaseError> {
    let params = &pass.params;
    let mut posted = 0;
    for result in 0..params.groups {
        let mut sum = 0u64;
        for item in items(case, pass, result) {
            sum = sum.wrapping_add(load(case, pass, memory, item)?);
        }
        if plan.board > 0 {
            memory.board[(params.store + result) as usize] = Some((sum, false));
            posted += 1;
            continue;
        }
        let atomic = case.job.finish == halofold::reduce::Finish::Atomic;
        let (target, offset) = match pass.to {
            To::Scratch { buffer, offset, .. } => (&mut memory.scratch[buffer], offset),
            To::Output { offset, .. } => (&mut memory.output, offset),
        };
        let at = (offset / case.job.accumulator.size) as usize + (params.store + result) as usize;
        if atomic {
            let (total, _) = target[0].ok_or_else(|| TestCaseError::fail("the total is not seeded"))?;
            target[0] = Some((total.wrapping_add(sum), false));
        } else {
            prop_assert!(at < target.len(), "a store past the end");
            target[at] = Some((sum, params.last == 1));
        }
    }
    if std::ptr::eq(pass, plan.passes.last().expect("this one")) && plan.board > 0 {
        collect(params.tickets, memory)?;
    }
    Ok(posted)
}

/// What the last workgroup does: it fetches every slot.
fn collect(tickets: u32, memory: &mut Memory) -> Result<(), TestCaseError> {
    let mut sum = 0u64;
    for slot in &memory.board[..tickets as usize] {
        let (value, _) = slot.ok_or_else(|| TestCaseError::fail("a slot that nobody posted to"))?;
        sum = sum.wrapping_add(value);
    }
    memory.output[0] = Some((sum, true));
    Ok(())
}

/// The items that go into one result, by the kernels' own arithmetic: those past the end are the identity.
fn items(case: &Case, pass: &Pass, result: u32) -> Vec<u32> {
    let Pass { params, .. } = pass;
    let wg = case.job.tuning.workgroup_size;
    let tile = case.job.tuning.tile;
    let all: Vec<u32> = match case.job.rung.coverage {
        Coverage::Pairs if case.job.rung.name == "global-halves" => vec![result, result + params.groups],
        Coverage::Pairs => vec![2 * result, 2 * result + 1],
        Coverage::Block(items) => (result * items * wg..(result + 1) * items * wg).collect(),
        Coverage::Tiles(1) => (result * tile..(result + 1) * tile).collect(),
        // The second element of a slot lies half the input away.
        Coverage::Tiles(_) => {
            (result * tile..(result + 1) * tile).flat_map(|k| [k, k + params.groups * tile]).collect()
        }
        Coverage::Grid(_) => {
            let stride = (params.groups * wg) as usize;
            (0..wg).flat_map(|lid| (result * wg + lid..params.len).step_by(stride)).collect()
        }
        other => unreachable!("{other:?} is new"),
    };
    all.into_iter().filter(|item| *item < params.len).collect()
}

fn load(case: &Case, pass: &Pass, memory: &Memory, item: u32) -> Result<u64, TestCaseError> {
    let at = (pass.params.first + item) as usize;
    let slot = match pass.from {
        Source::Input { offset, .. } => {
            memory.input[(offset / case.job.accumulator.element.size()) as usize + at]
        }
        Source::Scratch { buffer, offset, .. } => {
            memory.scratch[buffer][(offset / case.job.accumulator.size) as usize + at]
        }
        Source::Nothing => None,
    };
    let (value, finished) =
        slot.ok_or_else(|| TestCaseError::fail(format!("{pass:?} reads poison at {item}")))?;
    prop_assert!(!finished, "a finished value is combined");
    Ok(value)
}
