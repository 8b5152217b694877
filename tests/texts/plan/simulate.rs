//! A plan over a whole input carried out on the CPU, with integers for values and the kernels' own arithmetic for indices.

use halofold::reduce::Plan;
use halofold::reduce::ladder::Coverage;
use halofold::reduce::plan::{Dst, Launch, Own, Src, Writes};
use proptest::prelude::*;

use super::case::Case;

/// The contents of a slot of memory: a value, and whether `finish` has been applied to it. `None` is poison.
type Slot = Option<(u64, bool)>;

/// The elements' value at a position: any two sets of positions have different sums, as good as surely.
fn element(index: u64) -> u64 {
    (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Memory as a run sees it.
struct Memory {
    /// The buffer of each part, by item.
    inputs: Vec<Vec<Slot>>,
    scratch: [Vec<Slot>; 2],
    output: Vec<Slot>,
    partials: Vec<Slot>,
}

impl Memory {
    fn new(case: &Case, plan: &Plan) -> Self {
        let mut index = 0;
        let inputs = case.parts.iter().map(|part| {
            let mut buffer = vec![None; (part.offset / case.item()) as usize];
            buffer.extend((index..index + part.len).map(|index| Some((element(index), false))));
            buffer.resize(buffer.len() + 64, None);
            index += part.len;
            buffer
        });
        Memory {
            inputs: inputs.collect(),
            scratch: plan.scratch().map(|bytes| vec![None; (bytes / case.acc()) as usize]),
            output: vec![None; plan.results() as usize],
            partials: vec![None; (plan.partials() / case.acc()) as usize],
        }
    }
}

/// Runs a plan and compares its result with the sum of all elements.
pub fn run(case: &Case, plan: &Plan) -> Result<(), TestCaseError> {
    let mut memory = Memory::new(case, plan);
    let mut published = 0;
    for launch in plan.launches() {
        match launch.stage.kernel.name {
            "seed" => memory.output[0] = Some((0, false)),
            "seal" => memory.output[0] = memory.output[0].map(|(value, _)| (value, true)),
            _ => dispatch(case, launch, &mut memory, &mut published)?,
        }
    }
    let sum = (0..case.len()).fold(0, |sum: u64, index| sum.wrapping_add(element(index)));
    let sealed = plan.launches().iter().any(|launch| launch.stage.kernel.name == "seal");
    let total = plan.launches().iter().all(|launch| launch.stage.kernel.adds_to_total());
    let mut left = 0u64;
    for slot in &memory.output {
        let (value, finished) = slot.ok_or_else(|| TestCaseError::fail("poison is left"))?;
        prop_assert_eq!(finished, if total { sealed } else { !plan.leaves_partials() });
        left = left.wrapping_add(value);
    }
    prop_assert_eq!(left, sum);
    Ok(())
}

/// One dispatch; counts those that publish.
fn dispatch(
    case: &Case,
    launch: &Launch,
    memory: &mut Memory,
    published: &mut u32,
) -> Result<(), TestCaseError> {
    let Launch { params, stage, .. } = launch;
    for result in 0..params.groups {
        let mut sum = 0u64;
        for item in items(launch, result) {
            sum = sum.wrapping_add(load(case, launch, memory, item)?);
        }
        match params.own {
            Own::LastWorkgroup { slot, tickets, .. } => {
                memory.partials[(slot + result) as usize] = Some((sum, false));
                *published += 1;
                if *published == tickets {
                    memory.output[0] = Some((collect(tickets, memory)?, stage.writes == Writes::Results));
                }
            }
            _ if stage.kernel.adds_to_total() => {
                let (total, _) =
                    memory.output[0].ok_or_else(|| TestCaseError::fail("the total is not seeded"))?;
                memory.output[0] = Some((total.wrapping_add(sum), false));
            }
            _ => {
                let (target, offset) = match launch.dst {
                    Dst::Scratch(buffer, bytes) => (&mut memory.scratch[buffer], bytes.offset),
                    Dst::Output(bytes) => (&mut memory.output, bytes.offset),
                    other => unreachable!("{other:?} is new"),
                };
                let at = (offset / case.value(stage.writes)) as usize + (params.store + result) as usize;
                prop_assert!(at < target.len(), "a store past the end");
                target[at] = Some((sum, stage.writes == Writes::Results));
            }
        }
    }
    Ok(())
}

/// The last workgroup's total: it collects every slot.
fn collect(tickets: u32, memory: &Memory) -> Result<u64, TestCaseError> {
    memory.partials[..tickets as usize].iter().try_fold(0u64, |sum, slot| {
        let (value, _) =
            slot.ok_or_else(|| TestCaseError::fail("a slot that no workgroup published into"))?;
        Ok(sum.wrapping_add(value))
    })
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

fn load(case: &Case, launch: &Launch, memory: &Memory, item: u32) -> Result<u64, TestCaseError> {
    let at = (launch.params.first + item) as usize;
    let slot = match launch.src {
        Src::Inputs { part, first, .. } => memory.inputs[part][(first.offset / case.item()) as usize + at],
        Src::Scratch(buffer, bytes) => memory.scratch[buffer][(bytes.offset / case.acc()) as usize + at],
        Src::Nothing => None,
        other => unreachable!("{other:?} is new"),
    };
    let (value, finished) =
        slot.ok_or_else(|| TestCaseError::fail(format!("{launch:?} reads poison at {item}")))?;
    prop_assert!(!finished, "a finished value is combined");
    Ok(value)
}
