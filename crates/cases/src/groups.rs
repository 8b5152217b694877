//! Results by id and by key, prefixes, and selections.

use std::collections::BTreeMap;

use halofold::group::{self, GroupById, GroupByKey, Pairs, ReduceRuns, RunLengths, RunOutputs, reference};
use halofold::reduce::{Arity, Monoid, Op};
use halofold::scan::Scan;
use halofold::select::{self, Select};
use halofold::{Cut, DispatchArguments, Element, wgpu};

use super::{Case, End, Scene, Tag, text};

/// Keys in any order become ids, and a selection is a scan of counts, so these compile on fewer devices.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("GroupById", "sums and counts by id", by_id),
        Case::new("GroupByKey", "sums and counts by keys in any order", group_by).tagged(Tag::Limits),
        Case::new("ReduceRuns", "sums by key", by_key),
        Case::new("RunLengths", "lengths of runs", run_lengths).tagged(Tag::Limits),
        Case::new("Scan", "prefix sums", prefixes),
        Case::new("Scan", "prefix sums by parameters", scaled).tagged(Tag::Once),
        Case::new("Select", "selected elements", selected).tagged(Tag::Limits),
        Case::new("Select", "selected elements by parameters, in new outputs", divided).tagged(Tag::Once),
        Case::new("DispatchArguments", "workgroups for a count", arguments),
    ]
}

/// Makes words in runs of one to five equal ones.
fn words(scene: &Scene) -> Vec<u32> {
    let run = |i: usize| vec![(i as u32).wrapping_mul(2_654_435_761) >> 20; 1 + i % 5];
    (0..).flat_map(run).take(scene.words(5000) as usize).collect()
}

/// Appends zeros, which an output holds where nothing is written.
fn with_zeros(mut words: Vec<u32>, len: usize) -> Vec<u32> {
    words.resize(len, 0);
    words
}

/// Returns the keys of runs of equal words, a result per run, and the number of runs.
fn of_runs(words: &[u32], result: fn(&[u32]) -> u32) -> [Vec<u32>; 3] {
    let runs: Vec<_> = words.chunk_by(u32::eq).collect();
    let each = |of: fn(&[u32]) -> u32| with_zeros(runs.iter().map(|run| of(run)).collect(), words.len());
    [each(|run| run[0]), each(result), vec![runs.len() as u32]]
}

async fn by_id(scene: &Scene) -> Result<End, String> {
    let values = words(scene);
    // Some pairs belong to no group.
    let ids: Vec<u32> = values.iter().map(|word| word % 11).collect();
    let asked = GroupById::new(Element::U32, 10).sum().count();
    let (results, outside) = reference::by_id(&asked, bytemuck::cast_slice(&values), &ids);
    let nth = |nth: usize| results.iter().map(|group| group[nth].as_f64() as u32).collect();
    let values = scene.buffer(bytemuck::cast_slice(&values))?;
    let ids = scene.buffer(bytemuck::cast_slice(&ids))?;
    scene.stage();
    let by_id = scene.compile(Ok(asked))?;
    scene
        .gives(&[nth(0), nth(1), vec![outside]], |outputs| {
            let to = group::Outputs::new().sum(&outputs[0]).count(&outputs[1]).rejected(&outputs[2]);
            by_id.of(Pairs { keys: &ids, values: &values }).bind(to)
        })
        .await
}

async fn group_by(scene: &Scene) -> Result<End, String> {
    const MOST: usize = 20;
    let values = words(scene);
    let keys: Vec<u32> = values.iter().map(|word| (word % 11).wrapping_mul(0x9e37_79b1)).collect();
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (key, value) in keys.iter().zip(&values) {
        groups.entry(*key).or_default().push(*value);
    }
    let of = |result: fn((&u32, &Vec<u32>)) -> u32| with_zeros(groups.iter().map(result).collect(), MOST);
    let [own, sums, counts] =
        [of(|(key, _)| *key), of(|(_, group)| group.iter().sum()), of(|(_, group)| group.len() as u32)];
    let values = scene.buffer(bytemuck::cast_slice(&values))?;
    let keys = scene.buffer(bytemuck::cast_slice(&keys))?;
    scene.stage();
    let asked = GroupByKey::new(Element::U32, Element::U32, MOST as u32).sum().count();
    let group_by = scene.compile(Ok(asked))?;
    scene
        .gives(&[own, vec![groups.len() as u32], sums, counts, vec![0]], |outputs| {
            let [keys_to, len, sums, counts, rejected] = &outputs else { panic!("five outputs") };
            let to = group::Outputs::new().keys(keys_to).len(len).sum(sums).count(counts).rejected(rejected);
            group_by.of(Pairs { keys: &keys, values: &values }).bind(to)
        })
        .await
}

