//! Draws a histogram in a terminal: a bar per bin, or per group of neighbouring bins.

use super::count::Counted;

use super::{number, summary};
use crate::output::visible;
use crate::table::{self, Column};

const MOST_LINES: usize = 32;

const WIDTH: u64 = 50;

const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Formats the title, and a line per group of bins: lower edge, count, bar.
pub fn text(counted: &Counted) -> String {
    let each = counted.bins.div_ceil(MOST_LINES);
    let totals: Vec<u64> = counted.counts.chunks(each).map(|group| group.iter().sum()).collect();
    let most = totals.iter().copied().max().unwrap_or(0).max(1);
    let dtype = counted.dtype;
    let columns = vec![
        Column::number("", move |(edge, _): &(&f64, &u64)| number(**edge, dtype)),
        Column::number("", |(_, total): &(&f64, &u64)| total.to_string()),
        Column::words("", move |(_, total): &(&f64, &u64)| bar(**total, most)),
    ];
    let rows: Vec<_> = counted.edges.iter().step_by(each).zip(&totals).collect();
    let lines = if each > 1 { format!("; {each} bins a line") } else { String::new() };
    let bars = table::render(columns, &rows, true);
    format!("{}: {}{lines}\n{bars}", visible(&counted.file, &[]), summary(counted))
}

/// Draws a bar in eighths of a letter. A count above 0 is always visible.
fn bar(total: u64, most: u64) -> String {
    let eighths = (u128::from(total) * u128::from(8 * WIDTH)).div_ceil(most.into()) as usize;
    let end = eighths % 8;
    let full = std::iter::repeat_n(EIGHTHS[7], eighths / 8);
    full.chain((end > 0).then(|| EIGHTHS[end - 1])).collect()
}
