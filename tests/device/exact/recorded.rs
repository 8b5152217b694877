//! A thousand arrays whose sums are written down: every adapter gives these bits, and so does the oracle.
//!
//! `HALOFOLD_RECORD_BITS=1 cargo test --release --test device exact::recorded` writes down the oracle's.

use halofold::Element;
use halofold::reduce::Op;

use super::arrays::{Hard, array};
use super::bench::{Arrays, Bench, Case, exact};
use crate::common::gpu;
use crate::cut::Cut;

const RECORDED: &str = include_str!("recorded.txt");

/// The operators of the recorded arrays, in turn.
const CASES: [Case; 7] = [
    (Op::Sum, Element::F32),
    (Op::Mean, Element::F32),
    (Op::Dot, Element::F32),
    (Op::Sum, Element::F16),
    (Op::Mean, Element::F16),
    (Op::Sum, Element::F64),
    (Op::Mean, Element::F64),
];

/// Arrays in a batch, which one dispatch takes, and batches.
const ARRAYS: u64 = 50;
const BATCHES: u64 = 20;

/// A line for each batch, with these results.
fn lines(results: impl Fn(&Arrays, &Cut) -> Vec<u64>) -> Vec<String> {
    let line = |number: u64| {
        let case = CASES[number as usize % CASES.len()];
        let hard = Hard::ALL[(7 * number as usize) % Hard::ALL.len()];
        let len = 3 + 41 * number as usize;
        let input = |seed: u64| (0..ARRAYS).flat_map(|at| array(hard, case.1, len, seed + at)).collect();
        let seeds = [100 * number, 7000 + number];
        let inputs = seeds[..if case.0 == Op::Dot { 2 } else { 1 }].iter().map(|seed| input(*seed)).collect();
        let cut = Cut::segments(len, ARRAYS as usize).at(number as usize);
        let results = results(&Arrays { case, inputs }, &cut);
        let words: Vec<String> = results.iter().map(|bits| format!("{bits:x}")).collect();
        format!("{} {} {hard:?} {len}: {}", case.0, case.1, words.join(" "))
    };
    (0..BATCHES).map(line).collect()
}

#[test]
fn recorded_bits_are_the_oracles() {
    let lines =
        lines(|arrays, cut| cut.groups().into_iter().map(|group| arrays.pick(group).expected()).collect());
    if std::env::var_os("HALOFOLD_RECORD_BITS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/device/exact/recorded.txt");
        std::fs::write(file, lines.join("\n") + "\n").expect("the file can be written");
        return;
    }
    assert_eq!(lines, RECORDED.lines().collect::<Vec<_>>());
}

#[test]
fn recorded_bits_are_the_adapters() {
    let lines = lines(|arrays, cut| {
        let bench = Bench::new(gpu(), arrays.case, exact());
        bench.results(&bench.reduce(cut, arrays)).into_iter().map(|(bits, _)| bits).collect()
    });
    assert_eq!(lines, RECORDED.lines().collect::<Vec<_>>());
}
