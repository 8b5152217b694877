//! `halofold compare`: two records, row by row.

use std::path::PathBuf;

use halofold_measure::compare::{Judged, Pair, Verdict, pairs};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::record::Loaded;
use crate::row::{LadderWork, LibraryWork, Row, StencilWork, What};
use crate::{record, table};

/// Options of `halofold compare`.
#[derive(clap::Args)]
pub struct CompareArgs {
    /// The first record: written by `--record` or by the benches, or an array that `--json` printed.
    #[arg(value_name = "A.json")]
    a: PathBuf,
    /// The second record, which is judged against the first.
    #[arg(value_name = "B.json")]
    b: PathBuf,
    /// A row of B that is slower by more than this percentage is a regression; the exit status is then 1.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent)]
    threshold: f64,
    /// Print one JSON array of comparisons.
    #[arg(long)]
    json: bool,
}

/// Reads a percentage.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).parse().ok();
    percent
        .filter(|percent: &f64| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| format!("`{text}` is not a percentage; write 5 or 2.5"))
}

/// One line of the comparison: the subject of the rows, and the verdict.
#[derive(Serialize)]
struct Line<'a, W> {
    #[serde(flatten)]
    what: &'a W,
    #[serde(flatten)]
    judged: Judged,
}

/// The rows of one kind in both records, compared.
struct Compared {
    /// True if both records have any of them.
    common: bool,
    verdicts: Vec<Verdict>,
    json: Vec<Value>,
    text: String,
}

impl Compared {
    fn new<W: Shown>(a: &[Row<W>], b: &[Row<W>], threshold: f64) -> Result<Self, Failure> {
        let pairs = pairs(a, b);
        let lines = pairs.iter().map(|pair| pair.judged(threshold));
        let lines: Vec<_> = lines.map(|(row, judged)| Line { what: &row.what, judged }).collect();
        Ok(Compared {
            common: pairs.iter().any(Pair::is_in_both),
            verdicts: lines.iter().map(|line| line.judged.verdict).collect(),
            json: lines.iter().map(serde_json::to_value).collect::<Result<_, _>>().map_err(Failure::usage)?,
            text: table_of(&lines),
        })
    }
}

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let (a, b) = (record::load(&args.a)?, record::load(&args.b)?);
    let all = [
        Compared::new(&a.rows, &b.rows, args.threshold)?,
        Compared::new(&a.stencils, &b.stencils, args.threshold)?,
        Compared::new(&a.library, &b.library, args.threshold)?,
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
        print(&(tables + &counts(&verdicts) + &inputs(&a, &b)))?;
    }
    if verdicts.into_iter().any(Verdict::is_regression) { Err(Failure::Wrong) } else { Ok(()) }
}

/// A warning if the records were not measured under the same conditions.
fn inputs(a: &Loaded, b: &Loaded) -> String {
    match [a, b].map(|loaded| loaded.origin.as_ref().map(|record| record.inputs)) {
        [Some(a), Some(b)] if a != b => {
            format!("A was measured over {} inputs, B over {} inputs\n", a.name(), b.name())
        }
        _ => String::new(),
    }
}

/// The columns of a table before the times.
trait Shown: What {
    /// Their headings.
    const NAMES: &'static [&'static str];
    /// Number of columns that hold words.
    const WORDS: usize;

    /// The first columns.
    fn cells(&self) -> Vec<String>;
}

impl Shown for LadderWork {
    const NAMES: &'static [&'static str] = &["rung", "finish", "op", "type", "n"];
    const WORDS: usize = 4;

    fn cells(&self) -> Vec<String> {
        let finish = self.finish.clone().unwrap_or_default();
        let name = named(&self.preset, &self.row, &self.rung);
        vec![name, finish, self.op.clone(), self.element.clone(), table::power(self.n)]
    }
}

impl Shown for StencilWork {
    const NAMES: &'static [&'static str] = &["variant", "boundary", "type", "grid", "block"];
    const WORDS: usize = 3;

    fn cells(&self) -> Vec<String> {
        let name = named(&self.preset, &self.row, &self.variant);
        let words = [&self.boundary, &self.element, &self.grid, &self.block].map(String::clone);
        std::iter::once(name).chain(words).collect()
    }
}

impl Shown for LibraryWork {
    const NAMES: &'static [&'static str] = &["name", "op", "shape", "type", "n", "results"];
    const WORDS: usize = 4;

    fn cells(&self) -> Vec<String> {
        let words = [&self.name, &self.op, &self.shape, &self.element].map(String::clone);
        let numbers = [table::power(self.n), self.segments.map(table::count).unwrap_or_default()];
        words.into_iter().chain(numbers).collect()
    }
}

/// A name with the document's own in front.
fn named(preset: &Option<String>, row: &Option<String>, name: &str) -> String {
    match (preset, row) {
        (Some(preset), Some(row)) => format!("{preset} {row} {name}"),
        _ => name.to_owned(),
    }
}

/// The table of some lines; empty if there are none.
fn table_of<W: Shown>(lines: &[Line<'_, W>]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut table = table::plain();
    table.set_header(W::NAMES.iter().chain(&["time A", "time B", "change", "verdict"]));
    for Line { what, judged } in lines {
        let reason = judged.reason.as_ref().map(|reason| format!(" ({reason})"));
        let judged = [
            table::time(judged.a_ms),
            table::time(judged.b_ms),
            judged.change_percent.map(|percent| format!("{percent:+.1} %")).unwrap_or_default(),
            judged.verdict.name().to_owned() + &reason.unwrap_or_default(),
        ];
        table.add_row(what.cells().into_iter().chain(judged).map(|cell| table::painted(&cell)));
    }
    // All numbers: behind the words, up to the verdict.
    table::align_right(&mut table, W::WORDS..W::NAMES.len() + 3);
    table.trim_fmt() + "\n\n"
}

/// The number of rows of each verdict.
fn counts(verdicts: &[Verdict]) -> String {
    let counts = Verdict::ALL.iter().filter_map(|verdict| {
        let count = verdicts.iter().filter(|given| *given == verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.name()))
    });
    counts.collect::<Vec<_>>().join(", ") + "\n"
}
