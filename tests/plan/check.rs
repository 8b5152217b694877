//! What holds for every plan, whatever it is for.

use halofold::reduce::{Coverage, Finish, From as Source, Pass, Plan, Stage, To};
use proptest::prelude::*;

use crate::Case;

type Checked = Result<(), TestCaseError>;

/// The loops of one invocation may turn this often, all together: Mesa 22 stops them there without a word.
const MOST_TURNS: u64 = 65_535;

/// What a kernel's other loops may need: steps of trees, slots of narrow subgroups, tiles.
const OTHER_TURNS: u64 = 300;

/// Holds a plan against everything that a run relies on.
pub fn plan(case: &Case, plan: &Plan) -> Checked {
    prop_assert_eq!(plan.output, plan.left * case.job.accumulator.size);
    for pass in &plan.passes {
        grid(case, pass)?;
        indices(case, pass)?;
        turns(case, pass)?;
        prop_assert_eq!(pass.params.zero, 0);
        prop_assert_eq!(u64::from(pass.params.count), case.len);
    }
    let elements: Vec<_> = plan.passes.iter().filter(|pass| pass.stage == Stage::Elements).copied().collect();
    reads(case, &elements, case.job.accumulator.element.size(), case.offset, case.len)?;
    match case.job.finish {
        Finish::Atomic => through_total(case, plan)?,
        Finish::LastWorkgroup => through_board(case, plan)?,
        _ => through_scratch(case, plan)?,
    }
    left(case, plan)?;
    depth(case, plan)?;
    buffers(case, plan)
}

/// The grid lies within the limits and has all the workgroups that it needs.
fn grid(case: &Case, pass: &Pass) -> Checked {
    let [x, y] = pass.grid;
    let most = case.limits.max_compute_workgroups_per_dimension;
    prop_assert!((1..=most).contains(&x) && (1..=most).contains(&y), "{pass:?}");
    prop_assert_eq!(pass.params.row, x);
    let workgroups = u64::from(x) * u64::from(y);
    let needed = workgroups_needed(case, pass);
    prop_assert!((needed..needed + u64::from(y)).contains(&workgroups), "{pass:?}");
    Ok(())
}

fn workgroups_needed(case: &Case, pass: &Pass) -> u64 {
    let results = u64::from(pass.params.groups);
    let pairs = case.job.rung.coverage == Coverage::Pairs;
    if pairs { results.div_ceil(u64::from(case.job.tuning.workgroup_size)) } else { results }
}

/// Items that one workgroup takes in one go; for pairs, one invocation.
fn per_result(case: &Case) -> u64 {
    let tuning = &case.job.tuning;
    match case.job.rung.coverage {
        Coverage::Pairs => 2,
        Coverage::Block(items) | Coverage::Grid(items) => u64::from(items) * u64::from(tuning.workgroup_size),
        Coverage::Tiles(tiles) => u64::from(tiles) * u64::from(tuning.tile),
        other => unreachable!("{other:?} is new"),
    }
}

/// The workgroups reach every item, and no index on the way leaves 32 bits.
fn indices(case: &Case, pass: &Pass) -> Checked {
    let params = &pass.params;
    let reached = u64::from(params.groups) * per_result(case);
    let (first, len) = (u64::from(params.first), u64::from(params.len));
    match case.job.rung.coverage {
        // The last turn of the loop steps past the end by less than three grids of vectors.
        Coverage::Grid(_) => {
            let stride = u64::from(params.groups) * u64::from(case.job.tuning.workgroup_size);
            prop_assert!(first + len + 4 * stride < 1 << 32, "{pass:?}");
        }
        _ => {
            prop_assert!(reached >= len, "{pass:?}");
            prop_assert!(first + reached <= 1 << 32, "{pass:?}");
        }
    }
    Ok(())
}

