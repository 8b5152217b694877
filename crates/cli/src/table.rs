//! Rows as a table of text.

use std::borrow::Cow;
use std::io::IsTerminal as _;

use crate::lists::each_once;
use crate::row::{Row, Status, What};

const GAP: usize = 2;

/// A column: its heading, and the function that gives a row's cell.
pub struct Column<T> {
    heading: Cow<'static, str>,
    is_left: bool,
    /// The least width, of cells that are not known before the table begins; 0 of others.
    width: usize,
    show: Box<dyn Fn(&T) -> String>,
}

impl<T> Column<T> {
    pub fn number(heading: impl Into<Cow<'static, str>>, show: impl Fn(&T) -> String + 'static) -> Self {
        Column { heading: heading.into(), is_left: false, width: 0, show: Box::new(show) }
    }

    pub fn words(heading: impl Into<Cow<'static, str>>, show: impl Fn(&T) -> String + 'static) -> Self {
        Column { is_left: true, ..Column::number(heading, show) }
    }

    /// Keeps room for cells of this width, and keeps the column if all rows that are known have none.
    pub fn with_width(self, width: usize) -> Self {
        Column { width, ..self }
    }
}

/// Columns that a narrow terminal omits, first to last.
#[rustfmt::skip]
const MINOR: [&str; 21] = [
    "dispatches", "workgroup", "workgroup size", "preset", "points", "op", "type", "boundary", "n", "document", "published end to end", "published vs CPU",
    "total", "finish", "published GB/s", "end to end", "vs CPU", "step", "spread", "time A", "time B",
];

struct Shown<T> {
    column: Column<T>,
    width: usize,
    /// The text that all rows have in it, if it is the same.
    constant: Option<String>,
}

/// The columns of a table that are shown, and a note about the others.
pub struct Layout<T> {
    columns: Vec<Shown<T>>,
    most: usize,
    note: String,
}

impl<T> Layout<T> {
    /// Lays out columns for some rows, without those that are empty throughout. On a terminal, minor columns are left out until the table is no
    /// wider, unless `is_wide` is set.
    pub fn new(columns: Vec<Column<T>>, rows: &[T], is_wide: bool) -> Self {
        Self::within(columns, rows, terminal_width().filter(|_| !is_wide).unwrap_or(usize::MAX))
    }

    /// Leaves columns out until a table is no wider than `most`: first those that say the same of every row, then the minor ones.
    fn within(columns: Vec<Column<T>>, rows: &[T], most: usize) -> Self {
        let shown = |column: Column<T>| {
            let cells: Vec<_> = rows.iter().map(|row| (column.show)(row)).collect();
            let widest = cells.iter().map(|cell| letters(cell)).max().unwrap_or(0).max(column.width);
            let is_constant =
                cells.len() > 1 && column.width == 0 && cells.iter().all(|cell| *cell == cells[0]);
            let constant = is_constant.then(|| cells[0].clone());
            let width = widest.max(letters(&column.heading));
            (widest > 0).then_some(Shown { column, width, constant })
        };
        let mut columns: Vec<_> = columns.into_iter().filter_map(shown).collect();
        let (mut same, mut hidden) = (Vec::new(), Vec::new());
        for (is_constant, heading) in
            [true, false].into_iter().flat_map(|same| MINOR.map(|name| (same, name)))
        {
            let is_it = |shown: &Shown<T>| {
                shown.column.heading == heading && (shown.constant.is_some() || !is_constant)
            };
            let Some(at) = columns.iter().position(is_it) else { continue };
            if width_of(&columns.iter().collect::<Vec<_>>()) > most {
                match columns.remove(at).constant {
                    Some(value) => same.push(format!("{heading} {value}")),
                    None => hidden.push(heading),
                }
            }
        }
        let mut note = String::new();
        if !same.is_empty() {
            note += &format!("\nall rows: {}\n", same.join(", "));
        }
        if !hidden.is_empty() {
            note += &format!("\nnot shown: {} (a wider terminal shows all)\n", hidden.join(", "));
        }
        Layout { columns, most, note }
    }

    /// The line of headings; empty if there are none.
    pub fn head(&self) -> String {
        line(&self.all(), |column| column.heading.to_string())
    }

    pub fn line(&self, row: &T) -> String {
        line(&self.all(), |column| (column.show)(row))
    }

    pub fn note(&self) -> &str {
        &self.note
    }

    fn all(&self) -> Vec<&Shown<T>> {
        self.columns.iter().collect()
    }

