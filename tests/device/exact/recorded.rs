//! A thousand arrays whose sums are written down: every adapter gives these bits, and so does the oracle.
//!
//! `HALOFOLD_RECORD_BITS=1 cargo test --release --test device exact::recorded` writes down the oracle's.

use halofold::Element;
use halofold::reduce::{Op, Shape};

use super::arrays::{Hard, array};
use super::gpu::{Inputs, exact, output, reducer, results};
use crate::common::gpu;
use crate::common::oracle::expected;

const RECORDED: &str = include_str!("recorded.txt");

/// The operators of the recorded arrays, in turn.
const CASES: [(Op, Element); 7] = [
    (Op::Sum, Element::F32),
    (Op::Mean, Element::F32),
    (Op::Dot, Element::F32),
    (Op::Sum, Element::F16),
    (Op::Mean, Element::F16),
    (Op::Sum, Element::F64),
    (Op::Mean, Element::F64),
];

/// Arrays of one length, one after the other, for one dispatch.
struct Batch {
    op: Op,
    element: Element,
    hard: Hard,
    len: usize,
    first: Vec<u8>,
    second: Option<Vec<u8>>,
}

/// Arrays in a batch, and batches.
const ARRAYS: u64 = 50;
const BATCHES: u64 = 20;

impl Batch {
    fn number(number: u64) -> Batch {
        let (op, element) = CASES[number as usize % CASES.len()];
        let hard = Hard::ALL[(7 * number as usize) % Hard::ALL.len()];
        let len = 3 + 41 * number as usize;
        let arrays = |seed: u64| {
            (0..ARRAYS).flat_map(|array_number| array(hard, element, len, seed + array_number)).collect()
        };
        let second = (op == Op::Dot).then(|| arrays(7000 + number));
        Batch { op, element, hard, len, first: arrays(100 * number), second }
    }

    fn line(&self, results: &[u64]) -> String {
        let Batch { op, element, hard, len, .. } = self;
        let words: Vec<String> = results.iter().map(|bits| format!("{bits:x}")).collect();
        format!("{op} {element} {hard:?} {len}: {}", words.join(" "))
    }
}

#[test]
fn recorded_bits_are_the_oracles() {
    let lines: Vec<_> = (0..BATCHES)
        .map(Batch::number)
        .map(|batch| {
            let size = batch.len * batch.element.size() as usize;
            let results: Vec<_> = (0..ARRAYS as usize)
                .map(|number| {
                    let range = number * size..(number + 1) * size;
                    let second = batch.second.as_ref().map(|second| &second[range.clone()]);
                    expected(batch.op, batch.element, &batch.first[range.clone()], second)
                })
                .collect();
            batch.line(&results)
        })
        .collect();
    if std::env::var_os("HALOFOLD_RECORD_BITS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/device/exact/recorded.txt");
        std::fs::write(file, lines.join("\n") + "\n").expect("the file can be written");
        return;
    }
    assert_eq!(lines, RECORDED.lines().collect::<Vec<_>>());
}

#[test]
fn recorded_bits_are_the_adapters() {
    let lines: Vec<_> = (0..BATCHES)
        .map(|number| {
            let batch = Batch::number(number);
            let arrays: Vec<&[u8]> =
                std::iter::once(&batch.first[..]).chain(batch.second.as_deref()).collect();
            let inputs = Inputs::new(gpu(), batch.element, &arrays, number);
            let monoid = batch.op.over(batch.element).expect("it is defined");
            let reducer = reducer(gpu(), &monoid, exact(false, false));
            let bytes = output(gpu(), &reducer, Shape::Segments { len: batch.len as u64 }, &inputs);
            batch.line(&results(batch.op, batch.element, &bytes))
        })
        .collect();
    assert_eq!(lines, RECORDED.lines().collect::<Vec<_>>());
}
