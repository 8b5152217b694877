//! Histograms of numbers: spread evenly, or all the same.

use halofold::histogram::{Histogram, Keys, reference};

use crate::calls::{Expected, Made, Operation, recorded};
use crate::common::Machine;
use crate::pool::{PERIOD, Pool, WORD, generate};
use crate::task::{Task, largest};

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let n = largest(machine);
    let rows = [(256, "random"), (256, "equal"), (65_536, "random"), (65_536, "equal")];
    let task = |(bins, kind): (u32, &str)| {
        let is_random = kind == "random";
        let key = move |word| if is_random { word as u32 % bins } else { bins / 3 };
        let block = move || generate(PERIOD, 0, |_, word| key(word).to_le_bytes());
        let work = [&format!("histogram-{bins}"), kind, "u32"];
        let pool = Pool::shared(machine, WORD * n, block);
        Task::new(work, n, WORD * n, &[&pool], move |_, _| operation(machine, bins))
    };
    rows.map(task).into()
}

fn operation<'a>(machine: &Machine, bins: u32) -> Made<Operation<'a>> {
    let histogram = Histogram::new(Keys::Numbers, bins, &machine.device.limits()).on(&machine.device)?;
    Ok(Operation::new(
        &[histogram.config().output()],
        move |buffers| recorded(histogram.of(buffers.inputs[0]).into(&buffers.outputs[0])),
        move |inputs, times| {
            let counts = reference::counts(&Keys::Numbers, bins, &bytemuck::pod_collect_to_vec(inputs[0]));
            let counts: Vec<u32> = counts.iter().map(|count| count * times as u32).collect();
            vec![Expected::words(&counts)]
        },
    ))
}
