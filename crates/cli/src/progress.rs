//! A progress bar on standard error, if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::transport::Transport;

/// Makes a bar of `steps` steps with a message cut to the line. Draws nothing if standard error is not a terminal.
pub fn bar(steps: u64) -> ProgressBar {
    drawn(steps, "{bar:20} {pos}/{len}, {eta} left: {wide_msg}")
}

/// The same for steps that several processes make together: the first process draws it.
pub fn bar_of(processes: &impl Transport, steps: u64) -> ProgressBar {
    if processes.is_first() { bar(steps) } else { ProgressBar::hidden() }
}

/// The same for bytes, with their rate.
pub fn bytes(all: u64) -> ProgressBar {
    drawn(
        all,
        "{bar:20} {decimal_bytes}/{decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left: {wide_msg}",
    )
}

fn drawn(len: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(len);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