    /// The columns in groups that are no wider than the terminal, each after the first column.
    fn groups(&self) -> Vec<Vec<&Shown<T>>> {
        let mut groups: Vec<Vec<_>> = vec![Vec::new()];
        for column in &self.columns {
            let group = groups.last().expect("there is one");
            if group.len() > 1 && width_of(group) + GAP + column.width > self.most {
                groups.push(vec![&self.columns[0]]);
            }
            groups.last_mut().expect("there is one").push(column);
        }
        groups
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

fn width_of<T>(columns: &[&Shown<T>]) -> usize {
    columns.iter().map(|shown| shown.width + GAP).sum::<usize>().saturating_sub(GAP)
}

fn line<T>(columns: &[&Shown<T>], cell: impl Fn(&Column<T>) -> String) -> String {
    let cells = columns.iter().map(|Shown { column, width, .. }| {
        let text = cell(column);
        let space = " ".repeat(width.saturating_sub(letters(&text)));
        let text = painted(text);
        if column.is_left { text + &space } else { space + &text }
    });
    let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
    if line.trim().is_empty() { String::new() } else { line.trim_end().to_owned() + "\n" }
}

/// The table of some rows: several below each other, if one would be wider than the terminal.
pub fn render<T>(columns: Vec<Column<T>>, rows: &[T], is_wide: bool) -> String {
    let layout = Layout::new(columns, rows, is_wide);
    let groups = layout.groups().into_iter().map(|group| {
        let head = line(&group, |column| column.heading.to_string());
        head + &rows.iter().map(|row| line(&group, |column| (column.show)(row))).collect::<String>()
    });
    groups.collect::<Vec<_>>().join("\n") + &fitted(&layout.note, is_wide)
}

fn terminal_width() -> Option<usize> {
    std::io::stdout().is_terminal().then(textwrap::termwidth)
}

/// Wraps prose to the terminal's width between words, unless `is_wide` is set.
pub fn fitted(text: &str, is_wide: bool) -> String {
    let width = terminal_width().filter(|_| !is_wide);
    width.map_or_else(|| text.to_owned(), |width| wrapped(text, width))
}

fn wrapped(text: &str, width: usize) -> String {
    let line = |line: &str| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let options = textwrap::Options::new(width).break_words(false).subsequent_indent(indent);
        textwrap::fill(line, options.word_splitter(textwrap::WordSplitter::NoHyphenation)) + "\n"
    };
    text.lines().map(line).collect()
}

/// A cell in its colour, on a terminal with colours: green for right, red for wrong.
fn painted(text: String) -> String {
    let colour = match text.split([' ', '(']).next() {
        Some("PASS" | "faster") => 32,
        Some("FAIL" | "slower" | "wrong") => 31,
        Some("skipped") => 33,
        _ => return text,
    };
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if is_plain || terminal_width().is_none() { text } else { format!("\x1b[{colour}m{text}\x1b[0m") }
}

pub fn optional(x: Option<f64>) -> String {
    x.map(digits).unwrap_or_default()
}

pub fn tenths(x: Option<f64>) -> String {
    x.map(|x| format!("{x:.1}")).unwrap_or_default()
}

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

pub fn status<W: What>(row: &Row<W>) -> String {
    match row.status {
        Status::Pass => "PASS",
        Status::Fail => "FAIL",
        Status::Skipped => "skipped",
    }
    .to_owned()
}

pub fn time_or_status<W: What>(row: &Row<W>) -> String {
    row.time().map_or_else(|| status(row), |ms| time(Some(ms)))
}

/// The reasons of skipped and wrong rows, and changes that let others run, each once.
pub fn remarks(rows: &[Row]) -> String {
    let remark = |row: &Row| {
        let name = row.what.row.iter().chain([&row.what.rung]).cloned().collect::<Vec<_>>().join(" ");
        Some(format!("  {name}: {} ({})\n", status(row), row.reason.as_ref()?))
    };
    let text = each_once(rows.iter().filter_map(remark)).concat();
    if text.is_empty() { text } else { format!("\n{text}") }
}

pub fn power(n: u64) -> String {
    if n.is_power_of_two() && n > 512 { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// The same with a raised exponent, for pages: 2²⁴.
pub fn raised(n: u64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let power = power(n);
    let Some(exponent) = power.strip_prefix("2^") else { return power };
    exponent.bytes().fold("2".to_owned(), |text, digit| text + &DIGITS[usize::from(digit - b'0')].to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_a_terminal() {
        let rows = [
            ["interleaved-modulo-pair", "csc367 6; tga 06", "last-workgroup", "2^24", "110.8 µs", "PASS"],
            ["tile", "opencl 2", "repeat", "2^24", "86.06 µs", "PASS"],
        ];
        let within = |width| {
            let headings = ["rung", "document", "finish", "n", "time", "result"].into_iter().enumerate();
            let column = |(at, heading): (usize, &'static str)| {
                Column::words(heading, move |row: &[&'static str; 6]| row[at].to_owned())
            };
            let layout = Layout::within(headings.map(column).collect(), &rows, width);
            let groups = layout.groups();
            assert!(groups.iter().all(|group| width_of(group) <= width), "{width}");
            let headings = layout.columns.iter().map(|shown| shown.column.heading.to_string());
            (headings.collect::<Vec<_>>().join(" "), layout.note.clone(), groups.len())
        };
        let all = "rung document finish n time result".to_owned();
        assert_eq!(within(200), (all, String::new(), 1));
        let same = "\nall rows: n 2^24\n".to_owned();
        assert_eq!(within(78), ("rung document finish time result".to_owned(), same, 1));
        assert_eq!(within(60).0, "rung finish time result");
        assert!(within(60).1.contains("not shown: document (a wider terminal shows all)"));
        assert_eq!((within(35).0.as_str(), within(35).2), ("rung time result", 2));
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
        assert_eq!(power(1 << 24), "2^24");
        assert_eq!([raised(1 << 24), raised(1000)], ["2²⁴", "1000"]);
    }
}
