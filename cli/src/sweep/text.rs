//! A sweep as two tables and the size where the GPU overtakes the CPU.

use comfy_table::CellAlignment;

use super::{Sweep, end_to_end};
use crate::row::Row;
use crate::{cpu, table};

/// The whole text.
pub fn report(sweep: &Sweep) -> String {
    let clock = if sweep.has_gpu_clock() {
        "GPU timestamps"
    } else {
        "wall clock of batches, no GPU timestamps here"
    };
    format!(
        "{}\n{} of {}, {} to {} elements, generated data; the CPU on 1 and on {} threads\n\n\
         Time of the reduction itself (rungs: {clock})\n\n{}\n\
         End to end: from submission to the value on the host (the input is already in GPU memory)\n\n{}\n{}{}",
        sweep.adapter,
        sweep.operator,
        sweep.element,
        table::power(sweep.sizes[0]),
        table::power(sweep.sizes[sweep.sizes.len() - 1]),
        cpu::threads(),
        times(sweep, Row::time),
        times(sweep, end_to_end),
        crossover(sweep),
        remarks(sweep),
    )
}

/// A line for every size, a column for every series.
fn times(sweep: &Sweep, time: impl Fn(&Row) -> Option<f64>) -> String {
    let mut table = table::plain();
    table.set_header(std::iter::once("n").chain(sweep.series.iter().map(String::as_str)));
    for (&n, rows) in sweep.sizes.iter().zip(sweep.at_sizes()) {
        let cell = |row: &Row| time(row).map_or_else(|| table::status(row), |ms| table::time(Some(ms)));
        table.add_row(std::iter::once(table::power(n)).chain(rows.iter().map(cell)));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt() + "\n"
}

/// The smallest size at which some rung brings the value to the host before one CPU thread has it, in a sentence.
fn crossover(sweep: &Sweep) -> String {
    let beaten: Vec<_> = sweep.sizes.iter().copied().zip(sweep.at_sizes().map(beats_one_thread)).collect();
    sentence(&beaten)
}

/// The sentence, from sizes and who beats the CPU there.
fn sentence(beaten: &[(u64, Option<Win<'_>>)]) -> String {
    let first = beaten.iter().enumerate().find_map(|(at, (n, win))| Some((at, *n, win.as_ref()?)));
    let Some((at, n, Win { rung, ms, cpu_ms })) = first else {
        let last = beaten.last().map_or(0, |(n, _)| *n);
        return format!("End to end, no rung beats one CPU thread up to n = {}.\n", table::power(last));
    };
    // A single lucky size is no crossover: say so.
    let always = beaten[at..].iter().all(|(_, win)| win.is_some());
    format!(
        "End to end, the GPU first beats one CPU thread at n = {} ({rung}: {} against {}){}.\n",
        table::power(n),
        table::time(Some(*ms)),
        table::time(Some(*cpu_ms)),
        if always { "" } else { ", though not at every larger size" },
    )
}

/// A rung that is faster end to end than one CPU thread.
struct Win<'a> {
    rung: &'a str,
    ms: f64,
    cpu_ms: f64,
}

/// The fastest rung of one size, if it beats one CPU thread.
fn beats_one_thread(rows: &[Row]) -> Option<Win<'_>> {
    let cpu_ms = rows.iter().find(|row| row.what.rung == cpu::rung(false)).and_then(end_to_end)?;
    let rungs = rows.iter().filter(|row| !row.is_cpu());
    let wins = rungs.filter_map(|row| Some(Win { rung: &row.what.rung, ms: end_to_end(row)?, cpu_ms }));
    wins.min_by(|a, b| a.ms.total_cmp(&b.ms)).filter(|win| win.ms < cpu_ms)
}

/// What was skipped or wrong, and why: a line for every series and reason, with its sizes.
fn remarks(sweep: &Sweep) -> String {
    let mut text = String::new();
    for series in 0..sweep.series.len() {
        for (row, sizes) in by_reason(sweep.of_series(series)) {
            let reason = row.reason.as_deref().unwrap_or_default();
            let at =
                if sizes.len() == sweep.sizes.len() { "every size".to_owned() } else { sizes.join(", ") };
            text.push_str(&format!("  {} at {at}: {} ({reason})\n", row.what.rung, table::status(row)));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Rows with a remark, one for each status and reason, with all sizes that share it.
fn by_reason<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(&'a Row, Vec<String>)> {
    let mut groups: Vec<(&Row, Vec<String>)> = Vec::new();
    for row in rows.filter(|row| row.reason.is_some()) {
        let same = |(other, _): &&mut (&Row, _)| (other.status, &other.reason) == (row.status, &row.reason);
        match groups.iter_mut().find(same) {
            Some((_, sizes)) => sizes.push(table::power(row.what.n)),
            None => groups.push((row, vec![table::power(row.what.n)])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{Win, sentence};

    #[test]
    fn the_crossover_is_a_sentence() {
        let win = || Some(Win { rung: "single-pass", ms: 0.08, cpu_ms: 0.5 });
        let stays = sentence(&[(1 << 16, None), (1 << 20, win()), (1 << 24, win())]);
        assert!(
            stays.contains("one CPU thread at n = 2^20 (single-pass: 80.00 µs against 500.0 µs).\n"),
            "{stays}"
        );
        assert!(sentence(&[(1 << 20, win()), (1 << 24, None)]).contains("not at every larger size"));
        assert!(sentence(&[(1 << 16, None), (1 << 20, None)]).contains("up to n = 2^20"));
    }
}
