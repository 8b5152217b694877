//! `halofold compare`: two records, row by row.

mod pairs;
mod verdict;

use std::path::PathBuf;

use comfy_table::CellAlignment;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::record::Loaded;
use crate::row::{LibraryRow, Measured, Row, StencilRow};
use crate::{record, table};
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

/// One line of the comparison: what was measured, and what is said of it.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    what: What<'a>,
    a_ms: Option<f64>,
    b_ms: Option<f64>,
    change_percent: Option<f64>,
    verdict: Verdict,
    reason: Option<String>,
}

/// The measurement that a line is about.
#[derive(Serialize)]
#[serde(untagged)]
enum What<'a> {
    Reduction {
        preset: Option<&'a str>,
        row: Option<&'a str>,
        rung: &'a str,
        finish: Option<&'a str>,
        #[serde(rename = "type")]
        element: &'a str,
        op: &'a str,
        n: u64,
        workgroup_size: Option<u32>,
    },
    Stencil {
        preset: Option<&'a str>,
        row: Option<&'a str>,
        variant: &'a str,
        points: u32,
        grid: &'a str,
        block: &'a str,
        boundary: &'a str,
        #[serde(rename = "type")]
        element: &'a str,
    },
    Library {
        name: &'a str,
        op: &'a str,
        shape: &'a str,
        #[serde(rename = "type")]
        element: &'a str,
        n: u64,
        segments: Option<u64>,
    },
}

impl<'a> From<&'a Row> for What<'a> {
    fn from(row: &'a Row) -> Self {
        What::Reduction {
            preset: row.preset.as_deref(),
            row: row.row.as_deref(),
            rung: &row.rung,
            finish: row.finish.as_deref(),
            element: &row.element,
            op: &row.op,
            n: row.n,
            workgroup_size: row.workgroup_size,
        }
    }
}

impl<'a> From<&'a StencilRow> for What<'a> {
    fn from(row: &'a StencilRow) -> Self {
        What::Stencil {
            preset: row.preset.as_deref(),
            row: row.row.as_deref(),
            variant: &row.variant,
            points: row.points,
            grid: &row.grid,
            block: &row.block,
            boundary: &row.boundary,
            element: &row.element,
        }
    }
}

impl<'a> From<&'a LibraryRow> for What<'a> {
    fn from(row: &'a LibraryRow) -> Self {
        What::Library {
            name: &row.name,
            op: &row.op,
            shape: &row.shape,
            element: &row.element,
            n: row.n,
            segments: row.segments,
        }
    }
}

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let (a, b) = (record::load(&args.a)?, record::load(&args.b)?);
    let reductions = pairs(&a.rows, &b.rows);
    let stencils = pairs(&a.stencils, &b.stencils);
    let library = pairs(&a.library, &b.library);
    let common = reductions.iter().any(Pair::is_in_both)
        || stencils.iter().any(Pair::is_in_both)
        || library.iter().any(Pair::is_in_both);
    let (reductions, stencils, library) =
        (lines(&reductions, args), lines(&stencils, args), lines(&library, args));
    let all = || reductions.iter().chain(&stencils).chain(&library);
    if args.json {
        print_json(&all().collect::<Vec<_>>())?;
    } else {
        let tables =
            [table_of(&REDUCTION, &reductions), table_of(&STENCIL, &stencils), table_of(&LIBRARY, &library)];
        print(&(tables.concat() + &counts(all()) + &inputs(&a, &b)))?;
    }
    if !common {
        return Err(Failure::usage(
            "no row is in both records: they differ in rungs, variants or names, types, operators, shapes, borders or sizes",
        ));
    }
    if all().any(|line| line.verdict.is_regression()) { Err(Failure::Wrong) } else { Ok(()) }
}

