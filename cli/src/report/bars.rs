//! Horizontal bars, as SVG that is as wide as its place: horizontal positions are percentages, heights are pixels.

use std::fmt::Write as _;

use super::text::escape;

/// Height of one bar with the line of text above it.
const STEP: u32 = 32;

/// Where the first one starts: under the ceiling's label.
const TOP: u32 = 24;

/// Space to the right of the longest bar and of the ceiling, as a factor.
const MARGIN: f64 = 1.04;

/// One bar.
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// Its length; `None` for what was not measured.
    pub value: Option<f64>,
    /// What stands at its right end.
    pub text: String,
    /// More about it, where a pointer rests on it.
    pub hint: String,
}

/// A chart of bars, with a line that they are measured against.
pub struct Bars {
    /// What it is of, for those who do not see it.
    pub title: String,
    /// The line's value and label.
    pub ceiling: Option<(f64, String)>,
    /// What the scale reaches at least, so that several charts have the same.
    pub reach: f64,
    /// The bars from top to bottom.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// The chart.
    pub fn svg(&self) -> String {
        let longest = self.bars.iter().filter_map(|bar| bar.value).fold(self.reach, f64::max);
        let ceiling = self.ceiling.as_ref().map_or(0.0, |(value, _)| *value);
        let scale = 100.0 / (MARGIN * longest.max(ceiling).max(f64::MIN_POSITIVE));
        let height = TOP + STEP * self.bars.len() as u32;
        let mut svg = format!(
            "<svg class=\"bars\" width=\"100%\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n",
            escape(&self.title)
        );
        let ceiling = self.ceiling.as_ref().map(|(value, _)| value * scale);
        for (index, bar) in self.bars.iter().enumerate() {
            draw(&mut svg, bar, TOP + STEP * index as u32, scale, ceiling);
        }
        if let (Some(x), Some((_, label))) = (ceiling, &self.ceiling) {
            // Writing to a string cannot fail.
            let _ = writeln!(
                svg,
                "<text class=\"ceiling\" x=\"{x:.2}%\" y=\"13\" text-anchor=\"end\">{} ▾</text>",
                escape(label)
            );
        }
        svg + "</svg>\n"
    }
}

/// A bar from `y` downwards, crossed by the ceiling.
fn draw(svg: &mut String, bar: &Bar, y: u32, scale: f64, ceiling: Option<f64>) {
    let (name, top) = (y + 12, y + 17);
    let _ = write!(
        svg,
        "<g><title>{}</title><text x=\"0\" y=\"{name}\">{}</text>\
         <text class=\"value\" x=\"100%\" y=\"{name}\" text-anchor=\"end\">{}</text>\
         <rect class=\"track\" x=\"0\" y=\"{top}\" width=\"100%\" height=\"8\"/>",
        escape(&bar.hint),
        escape(&bar.label),
        escape(&bar.text),
    );
    if let Some(value) = bar.value {
        let _ = write!(
            svg,
            "<rect class=\"bar\" x=\"0\" y=\"{top}\" width=\"{:.2}%\" height=\"8\"/>",
            value * scale
        );
    }
    if let Some(x) = ceiling {
        let (from, to) = (top, top + 10);
        let _ =
            write!(svg, "<line class=\"ceiling\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{from}\" y2=\"{to}\"/>");
    }
    svg.push_str("</g>\n");
}
