//! Runs of equal neighbouring keys: the sum of each run's values, and lengths of runs; and the sum of as many bytes as keys and values have.

use halofold::group::ByKey;
use halofold::reduce::Op;
use halofold::{Element, Slice, wgpu};

use crate::calls::{Expected, Made, Operation, recorded};
use crate::common::Machine;
use crate::pool::{PERIOD, Pool, WORD, small_floats, word};
use crate::ranks::sum_of_words;
use crate::task::{self, Task};

/// All of them.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let largest = task::largest(machine);
    let lengths = if largest == 1 << 16 { vec![largest] } else { vec![1 << 20, largest] };
    let mut tasks = Vec::new();
    for n in lengths {
        // All inputs have as many runs, so that behind those of the last call nothing is left of others.
        let period = PERIOD.min(n);
        // The words of pairs lie behind one another.
        let pairs = Pool::shared(machine, 2 * WORD * largest, move || small_floats(period));
        let make = |_, _: &[Slice<'_>]| sum_of_words(&machine.device);
        let task = Task::new(["sum", "of-pairs", "u32"], n, 2 * WORD * n, &[&pairs], make);
        tasks.push(Task { room: 2 * WORD * largest, ..task });
        let values = Pool::shared(machine, WORD * largest, move || small_floats(period));
        // The longest runs are those of CUB's own benchmarks.
        let sums = [2, 16, 256, 65_536].into_iter();
        let sums = sums.flat_map(|longest| [("sum-by-key", longest), ("exact-sum-by-key", longest)]);
        let lengths = [2, 16, 256].map(|longest| ("run-lengths", longest));
        tasks.extend(sums.chain(lengths).map(|(op, longest)| {
            let keys = Pool::shared(machine, WORD * largest, move || keys(longest, period));
            let (element, inputs) = match op {
                "run-lengths" => ("u32", &[&keys][..]),
                _ => ("f32", &[&keys, &values][..]),
            };
            let (work, bytes) = ([op, &format!("runs-1-{longest}"), element], inputs.len() as u64 * WORD * n);
            let make = move |_, _: &[Slice<'_>]| operation(&machine.device, op, n);
            Task { room: WORD * largest, ..Task::new(work, n, bytes, inputs, make) }
        }));
    }
    tasks
}

/// One period of `len` keys, in runs of one to `longest`. Its last run ends with it: the next period begins with another key.
fn keys(longest: u64, len: u64) -> Vec<u8> {
    let mut keys: Vec<u32> = Vec::new();
    let mut run = 0;
    while keys.len() < len as usize {
        let end = keys.len() + 1 + ((word(run) >> 32) % longest) as usize;
        // Of four neighbours each is smaller than the one before.
        keys.resize(end.min(len as usize), run as u32 ^ 3);
        run += 1;
    }
    bytemuck::cast_slice(&keys).to_vec()
}

/// Sums or lengths of runs.
fn operation<'a>(device: &wgpu::Device, op: &str, n: u64) -> Made<Operation<'a>> {
    let sum = Op::Sum.over(Element::F32)?;
    let by_key = match op {
        "sum-by-key" => ByKey::new(Element::U32, sum),
        "exact-sum-by-key" => ByKey::new(Element::U32, sum.exact().expect("sums of f32 can be exact")),
        _ => ByKey::lengths(Element::U32),
    };
    let by_key = by_key?.on(device)?;
    Ok(Operation::new(
        &[WORD * n, WORD * n, WORD],
        move |buffers| {
            let request = by_key.of(buffers.inputs[0]);
            let values = buffers.inputs.get(1);
            recorded(values.map_or(request, |values| request.with(*values)).into_each(buffers.outputs))
        },
        |inputs, times| walk(inputs[0], inputs.get(1).copied(), times as usize),
    ))
}

/// The keys of runs, their sums or lengths, and their number, of pairs that repeat so many times. No run goes on in the next repetition.
fn walk(keys: &[u8], values: Option<&[u8]>, times: usize) -> Vec<Expected> {
    let keys: Vec<u32> = bytemuck::pod_collect_to_vec(keys);
    let values: Option<Vec<f32>> = values.map(bytemuck::pod_collect_to_vec);
    let (mut of_runs, mut results, mut start) = (Vec::new(), Vec::new(), 0);
    for run in keys.chunk_by(u32::eq) {
        of_runs.push(run[0]);
        results.push(match &values {
            Some(values) => values[start..][..run.len()].iter().sum::<f32>().to_bits(),
            None => run.len() as u32,
        });
        start += run.len();
    }
    let number = (of_runs.len() * times) as u32;
    // The rest of an output stays empty.
    let output = |words: Vec<u32>| {
        let mut words = words.repeat(times);
        words.resize(keys.len() * times, 0);
        Expected::words(&words)
    };
    vec![output(of_runs), output(results), Expected::words(&[number])]
}
