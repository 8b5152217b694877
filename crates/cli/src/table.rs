//! Rows as a table of text.

use std::borrow::Cow;
use std::ops::RangeBounds;

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, presets};

use crate::row::{Row, Status, What};

/// A column: its heading, and the function that gives a row's cell.
pub struct Column<T> {
    heading: Cow<'static, str>,
    left: bool,
    show: Box<dyn Fn(&T) -> String>,
}

impl<T> Column<T> {
    pub fn number(heading: impl Into<Cow<'static, str>>, show: impl Fn(&T) -> String + 'static) -> Self {
        Column { heading: heading.into(), left: false, show: Box::new(show) }
    }

    pub fn words(heading: impl Into<Cow<'static, str>>, show: impl Fn(&T) -> String + 'static) -> Self {
        Column { heading: heading.into(), left: true, show: Box::new(show) }
    }
}

/// Columns that a narrow terminal omits, first to last.
#[rustfmt::skip]
const MINOR: [&str; 15] = [
    "dispatches", "workgroup", "type", "document", "published end to end", "published vs CPU",
    "total", "finish", "published GB/s", "end to end", "vs CPU",
    "step", "spread", "clock", "n",
];

/// A column with the cells of all rows.
struct Shown<'a> {
    heading: &'a str,
    left: bool,
    cells: Vec<String>,
}

impl Shown<'_> {
    /// Its width, with the space on both sides.
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(String::as_str);
        cells.chain([self.heading]).map(|text| text.chars().count() + 2).max().unwrap_or(0)
    }

    /// The text that all rows have in it, if it is the same.
    fn constant(&self) -> Option<&str> {
        let (first, others) = self.cells.split_first()?;
        (!others.is_empty() && others.iter().all(|cell| cell == first)).then_some(first)
    }
}

/// The table of some rows, without the columns that are empty throughout. On a terminal it fits the width, unless `wide` is set.
/// If rows are of several chapters, a line stands above the first row of each.
pub fn render<T>(
    columns: &[Column<T>],
    rows: &[T],
    wide: bool,
    chapter: impl Fn(&T) -> &'static str,
) -> String {
    let show = |column: &Column<T>| rows.iter().map(|row| (column.show)(row)).collect();
    let mut shown: Vec<_> = columns
        .iter()
        .map(|column| Shown { heading: &column.heading, left: column.left, cells: show(column) })
        .filter(|column| column.cells.iter().any(|cell| !cell.is_empty()))
        .collect();
    let mut table = plain();
    // None where standard output is no terminal.
    let width = table.width().filter(|_| !wide);
    let notes = width.map_or_else(String::new, |width| fit(&mut shown, width.into()));
    table.set_header(shown.iter().map(|column| column.heading));
    let has_chapters = rows.iter().any(|row| chapter(row) != chapter(&rows[0]));
    let mut last = "";
    for (index, row) in rows.iter().enumerate() {
        if has_chapters && chapter(row) != last {
            last = chapter(row);
            table.add_row([format!("— {last}")]);
        }
        table.add_row(shown.iter().map(|column| painted(&column.cells[index])));
    }
    for (column, _) in table.column_iter_mut().zip(&shown).filter(|(_, shown)| !shown.left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt() + "\n" + &fitted(&notes, wide)
}

/// Wraps prose to the terminal's width between words, unless `wide` is set.
pub fn fitted(text: &str, wide: bool) -> String {
    let width = plain().width().filter(|_| !wide);
    width.map_or_else(|| text.to_owned(), |width| wrapped(text, width.into()))
}

fn wrapped(text: &str, width: usize) -> String {
    let line = |line: &str| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let options = textwrap::Options::new(width).break_words(false).subsequent_indent(indent);
        textwrap::fill(line, options.word_splitter(textwrap::WordSplitter::NoHyphenation)) + "\n"
    };
    text.lines().map(line).collect()
}