/// No invocation turns more often than the weakest driver allows.
fn turns(case: &Case, pass: &Pass) -> Checked {
    let items = match case.job.rung.coverage {
        // Vectors are of the caller's elements only.
        Coverage::Grid(16) if pass.stage == Stage::Partials => 1,
        Coverage::Grid(items) => u64::from(items),
        _ => return Ok(()),
    };
    let wg = u64::from(case.job.tuning.workgroup_size);
    let fold = u64::from(pass.params.len).div_ceil(u64::from(pass.params.groups) * wg * items);
    let fetches = u64::from(pass.params.tickets).div_ceil(wg);
    let turns = fold + fetches + OTHER_TURNS;
    prop_assert!(turns <= MOST_TURNS, "{turns} turns: {pass:?}");
    Ok(())
}

/// Passes that do not depend on one another read a buffer from `base` on, each of `len` items once.
fn reads(case: &Case, passes: &[Pass], item: u64, base: u64, len: u64) -> Checked {
    let mut covered = 0;
    for Pass { from, params, .. } in passes {
        let (first, len) = (u64::from(params.first), u64::from(params.len));
        prop_assert_eq!(u64::from(params.index), covered);
        match *from {
            Source::Nothing => prop_assert_eq!(len, 0),
            Source::Input { offset, size } | Source::Scratch { offset, size, .. } => {
                prop_assert!(len > 0);
                binding(case, offset, size)?;
                prop_assert_eq!(offset + first * item, base + covered * item);
                let needed = (first + len) * item;
                prop_assert!((needed..needed + 4).contains(&size), "{size} for {needed}");
            }
        }
        covered += len;
    }
    prop_assert_eq!(covered, len);
    Ok(())
}

/// Passes that do not depend on one another leave their results side by side; answers how many.
fn writes(case: &Case, passes: &[Pass]) -> Result<u64, TestCaseError> {
    let acc = case.job.accumulator.size;
    let mut written = 0;
    for pass in passes {
        let (To::Scratch { offset, size, .. } | To::Output { offset, size }) = pass.to;
        prop_assert_eq!(place(pass.to), place(passes[0].to));
        binding(case, offset, size)?;
        prop_assert_eq!(offset + u64::from(pass.params.store) * acc, written * acc);
        written += u64::from(pass.params.groups);
        prop_assert_eq!(offset + size, written * acc);
    }
    Ok(written)
}

/// A part of a buffer that a device lets a kernel have.
fn binding(case: &Case, offset: u64, size: u64) -> Checked {
    let limits = &case.limits;
    prop_assert!(offset.is_multiple_of(u64::from(limits.min_storage_buffer_offset_alignment)), "{offset}");
    // A binding of vectors starts at a vector.
    prop_assert!(offset.is_multiple_of(16));
    prop_assert!(size > 0 && size.is_multiple_of(4));
    prop_assert!(size <= limits.max_storage_buffer_binding_size, "{size} bytes in one binding");
    Ok(())
}

/// A scratch buffer, or none: the output.
fn place(to: To) -> Option<usize> {
    match to {
        To::Scratch { buffer, .. } => Some(buffer),
        To::Output { .. } => None,
    }
}

/// Every level leaves what the next one reads from end to end; two buffers take turns.
fn through_scratch(case: &Case, plan: &Plan) -> Checked {
    let level = |pass: &Pass| match pass.from {
        Source::Scratch { buffer, .. } => Some(buffer),
        _ => None,
    };
    let mut levels = plan.passes.chunk_by(|a, b| level(a) == level(b));
    let elements = levels.next().expect("a plan has passes");
    prop_assert!(elements.iter().all(|pass| pass.stage == Stage::Elements));
    let mut written = writes(case, elements)?;
    let mut target = place(elements[0].to);
    for passes in levels {
        prop_assert!(passes.iter().all(|pass| pass.stage == Stage::Partials));
        let from = level(&passes[0]);
        prop_assert_eq!(from, target);
        reads(case, passes, case.job.accumulator.size, 0, written)?;
        prop_assert!(written * case.job.accumulator.size <= plan.scratch[from.expect("a scratch buffer")]);
        let left = writes(case, passes)?;
        prop_assert!(left < written, "no progress: {passes:?}");
        target = place(passes[0].to);
        prop_assert_ne!(from, target);
        written = left;
    }
    prop_assert_eq!((target, written, plan.board), (None, plan.left, 0));
    delivers(plan)
}

