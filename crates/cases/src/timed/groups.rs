//! Histograms of numbers; exact sums or variances and counts by id, and by key in any order; sums of runs of equal neighbouring keys, and their
//! lengths; and the sum of as many bytes as keys and values have. A rate counts the bytes of values and of ids or keys: it is beside that of a sum.

use std::iter::repeat_n;
use std::rc::Rc;

use halofold::group::{GroupById, GroupByKey, Outputs, Pairs, ReduceRuns, RunLengths, RunOutputs, reference};
use halofold::histogram::{self, Histogram, Keys};
use halofold::reduce::Op;
use halofold::select::{self, Select};
use halofold::{Element, Value, wgpu};

use super::{Expected, Input, Made, PERIOD, Runnable, Timed, WORD, generate, ranks, recorded, word};
use crate::{Kind, compile, data};

/// Floats from -4 to 4 whose sums are exact, in periods.
fn values(n: u64, period: u64) -> Rc<Input> {
    Input::new(WORD * n, move || {
        data(Kind::Dyadic, Op::Sum, Element::F32, period as usize, 0).bytes().to_vec()
    })
}

/// Rows of `n` numbers spread in some way.
pub fn rows(n: u64) -> Vec<Timed> {
    let names = |groups, kind, spread| Input::new(WORD * n, move || names(groups, kind, spread));
    let even =
        |bins: u64| Keys::U32Levels((0..=bins).map(|i| (u64::from(u32::MAX) * i / bins) as u32).collect());
    let units = || generate(PERIOD, |_, word| ((word >> 40) as f32 / (1 << 24) as f32).to_bits());
    let histogram = |keys: Keys, bins: u32, [kind, element]: [&'static str; 2], input: &Rc<Input>| {
        let work = [&*format!("histogram-{bins}"), kind, element];
        Timed::new(work, n, WORD * n, &[input], move |device, _, _| histogram(device, &keys, bins))
    };
    let mut rows = Vec::new();
    for (bins, kind) in [(256, "random"), (256, "equal"), (65_536, "random"), (65_536, "equal")] {
        rows.push(histogram(Keys::Numbers, bins, [kind, "u32"], &names(bins, kind, 1)));
    }
    for bins in [256, 2048] {
        let anywhere = names(1 << 20, "random", 0x9e37_79b1);
        rows.push(histogram(even(bins.into()), bins, ["levels", "u32"], &anywhere));
        let unit = Keys::Ranges { low: 0.0, high: 1.0 };
        rows.push(histogram(unit, bins, ["ranges", "f32"], &Input::new(WORD * n, units)));
    }
    let values = values(n, PERIOD);
    let by_id = |first: &'static str, groups: u32, kind: &'static str| {
        let work = [&format!("{first}-and-count-by-{groups}-ids"), kind, "f32"];
        let make = move |device: &_, _: &_, _| by_id(device, first, groups);
        Timed::new(work, n, 2 * WORD * n, &[&values, &names(groups, kind, 1)], make)
    };
    for groups in [256, 4096, 65_536, 1 << 20].into_iter().filter(|groups| u64::from(*groups) <= n) {
        rows.extend(["random", "equal", "zipf", "sorted"].map(|kind| by_id("sum", groups, kind)));
    }
    for (groups, kind) in [(1000, "random"), (1000, "zipf"), (65_536, "random"), (65_536, "zipf")] {
        let work = [&format!("sum-and-count-by-{groups}-keys"), kind, "f32"];
        // Keys lie all over the integers.
        let inputs = [&values, &names(groups, kind, 0x9e37_79b1)];
        rows.push(Timed::new(work, n, 2 * WORD * n, &inputs, move |device, _, _| by_key(device, groups)));
    }
    rows.extend([256, 4096].map(|groups| by_id("variance", groups, "random")));
    rows
}

/// One period of numbers below `groups`, spread over the integers by a factor.
fn names(groups: u32, kind: &str, spread: u32) -> Vec<u8> {
    generate(PERIOD, |at, word| {
        let id = match kind {
            "random" => (word >> 32) as u32 % groups,
            "equal" => groups / 3,
            "zipf" => f64::from(groups).powf((word >> 11) as f64 / (1u64 << 53) as f64) as u32 - 1,
            _ => (at * u64::from(groups) / PERIOD) as u32,
        };
        id.wrapping_mul(spread)
    })
}

