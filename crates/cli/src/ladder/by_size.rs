//! Rows by length: two tables, and the size where the GPU overtakes the CPU.

use halofold::Element;
use halofold::reduce::Op;
use halofold_measure::cpu;

use crate::lists::grouped;
use crate::row::{Row, Status};
use crate::table;

/// The rows of several lengths.
pub struct BySize<'a> {
    pub adapter: String,
    pub clock: &'static str,
    pub operator: Op,
    pub element: Element,
    pub sizes: &'a [u64],
    /// The rows' names at every size: the CPU's, then the rungs'.
    pub series: Vec<String>,
    /// One row for every size and series, size by size; fewer after an interrupt.
    pub rows: &'a [Row],
}

impl BySize<'_> {
    /// The rows of one size, in the order of the series.
    fn at_sizes(&self) -> impl Iterator<Item = &[Row]> {
        self.rows.chunks(self.series.len())
    }

    /// The rows of one series, by size.
    fn of_series(&self, series: usize) -> impl Iterator<Item = &Row> {
        self.rows.iter().skip(series).step_by(self.series.len())
    }
}

/// The time until the value is on the host.
fn end_to_end(row: &Row) -> Option<f64> {
    row.figures.wall_ms_median.filter(|_| row.status == Status::Pass)
}

/// The whole text.
pub fn report(rows: &BySize<'_>) -> String {
    format!(
        "{}\n{} of {}, {} to {} elements, generated data; the CPU on 1 and on {} threads\n\n\
         Time of the reduction itself (rungs: {})\n\n{}\n\
         End to end: from submission to the value on the host (the input is already in GPU memory)\n\n{}\n{}{}",
        rows.adapter,
        rows.operator,
        rows.element,
        table::power(rows.sizes[0]),
        table::power(rows.sizes[rows.sizes.len() - 1]),
        cpu::threads(),
        rows.clock,
        times(rows, Row::time),
        times(rows, end_to_end),
        crossover(rows),
        remarks(rows),
    )
}

/// A line for every size, a column for every series.
fn times(by_size: &BySize<'_>, time: impl Fn(&Row) -> Option<f64>) -> String {
    let mut table = table::plain();
    table.set_header(std::iter::once("n").chain(by_size.series.iter().map(String::as_str)));
    for (&n, rows) in by_size.sizes.iter().zip(by_size.at_sizes()) {
        let cell = |row: &Row| time(row).map_or_else(|| table::status(row), |ms| table::time(Some(ms)));
        table.add_row(std::iter::once(table::power(n)).chain(rows.iter().map(cell)));
    }
    table::align_right(&mut table, ..);
    table.trim_fmt() + "\n"
}

/// The smallest size at which some rung brings the value to the host before one CPU thread has it, in a sentence.
fn crossover(by_size: &BySize<'_>) -> String {
    let beaten: Vec<_> =
        by_size.sizes.iter().copied().zip(by_size.at_sizes().map(beats_one_thread)).collect();
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

/// Skipped and wrong rows: a line for every series and reason, with its sizes.
fn remarks(by_size: &BySize<'_>) -> String {
    let mut text = String::new();
    for series in 0..by_size.series.len() {
        let remarked = by_size.of_series(series).filter_map(|row| Some((row, row.reason.as_deref()?)));
        let by_reason =
            remarked.map(|(row, reason)| ((table::status(row), reason), table::power(row.what.n)));
        for ((status, reason), sizes) in grouped(by_reason) {
            let at =
                if sizes.len() == by_size.sizes.len() { "every size".to_owned() } else { sizes.join(", ") };
            text.push_str(&format!("  {} at {at}: {status} ({reason})\n", by_size.series[series]));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
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
