//! A progress bar on standard error, if that is a terminal.

use std::fmt::Write;
use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::row::Row;
use crate::table;

/// A bar of `steps` steps; it draws nothing where standard error is no terminal.
pub fn bar(steps: u64) -> ProgressBar {
    drawn(steps, "{bar:30} {pos}/{len} {msg}, {eta} left")
}

/// The same of bytes, with the speed at which they pass.
pub fn bytes(all: u64) -> ProgressBar {
    drawn(all, "{bar:30} {decimal_bytes}/{decimal_total_bytes} {msg}, {decimal_bytes_per_sec}, {eta} left")
}

/// The same of cells to update, with the speed of that.
pub fn cells(all: u64) -> ProgressBar {
    drawn(all, "{bar:30} {percent}% {msg}, {cells_per_sec}, {eta} left")
}

fn drawn(len: u64, template: &str) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(len), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("cells_per_sec", cells_per_sec));
    }
    bar
}

fn cells_per_sec(state: &ProgressState, text: &mut dyn Write) {
    // Text that cannot be written is not shown.
    let _ = write!(text, "{} GCell/s", table::digits(state.per_sec() / 1e9));
}

/// What is being measured, and how fast the row before was.
pub fn measuring(name: &str, rows: &[Row]) -> String {
    match rows.last().and_then(|row| row.figures.gb_per_s) {
        Some(gb_per_s) => format!("{name} (the last row: {} GB/s)", table::digits(gb_per_s)),
        None => name.to_owned(),
    }
}