fn histogram(device: &wgpu::Device, kind: &Keys, bins: u32) -> Made<Runnable> {
    let (histogram, kind) = (compile(device, Histogram::new(kind.clone(), bins))?, kind.clone());
    Runnable::new(
        &[WORD * u64::from(bins)],
        move |inputs, outputs| recorded(histogram.of(inputs[0]).bind(&outputs[0])),
        move |inputs, times| {
            let keys: Vec<u32> = bytemuck::pod_collect_to_vec(inputs[0]);
            let counts = histogram::reference::counts(&kind, bins, &keys);
            vec![Expected::words(counts.iter().map(|count| count * times as u32), 1)]
        },
    )
}

/// Sums or variances, and counts; and the number of ids that no group has.
fn by_id(device: &wgpu::Device, first: &str, groups: u32) -> Made<Runnable> {
    let (is_sum, size) = (first == "sum", WORD * u64::from(groups));
    let by_id = GroupById::new(Element::F32, groups);
    let by_id = if is_sum { by_id.sum() } else { by_id.variance() }.count();
    let compiled = compile(device, by_id.clone())?;
    Runnable::new(
        &[size, size, WORD],
        move |inputs, outputs| {
            let to = Outputs::new().count(&outputs[1]).rejected(&outputs[2]);
            let to = if is_sum { to.sum(&outputs[0]) } else { to.variance(&outputs[0]) };
            recorded(compiled.of(Pairs { keys: inputs[1], values: inputs[0] }).bind(to))
        },
        move |inputs, times| {
            let ids: Vec<u32> = bytemuck::pod_collect_to_vec(inputs[1]);
            let (results, left_out) = reference::by_id(&by_id, inputs[0], &ids);
            // The variance of values that are repeated is theirs.
            let [firsts, counts] = of_groups(results, groups, [if is_sum { times } else { 1 }, times]);
            vec![firsts, counts, Expected::words([left_out * times as u32], 1)]
        },
    )
}

/// Keys, their number, sums and counts; and the number of pairs that are left out.
fn by_key(device: &wgpu::Device, groups: u32) -> Made<Runnable> {
    let size = WORD * u64::from(groups);
    let by_key = GroupByKey::new(Element::U32, Element::F32, groups).sum().count();
    let compiled = compile(device, by_key.clone())?;
    Runnable::new(
        &[size, WORD, size, size, WORD],
        move |inputs, outputs| {
            let to = Outputs::new().keys(&outputs[0]).len(&outputs[1]).rejected(&outputs[4]);
            let to = to.sum(&outputs[2]).count(&outputs[3]);
            recorded(compiled.of(Pairs { keys: inputs[1], values: inputs[0] }).bind(to))
        },
        move |inputs, times| {
            let found = reference::group_by(&by_key, inputs[1], inputs[0]);
            let (keys, results): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            let number = Expected::words([keys.len() as u32], 1);
            let keys = Expected::words(keys.iter().map(|key| key.as_f64() as u32), 1);
            let [sums, counts] = of_groups(results, groups, [times; 2]);
            vec![keys, number, sums, counts, Expected::words([0], 1)]
        },
    )
}

/// The first number of each group and its count, multiplied by factors. There may be fewer groups.
fn of_groups(mut results: Vec<Vec<Value>>, groups: u32, factors: [usize; 2]) -> [Expected; 2] {
    results.resize(groups as usize, vec![Value::F32(0.0); 2]);
    let number = |group: &Vec<Value>, at: usize| group[at].as_f64() * factors[at] as f64 + 0.0;
    let firsts = Expected::words(results.iter().map(|group| number(group, 0) as f32), 1);
    [firsts, Expected::words(results.iter().map(|group| number(group, 1) as u32), 1)]
}

