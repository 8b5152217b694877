//! A progress bar on standard error, if that is a terminal.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::table::digits;
use crate::transport::Transport;

/// A bar of `steps` steps, with as much of its message behind it as the line has room for; it draws nothing where standard error is no terminal.
pub fn bar(steps: u64) -> ProgressBar {
    drawn(steps, "{bar:20} {pos}/{len}, {eta} left: {wide_msg}")
}

/// The same for steps that several processes make together: the first one draws it.
pub fn bar_of(processes: &impl Transport, steps: u64) -> ProgressBar {
    if processes.is_first() { bar(steps) } else { ProgressBar::hidden() }
}

/// The same of bytes, with the speed at which they pass.
pub fn bytes(all: u64) -> ProgressBar {
    drawn(
        all,
        "{bar:20} {decimal_bytes}/{decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left: {wide_msg}",
    )
}

fn drawn(len: u64, template: &str) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(len), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// The name of the row that is being measured, and the speed of the row before.
pub fn measuring(name: &str, last_gb_per_s: Option<f64>) -> String {
    match last_gb_per_s {
        Some(gb_per_s) => format!("{name} (the last row: {} GB/s)", digits(gb_per_s)),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal of 80 columns that keeps its text.
    #[derive(Clone, Debug, Default)]
    struct Narrow(Arc<Mutex<String>>);

    impl TermLike for Narrow {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(&(text.to_owned() + "\n"));
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_progress_bar_fits_a_line() {
        for bar in [bar(22), bytes(123_456_789)] {
            let terminal = Narrow::default();
            bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
            bar.set_message(
                "interleaved-modulo-pair (the last row: 0.0155 GB/s) of a/long/path/of/a/file.npy",
            );
            bar.inc(7);
            bar.force_draw();
            let text = terminal.0.lock().unwrap();
            assert!(
                text.contains("left: inter") && text.lines().all(|line| line.chars().count() <= 80),
                "{text}"
            );
        }
    }
}
