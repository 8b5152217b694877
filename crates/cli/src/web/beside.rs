//! What the page shows beside measurements: the ladder's rows, words of the glossary, records of other GPUs.

use halofold::ladder::RUNGS;
use halofold_measure::Record;
use maud::html;
use serde_json::{Map, Value, json};

use crate::report::beside::h200;

/// The chapters of the ladder, and what each teaches.
#[rustfmt::skip]
const CHAPTERS: [(&str, &str); 5] = [
    ("trees", "A tree halves the number of values at each step. Its speed depends on which invocations work, and on which addresses."),
    ("more work per invocation", "Invocations that add many elements before the tree spend less of their time on barriers."),
    ("subgroups", "Lanes of a subgroup exchange registers, so most of the tree needs no memory and no barrier."),
    ("memory speed", "Wide, independent loads keep the memory busy. Then a sum takes as long as reading its input."),
    ("side roads", "Other trees, and sums without rounding. No later rung builds on these."),
];

/// The words that the page explains, with the meanings of docs/glossary.md; the others are plain English, too.
const WORDS: &str =
    "bank barrier coalesced contention dispatch divergence invocation kernel lane rung subgroup workgroup";

/// A symbolic link to the page of docs, which packages contain.
const GLOSSARY: &str = include_str!("assets/glossary.md");

/// The ladder by chapter, a row a rung.
pub fn rows() -> String {
    html! {
        @for (chapter, sentence) in CHAPTERS {
            h3 { (chapter) }
            p.note.words { (sentence) }
            @for rung in RUNGS.iter().filter(|rung| rung.chapter == chapter) {
                details.row name="rung" data-row=(rung.name()) ontoggle="fillRow(this)" {
                    summary { div.cells data-bar=(rung.name()) {
                        span.label { (rung.name()) } span.note { (rung.summary) } span.value { "not run yet" }
                        span.track { span.bar {} span.other {} span.peak {} }
                    } }
                    div.body {}
                }
            }
        }
    }
    .into_string()
}

pub fn words() -> Vec<Value> {
    let cells = |line: &'static str| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ");
    let rows =
        GLOSSARY.lines().filter_map(cells).filter(|(word, _)| WORDS.split(' ').any(|known| known == *word));
    rows.map(|row| json!(row)).collect()
}

/// Records of GPUs: milliseconds of each rung, and the memory's speed.
pub fn records() -> Vec<Value> {
    let line = |record: Record| {
        let first = &record.rows.first()?.what;
        let rungs = record.rows.iter().map(|row| (row.what.rung.clone(), json!(row.times.median)));
        let (gpu, read, ms) = (&record.adapter.name, record.peak.read_gb_per_s, rungs.collect::<Map<_, _>>());
        let (op, element, n) = (&first.op, &first.element, first.n);
        Some(json!({ "gpu": gpu, "op": op, "type": element, "n": n, "read": read, "ms": ms }))
    };
    h200().expect("built-in records").into_iter().filter_map(line).collect()
}
