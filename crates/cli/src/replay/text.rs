//! The output of `replay`: a table by block shape, the thesis's table beside its published figures, and skipped rows.

use std::fmt::Write as _;

use super::{Replay, picked};
use crate::lists::grouped;
use crate::row::{Row, Status, StencilWork};
use crate::table::{self, Column};

pub fn report(replay: &Replay) -> String {
    let Replay { preset, adapter, peak, grid, element, steps, rows, .. } = replay;
    let timing = rows.iter().find_map(|row| row.times.timing.as_deref()).unwrap_or(peak.timing.name());
    let clock = if timing == "gpu" { "GPU timestamps" } else { "wall clock (no GPU timestamps here)" };
    let copy = table::digits(peak.copy_gb_per_s);
    let ceiling = table::digits(peak.copy_gb_per_s / (2.0 * element.size() as f64));
    let mut text = format!(
        "{adapter}\n{}\n{grid} {element}, fixed borders; copy peak {copy} GB/s, which is {ceiling} GCell/s; times: {clock}\n\n\
         GCell/s by block, rows x columns:\n\n",
        preset.title,
    );
    text.push_str(&by_block(replay));
    text.push_str(&remarks(rows));
    let thesis = preset.thesis;
    let size = if *steps == thesis.steps && *grid == thesis.grid {
        "as many as the thesis ran, over its grid".to_owned()
    } else {
        format!("the thesis ran {} over {}", thesis.steps, thesis.grid)
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\nTable {}: the rows that the thesis prints, the best of each kind here, run for {steps} steps ({size}):\n",
        preset.table
    );
    let chosen: Vec<_> = picked(rows).into_iter().map(|index| rows[index].clone()).collect();
    text.push_str(&table::render(columns(*steps, thesis.steps), &chosen, false));
    let _ = writeln!(text, "\n{}\n{}", verdict(rows), preset.note);
    text
}

/// Formats a line per variant, a column per block.
fn by_block(replay: &Replay) -> String {
    let blocks = replay.blocks.iter().map(|block| {
        let block = block.to_string();
        Column::number(block.clone(), move |rows: &&[Row<StencilWork>]| {
            rows.iter().find(|row| row.what.block == block).map_or_else(String::new, speed)
        })
    });
    let variant = Column::words("variant", |rows: &&[Row<StencilWork>]| rows[0].what.variant.clone());
    let rows: Vec<_> = replay.rows.chunk_by(|a, b| a.what.variant == b.what.variant).collect();
    table::render([variant].into_iter().chain(blocks).collect(), &rows, false)
}

fn speed(row: &Row<StencilWork>) -> String {
    match row.status {
        Status::Pass => table::optional(row.figures.gcells_per_s),
        Status::Fail => "FAIL".to_owned(),
        Status::Skipped => "-".to_owned(),
    }
}

fn remarks(rows: &[Row<StencilWork>]) -> String {
    let reasons = rows.iter().filter_map(|row| Some((row.reason.as_deref()?, row)));
    let lines = grouped(reasons).into_iter().map(|(reason, rows)| {
        let who = match rows.len() {
            1 => format!("{} {}", rows[0].what.variant, rows[0].what.block),
            count => format!("{} in {count} variants", rows[0].what.block),
        };
        format!("  {who}: {} ({reason})\n", table::status(rows[0]))
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

type Shown = Column<Row<StencilWork>>;

fn columns(steps: u32, published_steps: u32) -> Vec<Shown> {
    let whole = |row: &Row<StencilWork>| {
        row.figures.wall_ms_median.map(|ms| format!("{} s", table::digits(ms / 1e3)))
    };
    vec![
        Shown::words("row", |row| row.what.row.clone().unwrap_or_default()),
        Shown::words("variant", |row| row.what.variant.clone()),
        Shown::number("block", |row| row.what.block.clone()),
        Shown::number("steps a sweep", |row| table::whole(row.figures.steps_per_pass)),
        Shown::number("time a step", |row| table::time(row.times.median)),
        Shown::number("spread", |row| table::percent(row.times.spread_percent)),
        Shown::number("GCell/s", |row| table::optional(row.figures.gcells_per_s)),
        Shown::number("GB/s", |row| table::optional(row.figures.gb_per_s)),
        Shown::number("% copy", |row| table::tenths(row.figures.percent_of_copy_peak)),
        Shown::number("GFLOP/s", |row| table::optional(row.figures.gflop_per_s)),
        Shown::number("published GFLOP/s", |row| {
            row.figures.published_gflop_s.map(|x| format!("{x:.2}")).unwrap_or_default()
        }),
        Shown::number(format!("{steps} steps"), move |row| whole(row).unwrap_or_default()),
        Shown::number(format!("published ({published_steps} steps)"), |row| {
            row.figures.published_s.map(|x| format!("{x:.2} s")).unwrap_or_default()
        }),
        Shown::words("result", table::status),
    ]
}

/// Returns the best overlapped variant's speed relative to the best direct one's, which is the thesis's claim.
fn verdict(rows: &[Row<StencilWork>]) -> String {
    let best = |start: &str| {
        let kind =
            rows.iter().filter(|row| row.what.variant.starts_with(start) && row.status == Status::Pass);
        kind.filter_map(|row| row.figures.gcells_per_s).max_by(f64::total_cmp)
    };
    match best("dir-").zip(best("sol-")) {
        Some((direct, overlapped)) => format!(
            "The best overlapped variant (SOL) is {} times as fast as the best direct one (DIR).",
            table::digits(overlapped / direct)
        ),
        None => String::new(),
    }
}
