//! Rows of the ladder that are shown as they are done.

use std::sync::atomic::{AtomicBool, Ordering};

use halofold_measure::significant;
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::output::print;
use crate::progress;
use crate::reserved;
use crate::row::{self, Row, compare_steps};
use crate::rung::RunContext;
use crate::table::{Layout, digits};

/// The rows that are done. `show` gives the text that follows the last of them.
pub struct Measured<S> {
    rows: Vec<Row>,
    bar: ProgressBar,
    interrupt: &'static AtomicBool,
    compares: bool,
    show: Option<S>,
}

impl<S: FnMut(&[Row]) -> String> Measured<S> {
    /// Begins `count` rows, and prints the lines above them; without a `head` no row is shown. `compares` fills in speed-ups.
    pub fn begin(count: usize, compares: bool, head: Option<&str>, show: S) -> Result<Self, Failure> {
        head.map_or(Ok(()), print)?;
        let (bar, interrupt) = (progress::bar(count as u64), reserved::leave_interrupts_to_work());
        Ok(Measured { rows: Vec::new(), bar, interrupt, compares, show: head.map(|_| show) })
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Names the row that is measured now, beside the speed of the last one.
    pub fn announce(&self, name: &str) {
        let last = self.rows.last().and_then(|row| row.figures.gb_per_s);
        let last = last.map(|speed| format!(" (the last row: {} GB/s)", digits(speed)));
        self.bar.set_message(name.to_owned() + &last.unwrap_or_default());
    }

    pub fn push(&mut self, row: Row) -> Result<(), Failure> {
        self.bar.inc(u64::from(!row.is_cpu()));
        self.rows.push(row);
        if self.compares {
            compare_steps(&mut self.rows);
        }
        match &mut self.show {
            Some(show) => self.bar.suspend(|| print(&show(&self.rows))),
            None => Ok(()),
        }
    }

    /// The rows, all in percent of the best peak.
    pub fn finish(mut self, context: &RunContext<'_>) -> Vec<Row> {
        self.bar.finish_and_clear();
        let peak = context.peak().read_gb_per_s;
        for row in self.rows.iter_mut().filter(|row| !row.is_cpu()) {
            let percent = |speed| significant(100.0 * speed / peak);
            row.figures.percent_of_read_peak = row.figures.gb_per_s.map(percent);
        }
        self.rows
    }
}

/// Shows a line of a table for each row, with the chapter above the first row of each.
pub fn live(layout: &Layout<Row>, has_chapters: bool) -> impl FnMut(&[Row]) -> String {
    let mut last = "";
    move |rows| {
        let Some(row) = rows.last() else { return String::new() };
        let chapter = row::rung(row).map_or("", |rung| rung.chapter);
        let title = if has_chapters && chapter != last { format!("— {chapter}\n") } else { String::new() };
        last = chapter;
        title + &layout.line(row)
    }
}