/// The last pass delivers a final result if it leaves one, and no other pass does.
fn delivers(plan: &Plan) -> Checked {
    for (at, pass) in plan.passes.iter().enumerate() {
        let last = plan.left == 1 && at + 1 == plan.passes.len();
        prop_assert_eq!(pass.params.last, u32::from(last));
    }
    Ok(())
}

/// Where the one result goes.
fn result(case: &Case) -> To {
    To::Output { offset: 0, size: case.job.accumulator.size }
}

/// A total is seeded, added to, and sealed.
fn through_total(case: &Case, plan: &Plan) -> Checked {
    let stages: Vec<_> = plan.passes.iter().map(|pass| pass.stage).collect();
    let elements = stages.iter().filter(|stage| **stage == Stage::Elements).count();
    let sealed = usize::from(stages.last() == Some(&Stage::Seal));
    prop_assert_eq!(stages[0], Stage::Seed);
    prop_assert_eq!(stages.len(), 1 + elements + sealed);
    prop_assert!(plan.passes.iter().all(|pass| pass.to == result(case)));
    for pass in plan.passes.iter().filter(|pass| pass.stage != Stage::Elements) {
        prop_assert_eq!((pass.from, pass.grid), (Source::Nothing, [1, 1]));
    }
    prop_assert_eq!((plan.scratch, plan.board, plan.left), ([0; 2], 0, 1), "{:?}", case.job.finish);
    Ok(())
}

/// Everybody draws from as many tickets as there are workgroups, and posts into a slot of its own.
fn through_board(case: &Case, plan: &Plan) -> Checked {
    let mut slots = 0;
    for pass in &plan.passes {
        prop_assert_eq!(pass.stage, Stage::Elements);
        prop_assert_eq!(u64::from(pass.params.store), slots);
        slots += u64::from(pass.params.groups);
    }
    for pass in &plan.passes {
        prop_assert_eq!((u64::from(pass.params.tickets), pass.params.last), (slots, 1));
        prop_assert_eq!(pass.to, result(case));
        // A kernel posts from every workgroup that it is launched with: one too many would draw a ticket.
        let [x, y] = pass.grid;
        prop_assert_eq!(u64::from(x) * u64::from(y), u64::from(pass.params.groups), "workgroups in excess");
    }
    prop_assert!(plan.board >= 32 * 4 + slots * case.job.accumulator.size);
    prop_assert_eq!((plan.scratch, plan.left), ([0; 2], 1));
    Ok(())
}

/// As many results are left as the way to finish says.
fn left(case: &Case, plan: &Plan) -> Checked {
    let job = &case.job;
    match job.finish {
        Finish::Atomic | Finish::LastWorkgroup | Finish::OneWorkgroup => prop_assert_eq!(plan.left, 1),
        Finish::Host if job.rung.coverage == Coverage::Pairs => prop_assert!(plan.left <= 64),
        // One level only: the host gets what the elements gave.
        Finish::Host => prop_assert!(plan.passes.iter().all(|pass| pass.stage == Stage::Elements)),
        // A workgroup that takes one item at a time makes no progress.
        Finish::Repeat if per_result(case) == 1 => {}
        Finish::Repeat => prop_assert!(plan.left <= u64::from(job.tuning.leave)),
    }
    Ok(())
}

/// No tree with that many leaves is flatter than the depth that error bounds are made from.
fn depth(case: &Case, plan: &Plan) -> Checked {
    let leaves = case.len.div_ceil(plan.left).max(1);
    prop_assert!(plan.depth >= u64::from(leaves.next_power_of_two().ilog2()), "{} for {leaves}", plan.depth);
    Ok(())
}

/// What a plan allocates is in proportion, and fits a binding where it is bound as a whole.
fn buffers(case: &Case, plan: &Plan) -> Checked {
    // At worst an element makes an accumulator, and every window a result.
    let most = case.job.accumulator.size * (case.len + plan.passes.len() as u64);
    prop_assert!(plan.scratch.iter().all(|size| *size <= most), "{:?} for {most}", plan.scratch);
    // No device has bindings as small as those of the simulated runs.
    let most = case.limits.max_storage_buffer_binding_size.max(64 << 10);
    prop_assert!(plan.board <= most, "a board of {} bytes", plan.board);
    Ok(())
}
