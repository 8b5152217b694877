//! Formats tables and numbers.

use comfy_table::{ContentArrangement, Table, presets};

/// A table without lines but the one under the heading, as wide as its content.
pub fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// A number to four digits, below 1 to three.
pub fn digits(x: f64) -> String {
    let places: usize = match x.abs() {
        x if x >= 1000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        x if !(1e-9..0.1).contains(&x) => 3,
        x => (2.0 - x.log10().floor()) as usize,
    };
    format!("{x:.places$}")
}

/// A time in milliseconds, to four digits, in microseconds if it is short.
pub fn time(ms: Option<f64>) -> String {
    match ms {
        None => String::new(),
        Some(ms) if ms < 1.0 => format!("{} µs", digits(ms * 1e3)),
        Some(ms) => format!("{} ms", digits(ms)),
    }
}

/// A count with thin groups: 16 777 216.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
