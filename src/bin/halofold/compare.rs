//! `halofold compare`: two records, row by row.

mod pairs;
mod verdict;

use std::path::PathBuf;

use comfy_table::CellAlignment;
use serde::Serialize;

use crate::output::{print, print_json};
use crate::row::Row;
use crate::{Failure, record, table};
use pairs::{Pair, pairs};
use verdict::Verdict;

/// Options of `halofold compare`.
#[derive(clap::Args)]
pub struct CompareArgs {
    /// The record to compare with: of `--record`, of the benches, or the array that `--json` prints.
    #[arg(value_name = "A.json")]
    a: PathBuf,
    /// The record to judge.
    #[arg(value_name = "B.json")]
    b: PathBuf,
    /// How much slower, in percent, a row of B may be: one beyond it is a regression, and the exit status is 1.
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
        .ok_or_else(|| format!("`{text}` is no percentage; write 5 or 2.5"))
}

/// One line of the comparison.
#[derive(Serialize)]
struct Line<'a> {
    preset: Option<&'a str>,
    row: Option<&'a str>,
    rung: &'a str,
    finish: Option<&'a str>,
    #[serde(rename = "type")]
    element: &'a str,
    op: &'a str,
    n: u64,
    workgroup_size: Option<u32>,
    a_ms: Option<f64>,
    b_ms: Option<f64>,
    change_percent: Option<f64>,
    verdict: Verdict,
    reason: Option<String>,
}

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let a = record::load(&args.a)?.rows;
    let b = record::load(&args.b)?.rows;
    let pairs = pairs(&a, &b);
    let lines: Vec<_> = pairs.iter().map(|pair| line(pair, args.threshold)).collect();
    if args.json {
        print_json(&lines)?;
    } else {
        print(&text(&lines))?;
    }
    if !pairs.iter().any(|pair| matches!(pair, Pair::Both(..))) {
        return Err(Failure::usage(
            "no row is in both records: they differ in rungs, types, operators or sizes",
        ));
    }
    if lines.iter().any(|line| line.verdict.is_regression()) { Err(Failure::Wrong) } else { Ok(()) }
}

fn line<'a>(pair: &Pair<'a>, threshold: f64) -> Line<'a> {
    let (row, judged) = match *pair {
        Pair::Both(a, b) => (b, verdict::judge(a, b, threshold)),
        Pair::OnlyA(a) => (a, verdict::only(a, Verdict::OnlyInA)),
        Pair::OnlyB(b) => (b, verdict::only(b, Verdict::OnlyInB)),
    };
    let Row { preset, row: name, rung, finish, element, op, n, workgroup_size, .. } = row;
    Line {
        preset: preset.as_deref(),
        row: name.as_deref(),
        rung,
        finish: finish.as_deref(),
        element,
        op,
        n: *n,
        workgroup_size: *workgroup_size,
        a_ms: judged.a_ms,
        b_ms: judged.b_ms,
        change_percent: judged.change_percent,
        verdict: judged.verdict,
        reason: judged.reason,
    }
}

/// The table for people, and how often each verdict was given.
fn text(lines: &[Line<'_>]) -> String {
    let mut table = table::plain();
    table.set_header(["rung", "finish", "op", "type", "n", "time A", "time B", "change", "verdict"]);
    for line in lines {
        let document = line.preset.zip(line.row).map(|(preset, row)| format!("{preset} {row} "));
        let reason = line.reason.as_ref().map(|reason| format!(" ({reason})"));
        table.add_row([
            document.unwrap_or_default() + line.rung,
            line.finish.unwrap_or_default().to_owned(),
            line.op.to_owned(),
            line.element.to_owned(),
            table::power(line.n),
            table::time(line.a_ms),
            table::time(line.b_ms),
            line.change_percent.map(|percent| format!("{percent:+.1} %")).unwrap_or_default(),
            line.verdict.name().to_owned() + &reason.unwrap_or_default(),
        ]);
    }
    for column in 4..8 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let counts = Verdict::ALL.iter().filter_map(|verdict| {
        let count = lines.iter().filter(|line| line.verdict == *verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.name()))
    });
    format!("{}\n\n{}\n", table.trim_fmt(), counts.collect::<Vec<_>>().join(", "))
}
