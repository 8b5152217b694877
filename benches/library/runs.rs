//! Runs of equal neighbouring keys: the sum of each run's values, and lengths of runs; and the sum of as many bytes as keys and values have.

use std::cell::LazyCell;

use criterion::Criterion;
use halofold::group::ByKey;
use halofold::reduce::{Op, Reducer};
use halofold::{Element, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row, TestData};

use crate::calls::{Call, Calls, Sweep, Way};
use crate::common::{self, Extent, Group, Machine};
use crate::expected::Expected;
use crate::pool::{PERIOD, Pool};

/// Bytes of a key, of a value, of a result, and of a number of runs.
const WORD: u64 = 4;

/// One group of the bench.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    /// The sum of all words of pairs.
    Words,
    /// The sums of runs of one pair up to so many.
    Sums(u64),
    /// The same sums, exact.
    ExactSums(u64),
    /// The lengths of runs of one key up to so many.
    Lengths(u64),
}

impl Task {
    /// Operator, shape and type, as a row has them.
    fn work(self) -> [String; 3] {
        let (op, shape, element) = match self {
            Task::Words => ("sum", "of-pairs".to_owned(), Element::U32),
            Task::Sums(longest) => ("sum-by-key", format!("runs-1-{longest}"), Element::F32),
            Task::ExactSums(longest) => ("exact-sum-by-key", format!("runs-1-{longest}"), Element::F32),
            Task::Lengths(longest) => ("run-lengths", format!("runs-1-{longest}"), Element::U32),
        };
        [op.to_owned(), shape, element.name().to_owned()]
    }

    /// Words that belong to a key, with itself.
    fn words(self) -> u64 {
        if matches!(self, Task::Lengths(_)) { 1 } else { 2 }
    }

    /// The longest run.
    fn longest(self) -> u64 {
        match self {
            Task::Words => PERIOD,
            Task::Sums(longest) | Task::ExactSums(longest) | Task::Lengths(longest) => longest,
        }
    }
}

/// Keys and their values.
struct Pairs {
    keys: Pool,
    values: Pool,
}

/// All of them.
pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
    let powers: &[u32] = if machine.extent() == Extent::Software { &[16] } else { &[20, 28] };
    // The longest runs are those of CUB's own benchmarks.
    let sums = [2, 16, 256, 65_536].into_iter();
    let sums = sums.flat_map(|longest| [Task::Sums(longest), Task::ExactSums(longest)]);
    let lengths = [2, 16, 256].map(Task::Lengths);
    let tasks: Vec<_> = [Task::Words].into_iter().chain(sums).chain(lengths).collect();
    let largest = powers.iter().fold(0, |largest, power| largest.max(1 << power));
    let most = machine.device.limits().max_buffer_size;
    let mut rows = Vec::new();
    for (power, task) in powers.iter().flat_map(|power| tasks.iter().map(move |task| (power, *task))) {
        let (n, work) = (1 << power, task.work());
        let title = machine.title(&format!("library/{}/2^{power}", work.join("/")));
        // The words of pairs lie behind one another.
        let room = largest * if task == Task::Words { 2 } else { 1 };
        if WORD * room > most {
            common::skip(
                &title,
                &format!("needs a buffer of {} bytes, max_buffer_size is {most}", WORD * room),
            );
            continue;
        }
        let mut group = Group::new(criterion, &title);
        let pool = |block| Pool::new(machine, block, WORD, room);
        // All inputs have as many runs, so that behind those of the last call nothing is left of others.
        let period = PERIOD.min(n);
        let pairs = LazyCell::new(|| Pairs {
            keys: pool(keys(task.longest(), period)),
            values: pool(values(period)),
        });
        rows.extend([Way::INDEPENDENT, Way::CHAINED].into_iter().filter_map(|way| {
            let work = work.each_ref().map(String::as_str);
            let row = Row::<LibraryWork>::blank(way.name, work, n, None, &machine.info);
            let make = || match task {
                Task::Words => words(&machine.device, sweep, way, n, &pairs.values),
                _ => by_key(&machine.device, sweep, way, task, n, &pairs),
            };
            super::measure(&mut group, machine, row, WORD * task.words() * n, make)
        }));
    }
    rows
}

/// One period of `len` keys, in runs of one to `longest`. Its last run ends with it: the next period begins with another key.
fn keys(longest: u64, len: u64) -> Vec<u8> {
    let (data, len) = (TestData::new(Op::Sum, Element::U64, len), len as usize);
    let mut keys: Vec<u32> = Vec::new();
    for run in 0.. {
        if keys.len() == len {
            break;
        }
        let end = keys.len() + 1 + ((data.word(run) >> 32) % longest) as usize;
        // Of four neighbours each is smaller than the one before.
        keys.resize(end.min(len), run as u32 ^ 3);
    }
    bytemuck::cast_slice(&keys).to_vec()
}