/// Takes columns out until a table is no wider than a terminal: first those that say the same of every row, then
/// the minor ones. Returns a note that names them.
fn fit(columns: &mut Vec<Shown<'_>>, width: usize) -> String {
    let too_wide = |columns: &[Shown<'_>]| columns.iter().map(Shown::width).sum::<usize>() > width;
    let (mut same, mut hidden) = (Vec::new(), Vec::new());
    for heading in MINOR {
        let Some(at) = columns.iter().position(|column| column.heading == heading) else { continue };
        if too_wide(columns)
            && let Some(value) = columns[at].constant()
        {
            same.push(format!("{heading} {value}"));
            columns.remove(at);
        }
    }
    for heading in MINOR {
        let Some(at) = columns.iter().position(|column| column.heading == heading) else { continue };
        if too_wide(columns) {
            hidden.push(heading);
            columns.remove(at);
        }
    }
    let mut text = String::new();
    if !same.is_empty() {
        text += &format!("\nall rows: {}\n", same.join(", "));
    }
    if !hidden.is_empty() {
        text += &format!("\nnot shown: {} (--wide shows all)\n", hidden.join(", "));
    }
    text
}

/// A cell with its colour, if the terminal has colours: green for right, red for wrong.
pub fn painted(text: &str) -> Cell {
    let colour = match text.split([' ', '(']).next() {
        Some("PASS" | "faster") => Color::Green,
        Some("FAIL" | "slower" | "wrong") => Color::Red,
        Some("skipped") => Color::Yellow,
        _ => return Cell::new(text),
    };
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain { Cell::new(text) } else { Cell::new(text).fg(colour) }
}

/// An optional number to four digits.
pub fn optional(x: Option<f64>) -> String {
    x.map(digits).unwrap_or_default()
}

/// An optional number to a tenth.
pub fn tenths(x: Option<f64>) -> String {
    x.map(|x| format!("{x:.1}")).unwrap_or_default()
}

/// An optional number as it is.
pub fn whole(x: Option<impl ToString>) -> String {
    x.map(|x| x.to_string()).unwrap_or_default()
}

/// A percentage: 0.3 %, 12 %.
pub fn percent(x: Option<f64>) -> String {
    x.map(|x| if x < 9.95 { format!("{x:.1} %") } else { format!("{x:.0} %") }).unwrap_or_default()
}

/// A speed-up: 1.98x, 0.0123x or 0.0000123x.
pub fn times(x: Option<f64>) -> String {
    x.map(|x| if x < 0.1 { format!("{}x", digits(x)) } else { format!("{x:.2}x") }).unwrap_or_default()
}

/// The clock of a row's time, if it is not the GPU's.
pub fn clock(row: &Row) -> String {
    let wall = row.times.timing.as_deref() == Some("wall") && !row.is_cpu();
    if wall { "wall".to_owned() } else { String::new() }
}

pub fn status<W: What>(row: &Row<W>) -> String {
    match row.status {
        Status::Pass => "PASS",
        Status::Fail => "FAIL",
        Status::Skipped => "skipped",
    }
    .to_owned()
}

/// A row's time, or the status that it has instead.
pub fn time_or_status<W: What>(row: &Row<W>) -> String {
    row.time().map_or_else(|| status(row), |ms| time(Some(ms)))
}

/// Remarks about rows: the reasons of skipped and wrong ones, and changes that let others run.
pub fn remarks(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        if let Some(reason) = &row.reason {
            let name =
                row.what.row.as_ref().map_or(row.what.rung.clone(), |own| format!("{own} {}", row.what.rung));
            text.push_str(&format!("  {name}: {} ({reason})\n", status(row)));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// A count, as a power of two where it is one.
pub fn power(n: u64) -> String {
    if n.is_power_of_two() && n > 512 { format!("2^{}", n.ilog2()) } else { count(n) }
}

/// The same with a raised exponent, for pages: 2²⁴.
pub fn raised(n: u64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let power = power(n);
    let Some(exponent) = power.strip_prefix("2^") else { return power };
    exponent.bytes().fold("2".to_owned(), |text, digit| text + &DIGITS[usize::from(digit - b'0')].to_string())
}

/// A table without lines but the one under the heading, as wide as its content.
pub fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// Aligns columns of numbers.
pub fn align_right(table: &mut Table, columns: impl RangeBounds<usize>) {
    for (index, column) in table.column_iter_mut().enumerate() {
        if columns.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_a_terminal() {
        let column =
            |heading, cells: [&str; 2]| Shown { heading, left: true, cells: cells.map(String::from).into() };
        let all = || {
            vec![
                column("rung", ["interleaved-modulo-pair", "tile"]),
                column("document", ["csc367 6; tga 06 (note)", "opencl 2"]),
                column("finish", ["last-workgroup", "repeat"]),
                column("n", ["2^24", "2^24"]),
                column("time", ["110.8 µs", "86.06 µs"]),
                column("result", ["PASS", "PASS"]),
            ]
        };
        let fitted = |width| {
            let mut columns = all();
            let notes = fit(&mut columns, width);
            assert!(columns.iter().map(Shown::width).sum::<usize>() <= width, "{width}");
            (columns.iter().map(|column| column.heading).collect::<Vec<_>>().join(" "), notes)
        };
        assert_eq!(fitted(200), ("rung document finish n time result".to_owned(), String::new()));
        let (headings, notes) = fitted(88);
        assert_eq!(headings, "rung document finish time result");
        assert_eq!(notes, "\nall rows: n 2^24\n");
        let (headings, notes) = fitted(70);
        assert_eq!(headings, "rung finish time result");
        assert!(notes.contains("not shown: document (--wide shows all)"), "{notes}");
    }

    #[test]
    fn prose_is_cut_between_words() {
        let text = "of a subgroup-butterfly (LLVM 15.0.6)\n\n  tile: skipped (no subgroups)\n";
        let cut = "of a\nsubgroup-butterfly\n(LLVM 15.0.6)\n\n  tile: skipped (no\n  subgroups)\n";
        assert_eq!((wrapped(text, 20), wrapped(text, 80)), (cut.to_owned(), text.to_owned()));
    }

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!([times(Some(0.0123)), times(Some(0.000_012_3))], ["0.0123x", "0.0000123x"]);
        assert_eq!([digits(4512.3), digits(99.996), digits(0.1234)], ["4512", "100.00", "0.123"]);
        assert_eq!([digits(0.001_234_5), digits(0.0)], ["0.00123", "0.000"]);
        assert_eq!(time(Some(0.0176)), "17.60 µs");
        assert_eq!([percent(Some(0.34)), percent(Some(9.97)), percent(None)], ["0.3 %", "10 %", ""]);
        assert_eq!(count(33_554_432), "33 554 432");
        assert_eq!(power(1 << 24), "2^24");
        assert_eq!([raised(1 << 24), raised(1000)], ["2²⁴", "1 000"]);
    }
}
