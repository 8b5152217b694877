//! A plan over a whole input carried out on the CPU, with integers for values and the kernels' own arithmetic for
//! indices.

use std::fmt;

use halofold::reduce::Plan;
use halofold::reduce::ladder::Coverage;
use halofold::reduce::plan::{Dst, Launch, Own, Src, Writes};
use proptest::prelude::*;

use super::case::Case;
use super::check::Checked;

/// The contents of a slot of memory: a value, and whether `finish` has been applied to it. `None` is poison.
type Slot = Option<(u64, bool)>;

/// The elements' value at a position: any two sets of positions have different sums, as good as surely.
fn element(index: u64) -> u64 {
    (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// The sum of slots, all of which are to be known and finished, or none.
fn sum(
    mut slots: impl Iterator<Item = Slot>,
    finished: bool,
    what: impl fmt::Debug,
) -> Result<u64, TestCaseError> {
    slots.try_fold(0u64, |sum, slot| match slot {
        Some((value, is_finished)) if is_finished == finished => Ok(sum.wrapping_add(value)),
        slot => Err(TestCaseError::fail(format!("{what:?} reads {slot:?}"))),
    })
}

/// Memory as a run sees it.
struct Memory<'a> {
    case: &'a Case,
    /// The buffer of each part, by item.
    inputs: Vec<Vec<Slot>>,
    scratch: [Vec<Slot>; 2],
    output: Vec<Slot>,
    partials: Vec<Slot>,
    /// Workgroups that have published.
    published: u32,
}

/// Runs a plan and compares its result with the sum of all elements.
pub fn run(case: &Case, plan: &Plan) -> Checked {
    let mut index = 0;
    let inputs = case.parts.iter().map(|part| {
        let mut buffer = vec![None; (part.offset / case.item()) as usize];
        buffer.extend((index..index + part.len).map(|index| Some((element(index), false))));
        buffer.resize(buffer.len() + 64, None);
        index += part.len;
        buffer
    });
    let mut memory = Memory {
        case,
        inputs: inputs.collect(),
        scratch: plan.scratch().map(|bytes| vec![None; (bytes / case.acc()) as usize]),
        output: vec![None; plan.results() as usize],
        partials: vec![None; (plan.partials() / case.acc()) as usize],
        published: 0,
    };
    for launch in plan.launches() {
        match launch.stage.kernel.name {
            "seed" => memory.output[0] = Some((0, false)),
            "seal" => memory.output[0] = memory.output[0].map(|(value, _)| (value, true)),
            _ => memory.dispatch(launch)?,
        }
    }
    let all = (0..case.len()).fold(0, |sum: u64, index| sum.wrapping_add(element(index)));
    let is_sealed = plan.launches().iter().any(|launch| launch.stage.kernel.name == "seal");
    let is_total = plan.launches().iter().all(|launch| launch.stage.kernel.adds_to_total());
    let is_finished = if is_total { is_sealed } else { !plan.leaves_partials() };
    prop_assert_eq!(sum(memory.output.into_iter(), is_finished, "the host")?, all);
    Ok(())
}

impl Memory<'_> {
    fn dispatch(&mut self, launch: &Launch) -> Checked {
        let Launch { params, stage, .. } = launch;
        let is_finished = stage.writes == Writes::Results;
        for result in 0..params.groups {
            let items = items(launch, result).into_iter().map(|item| self.load(launch, item));
            let sum_of_items = sum(items, false, launch)?;
            match params.own {
                Own::LastWorkgroup { slot, tickets, .. } => {
                    self.partials[(slot + result) as usize] = Some((sum_of_items, false));
                    self.published += 1;
                    if self.published == tickets {
                        let slots = self.partials[..tickets as usize].iter().copied();
                        self.output[0] = Some((sum(slots, false, "the last workgroup")?, is_finished));
                    }
                }
                _ if stage.kernel.adds_to_total() => {
                    let total = sum([self.output[0]].into_iter(), false, "a total without a seed")?;
                    self.output[0] = Some((total.wrapping_add(sum_of_items), false));
                }
                _ => {
                    let (target, offset) = match launch.dst {
                        Dst::Scratch(buffer, bytes) => (&mut self.scratch[buffer], bytes.offset),
                        Dst::Output(bytes) => (&mut self.output, bytes.offset),
                        other => unreachable!("{other:?} is new"),
                    };
                    let at = offset / self.case.value(stage.writes) + u64::from(params.store + result);
                    prop_assert!((at as usize) < target.len(), "a store past the end");
                    target[at as usize] = Some((sum_of_items, is_finished));
                }
            }
        }
        Ok(())
    }

    fn load(&self, launch: &Launch, item: u32) -> Slot {
        let at = u64::from(launch.params.first + item);
        let (buffer, first) = match launch.src {
            Src::Inputs { part, first, .. } => (&self.inputs[part], first.offset / self.case.item()),
            Src::Scratch(buffer, bytes) => (&self.scratch[buffer], bytes.offset / self.case.acc()),
            other => unreachable!("{other:?} has no items"),
        };
        buffer[(first + at) as usize]
    }
}

/// The items that go into one result, by the kernels' own arithmetic: those past the end are the identity.
fn items(launch: &Launch, result: u32) -> Vec<u32> {
    let (params, size, tile) = (&launch.params, launch.stage.workgroup_size, launch.stage.tile);
    let all: Vec<u32> = match launch.stage.kernel.coverage {
        Coverage::Pairs if launch.stage.kernel.name == "global-halves" => {
            vec![result, result + params.groups]
        }
        Coverage::Pairs => vec![2 * result, 2 * result + 1],
        Coverage::Block(items) => (result * items * size..(result + 1) * items * size).collect(),
        Coverage::Tiles(1) => (result * tile..(result + 1) * tile).collect(),
        // The second element of a slot lies half the input away.
        Coverage::Tiles(_) => {
            (result * tile..(result + 1) * tile).flat_map(|k| [k, k + params.groups * tile]).collect()
        }
        Coverage::Grid(_) => {
            let stride = (params.groups * size) as usize;
            (0..size).flat_map(|lid| (result * size + lid..params.len).step_by(stride)).collect()
        }
        other => unreachable!("{other:?} is new"),
    };
    all.into_iter().filter(|item| *item < params.len).collect()
}
