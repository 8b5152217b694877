//! Histograms of numbers: spread evenly, or all the same.

use halofold::histogram::{Histogram, Keys, reference};

use crate::calls::{Expected, Made, Operation, recorded};
use crate::common::Machine;
use crate::pool::{PERIOD, Pool, Shared, WORD, generate, shared};
use crate::task::{Task, largest};

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let n = largest(machine);
    let rows = [(256, "random"), (256, "equal"), (65_536, "random"), (65_536, "equal")];
    let task = |(bins, kind): (u32, &str)| {
        let is_random = kind == "random";
        let key = move |word| if is_random { word as u32 % bins } else { bins / 3 };
        let block = move || generate(PERIOD, 0, |_, word| key(word).to_le_bytes());
        let pool = shared(move || Pool::new(machine, block(), WORD, n));
        let work = [&format!("histogram-{bins}"), kind, "u32"];
        Task::new(work, n, WORD * n, move |_| operation(machine, bins, n, pool.clone()))
    };
    rows.map(task).into()
}

fn operation<'a>(machine: &Machine, bins: u32, n: u64, pool: Shared<'a, Pool>) -> Made<Operation<'a>> {
    let histogram = Histogram::new(Keys::Numbers, bins, &machine.device.limits()).on(&machine.device)?;
    let (size, keys) = (histogram.config().output(), pool.clone());
    Ok(Operation::new(
        &[size],
        move |number, buffers| recorded(histogram.of(keys.input(n, number)).into(&buffers.outputs[0])),
        move |number, _| {
            let (keys, times) = pool.repeated(n, number);
            let counts = reference::counts(&Keys::Numbers, bins, &bytemuck::pod_collect_to_vec(keys));
            let counts: Vec<u32> = counts.iter().map(|count| count * times as u32).collect();
            vec![Expected::words(&counts)]
        },
    ))
}