async fn by_key(scene: &Scene) -> Result<End, String> {
    let words = words(scene);
    let expected = of_runs(&words, |run| run.iter().sum());
    let input = scene.buffer(bytemuck::cast_slice(&words))?;
    scene.stage();
    let by_key = Op::Sum.over(Element::U32).map(|sum| ReduceRuns::new(Element::U32, sum));
    let by_key = scene.compile(by_key)?;
    scene
        .gives(&expected, |outputs| {
            let to = RunOutputs { keys: &outputs[0], results: &outputs[1], len: &outputs[2] };
            by_key.of(Pairs { keys: &input, values: &input }).bind(to)
        })
        .await
}

async fn run_lengths(scene: &Scene) -> Result<End, String> {
    let words = words(scene);
    let expected = of_runs(&words, |run| run.len() as u32);
    let input = scene.buffer(bytemuck::cast_slice(&words))?;
    scene.stage();
    let run_lengths = scene.compile(Ok(RunLengths::new(Element::U32)))?;
    scene
        .gives(&expected, |outputs| {
            let to = RunOutputs { keys: &outputs[0], results: &outputs[1], len: &outputs[2] };
            run_lengths.of(&input).bind(to)
        })
        .await
}

async fn prefixes(scene: &Scene) -> Result<End, String> {
    let words = words(scene);
    let before = |sum: &mut u32, word: &u32| Some(std::mem::replace(sum, *sum + word));
    let expected = words.iter().scan(0, before).collect();
    let input = scene.buffer(bytemuck::cast_slice(&words))?;
    scene.stage();
    let scan = scene.compile(Op::Sum.over(Element::U32).map(|sum| Scan::new(sum).exclusive()))?;
    scene.gives(&[expected], |outputs| scan.of(&input).bind(&outputs[0])).await
}

async fn selected(scene: &Scene) -> Result<End, String> {
    let words = words(scene);
    let kept: Vec<u32> = words.iter().copied().filter(|word| word % 3 == 0).collect();
    let count = kept.len() as u32;
    let input = scene.buffer(bytemuck::cast_slice(&words))?;
    scene.stage();
    let wgsl = "fn keep(elem: Elem, index: u32) -> bool { return elem % 3u == 0u; }";
    let select = scene.compile(Select::new(Element::U32, wgsl))?;
    scene
        .gives(&[with_zeros(kept, words.len()), vec![count]], |outputs| {
            select.of(&input).bind(select::Outputs { kept: &outputs[0], count: &outputs[1] })
        })
        .await
}

async fn scaled(scene: &Scene) -> Result<End, String> {
    let words = words(scene);
    let mut sum = 0;
    let expected = words.iter().map(|word| (sum += 3 * word, sum).1).collect();
    let (input, factor) = (scene.buffer(bytemuck::cast_slice(&words))?, scene.buffer(&3u32.to_le_bytes())?);
    scene.stage();
    let wgsl = "@group(0) @binding(10) var<storage> factor: u32;
        alias Acc = u32;
        fn map(elem: Elem, index: u32) -> Acc { return elem * factor; }
        fn identity() -> Acc { return 0u; }
        fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
        fn finish(acc: Acc, n: u32) -> Acc { return acc; }";
    let sum = Monoid::custom("scaled", Element::U32, Arity::One, wgsl);
    let scan = scene.compile(sum.map(Scan::new))?;
    let request = scan.of(&input).with_parameters(&factor);
    scene.gives(&[expected], |outputs| request.bind(&outputs[0])).await
}

async fn arguments(scene: &Scene) -> Result<End, String> {
    let count = scene.buffer(&1000u32.to_le_bytes())?;
    scene.stage();
    let arguments = scene.compile(Ok(DispatchArguments::new(64)))?;
    scene.gives(&[vec![16, 1, 1]], |outputs| arguments.of(&count).bind(&outputs[0])).await
}

async fn divided(scene: &Scene) -> Result<End, String> {
    let words = words(scene);
    let kept: Vec<_> = words.iter().copied().filter(|word| word % 5 == 1).collect();
    let (input, pair) = (scene.buffer(bytemuck::cast_slice(&words))?, [5u32, 1]);
    let pair = scene.buffer(bytemuck::cast_slice(&pair))?;
    scene.stage();
    let wgsl = "@group(0) @binding(10) var<storage> pair: vec2<u32>;
        fn keep(elem: Elem, index: u32) -> bool { return elem % pair.x == pair.y; }";
    let select = scene.compile(Select::new(Element::U32, wgsl))?;
    let request = select.of(&input).with_parameters(&pair);
    let (bound, outputs) = request.bind_new(wgpu::BufferUsages::COPY_SRC).map_err(text)?;
    let size = outputs.iter().map(|(_, output)| output.size()).sum();
    let all = scene.room(size)?;
    let record = |encoder: &mut wgpu::CommandEncoder| {
        bound.encode(encoder);
        let mut at = 0;
        for (_, output) in outputs.iter() {
            encoder.copy_buffer_to_buffer(output, 0, &all, at, output.size());
            at += output.size();
        }
    };
    let bytes = scene.fetch(record, &all, size).await?;
    let found: Vec<u32> = select.results(Cut::All, words.len() as u64, &bytes).map_err(text)?;
    Ok(if found == kept { End::Right } else { End::Wrong(format!("{} elements", found.len())) })
}
