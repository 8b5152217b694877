//! Pictures as SVG: lines over two axes, and bars.

mod axis;
mod bars;
mod picture;

use maud::{Markup, html};

pub use axis::Axis;
pub use bars::{Bar, Bars};
pub use picture::picture;

/// Number of lines that have a colour of their own.
const COLOURS: usize = 6;

/// The mark at each of a line's points.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A filled circle.
    Circle,
    /// A filled triangle.
    Triangle,
    /// Two crossed lines.
    Cross,
    /// A filled square.
    Square,
}

/// The looks of a line: a class of the style sheet, and the mark of its points.
#[derive(Clone, PartialEq)]
pub struct Look {
    class: String,
    marker: Marker,
}

impl Look {
    /// One of several measured lines: all colours with one marker, then dashed with the next, and so on by turns.
    pub fn measured(index: usize) -> Self {
        const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Triangle, Marker::Cross, Marker::Square];
        let marker = MARKERS[index / COLOURS % MARKERS.len()];
        let dashes = if index / COLOURS % 2 == 1 { " dashed" } else { "" };
        Look { class: format!("c{}{dashes}", index % COLOURS), marker }
    }

    /// A class of its own.
    pub fn named(class: &str, marker: Marker) -> Self {
        Look { class: class.to_owned(), marker }
    }

    /// The same, dotted: for a second quantity of the same series.
    pub fn dotted(self) -> Self {
        Look { class: self.class + " dotted", ..self }
    }
}

/// A line.
pub struct Line {
    /// Its subject.
    pub name: String,
    /// Its colour, dashes and marker.
    pub look: Look,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// Lines over two axes.
pub struct Chart {
    /// Its subject, as a text for screen readers.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// The lines, the first at the bottom.
    pub lines: Vec<Line>,
}

/// A picture's size and the position of the axes in it.
struct Frame {
    size: (f64, f64),
    left: f64,
    right: f64,
    upper: f64,
    lower: f64,
}

impl Frame {
    fn x(&self, axis: &Axis, value: f64) -> f64 {
        self.left + axis.share(value) * (self.right - self.left)
    }

    fn y(&self, axis: &Axis, value: f64) -> f64 {
        self.lower - axis.share(value) * (self.lower - self.upper)
    }
}

impl Chart {
    fn drawn(&self, frame: &Frame) -> Markup {
        html! {
            (self.grid(frame))
            @for line in &self.lines {
                g class=(line.look.class) {
                    title { (line.name) }
                    (self.points(frame, line))
                }
            }
        }
    }

    /// Lines and labels of both axes.
    fn grid(&self, frame: &Frame) -> Markup {
        let Frame { left, right, upper, lower, .. } = *frame;
        let (x, y) = (|value| px(frame.x(&self.x, value)), |value| frame.y(&self.y, value));
        html! {
            @for value in &self.y.faint {
                line class="faint" x1=(left) x2=(right) y1=(px(y(*value))) y2=(px(y(*value))) {}
            }
            @for (value, label) in &self.y.ticks {
                line class="grid" x1=(left) x2=(right) y1=(px(y(*value))) y2=(px(y(*value))) {}
                text x=(left - 6.0) y=(px(y(*value) + 4.0)) text-anchor="end" { (label) }
            }
            @for (value, label) in &self.x.ticks {
                line class="grid" x1=(x(*value)) x2=(x(*value)) y1=(upper) y2=(lower) {}
                text x=(x(*value)) y=(lower + 16.0) text-anchor="middle" { (label) }
            }
            text x=(left - 50.0) y=(upper - 10.0) { (self.y.name) }
            text x=(right) y=(lower + 49.0) text-anchor="end" { (self.x.name) }
        }
    }

    fn points(&self, frame: &Frame, line: &Line) -> Markup {
        let places: Vec<_> =
            line.points.iter().map(|(x, y)| (frame.x(&self.x, *x), frame.y(&self.y, *y))).collect();
        let points: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        html! {
            polyline points=(points.join(" ")) {}
            (marks(line.look.marker, &places))
        }
    }
}

/// A place in tenths of a pixel.
fn px(place: f64) -> String {
    format!("{place:.1}")
}

/// A marker at each of some places.
fn marks(marker: Marker, places: &[(f64, f64)]) -> Markup {
    let marks: String = places.iter().map(|place| mark(marker, *place)).collect();
    let class = (marker == Marker::Cross).then_some("cross");
    html! { @if !marks.is_empty() { path class=[class] d=(marks) {} } }
}

/// A marker as part of a path.
fn mark(marker: Marker, (x, y): (f64, f64)) -> String {
    let (x, y) = (px(x), px(y));
    match marker {
        Marker::Circle => format!("M{x} {y}m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"),
        Marker::Triangle => format!("M{x} {y}m-5 4h10l-5-9z"),
        Marker::Cross => format!("M{x} {y}m-4-4l8 8m0-8l-8 8"),
        Marker::Square => format!("M{x} {y}m-4-4h8v8h-8z"),
    }
}