/// One period of `len` values: integers from -4 to 4, whose sums are floats.
fn values(len: u64) -> Vec<u8> {
    let data = TestData::new(Op::Sum, Element::U64, 2 * len);
    let value = |at: u64| ((data.word((len + at) as usize) >> 32) % 9) as f32 - 4.0;
    (0..len).flat_map(|at| value(at).to_le_bytes()).collect()
}

/// Sums of the words of `n` pairs, in one way.
fn words<'s>(
    device: &wgpu::Device,
    sweep: &'s Sweep,
    way: Way,
    n: u64,
    pool: &Pool,
) -> Result<Calls<'s>, MeasureError> {
    let n = 2 * n;
    let sum = Op::Sum.over(Element::U32).unwrap_or_else(|error| panic!("{error}"));
    let sum = Reducer::new(device, sum)?;
    let call = |number, output: &wgpu::Buffer, _: &mut Option<()>| {
        let prepared = sum.of(pool.input(n, number)).into(output)?;
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
    };
    let expected = |number, _| {
        let (words, times) = pool.repeated(pool.start(n, number), n);
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(words);
        let sum = words.into_iter().fold(0, u32::wrapping_add);
        Expected::Bytes(sum.wrapping_mul(times as u32).to_le_bytes().to_vec())
    };
    Calls::new(device, sweep, way, [WORD * n, WORD], call, expected)
}

/// Calls over runs, in one way.
fn by_key<'s>(
    device: &wgpu::Device,
    sweep: &'s Sweep,
    way: Way,
    task: Task,
    n: u64,
    pairs: &Pairs,
) -> Result<Calls<'s>, MeasureError> {
    let is_sum = matches!(task, Task::Sums(_) | Task::ExactSums(_));
    let sum = Op::Sum.over(Element::F32).unwrap_or_else(|error| panic!("{error}"));
    let by_key = match task {
        Task::Sums(_) => ByKey::new(Element::U32, sum),
        Task::ExactSums(_) => {
            ByKey::new(Element::U32, sum.exact().unwrap_or_else(|| unreachable!("sums of f32 can be exact")))
        }
        _ => ByKey::lengths(Element::U32),
    };
    let by_key = by_key.and_then(|by_key| by_key.on(device)).unwrap_or_else(|error| panic!("{error}"));
    let call = |number, outputs: &[wgpu::Buffer], _: &mut Option<()>| {
        let request = by_key.of(pairs.keys.input(n, number));
        let request = if is_sum { request.with(pairs.values.input(n, number)) } else { request };
        let prepared = request.into_each(outputs).unwrap_or_else(|error| panic!("{error}"));
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
    };
    let expected = |number, _| {
        let start = pairs.keys.start(n, number);
        let (keys, times) = pairs.keys.repeated(start, n);
        let (values, _) = pairs.values.repeated(start, n);
        walk(keys, is_sum.then_some(values), times as usize)
    };
    Calls::with_outputs(
        device,
        sweep,
        way,
        WORD * task.words() * n,
        &[WORD * n, WORD * n, WORD],
        call,
        expected,
    )
}

/// The keys of runs, their sums or lengths, and their number, of pairs that repeat so many times. No run goes on in the next repetition.
fn walk(keys: &[u8], values: Option<&[u8]>, times: usize) -> Vec<Expected> {
    let keys: Vec<u32> = bytemuck::pod_collect_to_vec(keys);
    let mut values =
        values.map(|values| values.chunks_exact(WORD as usize).map(bytemuck::pod_read_unaligned::<f32>));
    let (mut of_runs, mut results) = (Vec::new(), Vec::new());
    for run in keys.chunk_by(u32::eq) {
        of_runs.push(run[0]);
        results.push(match &mut values {
            Some(values) => values.by_ref().take(run.len()).sum::<f32>().to_bits(),
            None => run.len() as u32,
        });
    }
    let number = (of_runs.len() * times) as u32;
    // The rest of an output stays empty.
    let output = |words: Vec<u32>| {
        let mut bytes = bytemuck::cast_slice(&words).repeat(times);
        bytes.resize(WORD as usize * keys.len() * times, 0);
        Expected::Bytes(bytes)
    };
    vec![output(of_runs), output(results), Expected::Bytes(number.to_le_bytes().to_vec())]
}