/// A word on records that were not measured alike.
fn inputs(a: &Loaded, b: &Loaded) -> String {
    match [a, b].map(|loaded| loaded.origin.as_ref().map(|record| record.inputs)) {
        [Some(a), Some(b)] if a != b => {
            format!("A was measured over {} inputs, B over {} ones\n", a.name(), b.name())
        }
        _ => String::new(),
    }
}

fn lines<'a, R: Measured>(pairs: &[Pair<'a, R>], args: &CompareArgs) -> Vec<Line<'a>>
where
    What<'a>: From<&'a R>,
{
    pairs.iter().map(|pair| line(pair, args.threshold)).collect()
}

fn line<'a, R: Measured>(pair: &Pair<'a, R>, threshold: f64) -> Line<'a>
where
    What<'a>: From<&'a R>,
{
    let (row, judged) = match *pair {
        Pair::Both(a, b) => (b, verdict::judge(a, b, threshold)),
        Pair::OnlyA(a) => (a, verdict::only(a, Verdict::OnlyInA)),
        Pair::OnlyB(b) => (b, verdict::only(b, Verdict::OnlyInB)),
    };
    Line {
        what: What::from(row),
        a_ms: judged.a_ms,
        b_ms: judged.b_ms,
        change_percent: judged.change_percent,
        verdict: judged.verdict,
        reason: judged.reason,
    }
}

/// What the first columns of a table of reductions are called, and how many of them are words.
const REDUCTION: (&[&str], usize) = (&["rung", "finish", "op", "type", "n"], 4);

/// The same for stencils.
const STENCIL: (&[&str], usize) = (&["variant", "boundary", "type", "grid", "block"], 3);

/// The same for the library.
const LIBRARY: (&[&str], usize) = (&["name", "op", "shape", "type", "n", "results"], 4);

impl What<'_> {
    /// The first columns of its line.
    fn cells(&self) -> Vec<String> {
        let named = |preset: &Option<&str>, row: &Option<&str>, name: &str| {
            let document = preset.zip(*row).map(|(preset, row)| format!("{preset} {row} "));
            document.unwrap_or_default() + name
        };
        match self {
            What::Reduction { preset, row, rung, finish, element, op, n, .. } => vec![
                named(preset, row, rung),
                finish.unwrap_or_default().to_owned(),
                (*op).to_owned(),
                (*element).to_owned(),
                table::power(*n),
            ],
            What::Stencil { preset, row, variant, grid, block, boundary, element, .. } => vec![
                named(preset, row, variant),
                boundary.to_string(),
                element.to_string(),
                grid.to_string(),
                block.to_string(),
            ],
            What::Library { name, op, shape, element, n, segments } => vec![
                name.to_string(),
                op.to_string(),
                shape.to_string(),
                element.to_string(),
                table::power(*n),
                segments.map(table::count).unwrap_or_default(),
            ],
        }
    }
}

/// The table of some lines for people; nothing if there are none.
fn table_of((names, words): &(&[&str], usize), lines: &[Line<'_>]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut table = table::plain();
    table.set_header(names.iter().chain(&["time A", "time B", "change", "verdict"]));
    for line in lines {
        let reason = line.reason.as_ref().map(|reason| format!(" ({reason})"));
        let judged = [
            table::time(line.a_ms),
            table::time(line.b_ms),
            line.change_percent.map(|percent| format!("{percent:+.1} %")).unwrap_or_default(),
            line.verdict.name().to_owned() + &reason.unwrap_or_default(),
        ];
        table.add_row(line.what.cells().into_iter().chain(judged));
    }
    for column in *words..names.len() + 3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n\n"
}

/// How often each verdict was given.
fn counts<'l, 'a: 'l>(lines: impl Iterator<Item = &'l Line<'a>> + Clone) -> String {
    let counts = Verdict::ALL.iter().filter_map(|verdict| {
        let count = lines.clone().filter(|line| line.verdict == *verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.name()))
    });
    counts.collect::<Vec<_>>().join(", ") + "\n"
}