/// Rows of runs. The longest runs are those of CUB's own benchmarks.
pub fn runs(largest: u64) -> Vec<Timed> {
    let mut rows = Vec::new();
    for n in if largest == 1 << 16 { &[1 << 16][..] } else { &[1 << 20, 1 << 24, 1 << 28] } {
        // All inputs have as many runs, so that behind those of the last call nothing is left of others.
        let (n, period) = (*n, PERIOD.min(*n));
        let values = values(largest, period);
        // The words of pairs lie behind one another.
        let pairs = self::values(2 * largest, period);
        let work = ["sum", "of-pairs", "u32"];
        rows.push(Timed::new(work, n, 2 * WORD * n, &[&pairs], |device, _, _| ranks::sum(device)));
        let sums = [2, 16, 256, 65_536].into_iter();
        let sums = sums.flat_map(|longest| [("sum-by-key", longest), ("exact-sum-by-key", longest)]);
        let keys_alone =
            ["run-lengths", "unique"].into_iter().flat_map(|op| [2, 16, 256].map(|longest| (op, longest)));
        rows.extend(sums.chain(keys_alone).map(|(op, longest)| {
            let keys = Input::new(WORD * largest, move || keys(longest, period));
            let (element, inputs) = match op {
                "run-lengths" | "unique" => ("u32", &[&keys][..]),
                _ => ("f32", &[&keys, &values][..]),
            };
            let (work, bytes) = ([op, &format!("runs-1-{longest}"), element], inputs.len() as u64 * WORD * n);
            Timed::new(work, n, bytes, inputs, move |device, _, _| run(device, op, n))
        }));
    }
    rows
}

/// One period of `len` keys, in runs of one to `longest`. Its last run ends with it: the next period begins with another key.
fn keys(longest: u64, len: u64) -> Vec<u8> {
    // Of four neighbours each is smaller than the one before.
    let runs = (0..).flat_map(|run| repeat_n(run as u32 ^ 3, 1 + ((word(run) >> 32) % longest) as usize));
    bytemuck::pod_collect_to_vec(&runs.take(len as usize).collect::<Vec<u32>>())
}

/// Keys, sums or lengths of runs, and their number. No run goes on in the next period.
fn run(device: &wgpu::Device, op: &str, n: u64) -> Made<Runnable> {
    let sum = Op::Sum.over(Element::F32)?;
    let sum = if op == "sum-by-key" { sum } else { sum.exact().expect("sums of f32 can be exact") };
    let sums = compile(device, ReduceRuns::new(Element::U32, sum))?;
    let lengths = compile(device, RunLengths::new(Element::U32))?;
    let unique = compile(device, Select::unique(Element::U32))?;
    let is_unique = op == "unique";
    let sizes = [WORD * n, if is_unique { WORD } else { WORD * n }, WORD];
    Runnable::new(
        &sizes,
        move |inputs, outputs| {
            let to = RunOutputs { keys: &outputs[0], results: &outputs[1], len: &outputs[2] };
            recorded(match inputs {
                [keys, values] => sums.of(Pairs { keys: *keys, values: *values }).bind(to),
                _ if is_unique => unique.of(inputs[0]).bind(select::Outputs { kept: to.keys, count: to.len }),
                _ => lengths.of(inputs[0]).bind(to),
            })
        },
        move |inputs, times| {
            let keys: Vec<u32> = bytemuck::pod_collect_to_vec(inputs[0]);
            let values: Vec<f32> =
                inputs.get(1).map_or(Vec::new(), |values| bytemuck::pod_collect_to_vec(values));
            let mut rest = &values[..];
            let runs = keys.chunk_by(u32::eq).map(|run| match rest.split_off(..run.len()) {
                Some(values) => [run[0], values.iter().sum::<f32>().to_bits()],
                None => [run[0], run.len() as u32],
            });
            let mut runs = runs.collect::<Vec<_>>().repeat(times);
            let number = Expected::words([runs.len() as u32], 1);
            // The rest of an output stays empty.
            runs.resize(n as usize, [0; 2]);
            let nth = |at: usize| Expected::words(runs.iter().map(|run| run[at]), 1);
            let numbers = if is_unique { Expected::words([0], 1) } else { nth(1) };
            vec![nth(0), numbers, number]
        },
    )
}
