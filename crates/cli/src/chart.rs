//! Horizontal bars as an SVG picture: names on the left, numbers on the right, readable on a phone.

use maud::{Markup, html};

/// Width of the picture: letters of 12 pixels become 10 on a page 400 wide.
const WIDTH: f64 = 440.0;

/// Left and right end of the bars. Names end before the left one.
const BARS: (f64, f64) = (162.0, 432.0);

/// Top of the first bar, below the title and the ceiling's label, and the distance between bars.
const ROWS: (f64, f64) = (52.0, 16.0);

/// Letters per line of the title, and the distance between lines.
const TITLE: (usize, f64) = (56, 18.0);

const THICK: f64 = 12.0;

/// Longer bars have their text inside.
const INSIDE: f64 = 140.0;

/// Shapes and letters, independent of the colours.
const STYLE: &str = r#"text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
.title { font-size: 14px; font-weight: 600; }
.value, .inside { font-variant-numeric: tabular-nums; }
line.ceiling { stroke-width: 1.5; stroke-dasharray: 4 3; }
.inside { font-size: 11px; }
"#;

/// Colours on white. Literal values, because not every SVG renderer supports variables.
const LIGHT: &str = ".paper{fill:#fff}text{fill:#1d2126}.value{fill:#5d6670}.inside{fill:#fff}.bar{fill:#2f6fb5}\
    text.ceiling{fill:#b3261e}line.ceiling{stroke:#b3261e}";

/// Colours on dark pages.
const DARK: &str = ".paper{fill:#0d1117}text{fill:#e6e9ec}.value{fill:#9aa4ae}.inside{fill:#0d1117}.bar{fill:#6aa9ee}\
    text.ceiling{fill:#ff8a80}line.ceiling{stroke:#ff8a80}";

pub struct Bar {
    pub label: String,
    pub value: Option<f64>,
    pub text: String,
}

/// A chart of bars with a ceiling, the line that they are compared with.
pub struct Bars {
    pub title: String,
    pub ceiling: Option<(f64, String)>,
    pub bars: Vec<Bar>,
}

impl Bars {
    pub fn picture(&self, dark: bool) -> String {
        let (left, right) = BARS;
        let longest = self.bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
        let ceiling = self.ceiling.as_ref().map_or(0.0, |(value, _)| *value);
        let scale = (right - left) / longest.max(ceiling).max(f64::MIN_POSITIVE);
        let title = textwrap::wrap(&self.title, TITLE.0);
        let top = ROWS.0 + TITLE.1 * (title.len().max(1) - 1) as f64;
        let height = top + ROWS.1 * self.bars.len() as f64 + 6.0;
        let rows = (0..).map(|row| top + ROWS.1 * f64::from(row)).zip(&self.bars);
        let markup = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(height)
                viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(self.title) {
                style { (STYLE) (if dark { DARK } else { LIGHT }) }
                rect class="paper" width=(WIDTH) height=(height) {}
                @for (number, line) in title.iter().enumerate() {
                    text class="title" x="4" y=(16.0 + TITLE.1 * number as f64) { (line) }
                }
                @for (y, bar) in rows { (bar.row(y, scale)) }
                @if let Some((value, label)) = &self.ceiling { (across(left + value * scale, (top, height), label)) }
            }
        };
        markup.into_string() + "\n"
    }
}

impl Bar {
    /// Draws a row of the picture. A row without a measurement has no bar.
    fn row(&self, y: f64, scale: f64) -> Markup {
        let (left, _) = BARS;
        let length = self.value.unwrap_or(0.0) * scale;
        let text = px(y + THICK - 2.0);
        // After a short bar, inside a long one: text never crosses the ceiling.
        let inside = length > INSIDE;
        let (class, anchor, end) = if inside { ("inside", "end", -5.0) } else { ("value", "start", 6.0) };
        html! {
            text x=(left - 8.0) y=(text) text-anchor="end" { (self.label) }
            rect class="bar" x=(left) y=(px(y)) width=(px(length)) height=(THICK) {}
            text class=(class) x=(px(left + length + end)) y=(text) text-anchor=(anchor) { (self.text) }
        }
    }
}

/// Draws the ceiling, from its label down.
fn across(x: f64, (top, height): (f64, f64), label: &str) -> Markup {
    html! {
        line class="ceiling" x1=(px(x)) x2=(px(x)) y1=(top - 6.0) y2=(height - 4.0) {}
        text class="ceiling" x=(px(x)) y=(top - 11.0) text-anchor="end" { (label) }
    }
}

fn px(place: f64) -> String {
    format!("{place:.1}")
}
