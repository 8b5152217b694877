//! `halofold compare`: two records, row by row.

use std::path::PathBuf;

use halofold_measure::Record;
use halofold_measure::compare::{Judged, Pair, Verdict, pairs};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::record;
use crate::row::{Row, What};
use crate::table::{self, Column};

/// Default threshold on a GPU, in percent.
const USUAL_THRESHOLD: f64 = 5.0;

#[derive(clap::Args)]
#[command(after_help = crate::examples::COMPARE)]
pub struct CompareArgs {
    /// The first record: a file of `--record` or of the benches.
    #[arg(value_name = "A.json")]
    a: PathBuf,
    /// The second record, compared with the first.
    #[arg(value_name = "B.json")]
    b: PathBuf,
    /// Largest slowdown of a row that is not a regression, in percent: 5 by default. A regression makes the exit status 1. On software adapters,
    /// which share a processor with other programs, all times are noise unless a threshold is given.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Print one JSON array of comparisons.
    #[arg(long)]
    json: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).parse().ok();
    percent
        .filter(|percent: &f64| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| format!("`{text}` is not a percentage; write 5 or 2.5"))
}

/// A line of the comparison: what was measured, and the verdict.
#[derive(Serialize)]
struct Line<'a, W> {
    #[serde(flatten)]
    what: &'a W,
    #[serde(flatten)]
    judged: Judged,
}

/// The compared rows of one kind.
struct Compared {
    /// True if some row is in both records.
    common: bool,
    verdicts: Vec<Verdict>,
    json: Vec<Value>,
    text: String,
}

impl Compared {
    /// Compares rows. Without a threshold, all times are noise.
    fn new<W: What>(a: &[Row<W>], b: &[Row<W>], threshold: Option<f64>) -> Result<Self, Failure> {
        let pairs = pairs(a, b);
        let lines = pairs.iter().map(|pair| pair.judged(threshold.unwrap_or(USUAL_THRESHOLD)));
        let mut lines: Vec<_> = lines.map(|(row, judged)| Line { what: &row.what, judged }).collect();
        for Line { judged, .. } in lines.iter_mut().filter(|_| threshold.is_none()) {
            if matches!(judged.verdict, Verdict::Slower | Verdict::Faster) {
                judged.verdict = Verdict::Noise;
            }
        }
        Ok(Compared {
            common: pairs.iter().any(Pair::is_in_both),
            verdicts: lines.iter().map(|line| line.judged.verdict).collect(),
            json: lines.iter().map(serde_json::to_value).collect::<Result<_, _>>().map_err(Failure::usage)?,
            text: table_of(&lines),
        })
    }
}

pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let (a, b) = (record::load(&args.a)?, record::load(&args.b)?);
    let is_software = [&a, &b].iter().any(|record| record.adapter.device_type == "Cpu");
    let threshold = args.threshold.or((!is_software).then_some(USUAL_THRESHOLD));
    let all = [
        Compared::new(&a.rows, &b.rows, threshold)?,
        Compared::new(&a.stencils, &b.stencils, threshold)?,
        Compared::new(&a.library, &b.library, threshold)?,
    ];
    if !all.iter().any(|compared| compared.common) {
        return Err(Failure::usage(
            "no row is in both records: they differ in rungs, variants or names, types, operators, shapes, borders or sizes",
        ));
    }
    let verdicts: Vec<_> = all.iter().flat_map(|compared| &compared.verdicts).copied().collect();
    if args.json {
        print_json(&all.iter().flat_map(|compared| &compared.json).collect::<Vec<_>>())?;
    } else {
        let tables: String = all.iter().map(|compared| compared.text.as_str()).collect();
        print(&(table::fitted(&header(&a, &b), false) + &tables + &counts(&verdicts)))?;
    }
    if verdicts.into_iter().any(Verdict::is_regression) { Err(Failure::Wrong) } else { Ok(()) }
}

/// Describes both machines, with a warning if the conditions differ.
fn header(a: &Record, b: &Record) -> String {
    let line = |name, record: &Record| {
        format!(
            "{name}: {}, driver {}, {}\n",
            record::name(record),
            record.adapter.driver,
            record::day(record)
        )
    };
    let inputs = match [a.inputs, b.inputs] {
        [a, b] if a != b => format!("A was measured over {} inputs, B over {} inputs\n", a.name(), b.name()),
        _ => String::new(),
    };
    line("A", a) + &line("B", b) + &inputs + "\n"
}

/// Formats lines as a table; empty without lines.
fn table_of<W: What>(lines: &[Line<'_, W>]) -> String {
    type Of<'a, W> = Line<'a, W>;
    // The rows' keys are the first columns.
    let field = |line: &Of<'_, W>, name: &str| serde_json::to_value(line.what).ok()?.get(name).cloned();
    let first = lines.first().and_then(|line| serde_json::to_value(line.what).ok());
    let names: Vec<_> = first
        .iter()
        .filter_map(Value::as_object)
        .flatten()
        .map(|(name, value)| (name.clone(), value.is_u64()))
        .collect();
    let what = names.into_iter().map(|(name, is_number)| {
        let heading = name.replace('_', " ");
        let cell = move |line: &Of<'_, W>| match field(line, &name) {
            Some(Value::String(text)) => text,
            Some(Value::Number(number)) => number.as_u64().map(table::power).unwrap_or_default(),
            _ => String::new(),
        };
        if is_number { Column::number(heading, cell) } else { Column::words(heading, cell) }
    });
    let change = |line: &Of<'_, W>| line.judged.change_percent.map(|percent| format!("{percent:+.1} %"));
    let verdict = |Line { judged, .. }: &Of<'_, W>| match &judged.reason {
        Some(reason) => format!("{} ({reason})", judged.verdict.name()),
        None => judged.verdict.name().to_owned(),
    };
    let judged = [
        Column::number("time A", |line: &Of<'_, W>| table::time(line.judged.a_ms)),
        Column::number("time B", |line: &Of<'_, W>| table::time(line.judged.b_ms)),
        Column::number("change", move |line| change(line).unwrap_or_default()),
        Column::words("verdict", verdict),
    ];
    let text = table::render(what.chain(judged).collect(), lines, false);
    if text.is_empty() { text } else { text + "\n" }
}

fn counts(verdicts: &[Verdict]) -> String {
    let counts = Verdict::ALL.iter().filter_map(|verdict| {
        let count = verdicts.iter().filter(|given| *given == verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.name()))
    });
    counts.collect::<Vec<_>>().join(", ") + "\n"
}
