//! Horizontal bars, as SVG that fills the width of its container: horizontal positions are percentages, heights are pixels.

use maud::{Markup, html};

/// Height of one bar with the line of text above it.
const STEP: u32 = 32;

/// Top of the first one, under the ceiling's label.
const TOP: u32 = 24;

/// Space to the right of the longest bar and of the ceiling, as a factor.
const MARGIN: f64 = 1.04;

/// One bar.
pub struct Bar {
    /// Its subject.
    pub label: String,
    /// Its length; `None` if it was not measured.
    pub value: Option<f64>,
    /// The text at its right end.
    pub text: String,
    /// More about it, where a pointer rests on it.
    pub hint: String,
}

/// A chart of bars, with a line that they are measured against.
pub struct Bars {
    /// Their subject, as a text for screen readers.
    pub title: String,
    /// The line's value and label.
    pub ceiling: Option<(f64, String)>,
    /// The bars from top to bottom.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// The chart as a figure of a page.
    pub fn figure(&self) -> Markup {
        let longest = self.bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
        let ceiling = self.ceiling.as_ref().map_or(0.0, |(value, _)| *value);
        let scale = 100.0 / (MARGIN * longest.max(ceiling).max(f64::MIN_POSITIVE));
        let ceiling = self.ceiling.as_ref().map(|(value, label)| (percent(value * scale), label));
        let height = TOP + STEP * self.bars.len() as u32;
        html! {
            svg class="bars" width="100%" height=(height) role="img" aria-label=(self.title) {
                @for (y, bar) in (TOP..).step_by(STEP as usize).zip(&self.bars) {
                    (bar.drawn(y, scale, ceiling.as_ref().map(|(x, _)| x.as_str())))
                }
                @if let Some((x, label)) = &ceiling {
                    text class="ceiling" x=(x) y="13" text-anchor="end" { (label) " ▾" }
                }
            }
        }
    }
}

impl Bar {
    /// The bar from `y` downwards, crossed by the ceiling.
    fn drawn(&self, y: u32, scale: f64, ceiling: Option<&str>) -> Markup {
        let (name, top) = (y + 12, y + 17);
        html! {
            g {
                title { (self.hint) }
                text x="0" y=(name) { (self.label) }
                text class="value" x="100%" y=(name) text-anchor="end" { (self.text) }
                rect class="track" x="0" y=(top) width="100%" height="8" {}
                @if let Some(value) = self.value {
                    rect class="bar" x="0" y=(top) width=(percent(value * scale)) height="8" {}
                }
                @if let Some(x) = ceiling {
                    line class="ceiling" x1=(x) x2=(x) y1=(top) y2=(top + 10) {}
                }
            }
        }
    }
}

fn percent(x: f64) -> String {
    format!("{x:.2}%")
}
