//! Charts as SVG: lines over axes, as files of their own, and bars, on a page or as a file.

mod axis;
mod bar_picture;
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
    /// Nothing.
    None,
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

/// A line: its points, in pieces with gaps between them.
pub struct Line {
    /// Its subject.
    pub name: String,
    /// Its colour, dashes and marker.
    pub look: Look,
    /// Its points.
    pub pieces: Vec<Vec<(f64, f64)>>,
}

/// A line across the chart that others are compared with.
pub struct Ceiling {
    /// Its position on the axis.
    pub value: f64,
    /// The text beside it.
    pub label: String,
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
    /// The line that they are compared with.
    pub ceiling: Option<Ceiling>,
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
                    @for piece in &line.pieces { (self.piece(frame, piece, line.look.marker)) }
                }
            }
            @if let Some(ceiling) = &self.ceiling { (self.across(frame, ceiling)) }
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
                @if self.x.groups.is_empty() {
                    line class="grid" x1=(x(*value)) x2=(x(*value)) y1=(upper) y2=(lower) {}
                }
                text x=(x(*value)) y=(lower + 16.0) text-anchor="middle" { (label) }
            }
            @for (from, to, label) in &self.x.groups {
                line class="grid" x1=(x(from + 0.1)) x2=(x(to - 0.1)) y1=(lower + 22.0) y2=(lower + 22.0) {}
                text x=(x((from + to) / 2.0)) y=(lower + 36.0) text-anchor="middle" { (label) }
            }
            text x=(left - 50.0) y=(upper - 10.0) { (self.y.name) }
            text x=(right) y=(lower + 49.0) text-anchor="end" { (self.x.name) }
        }
    }

    /// A piece of a line; a single point without a marker is a short stroke.
    fn piece(&self, frame: &Frame, points: &[(f64, f64)], marker: Marker) -> Markup {
        let mut places: Vec<_> =
            points.iter().map(|(x, y)| (frame.x(&self.x, *x), frame.y(&self.y, *y))).collect();
        let marks = marks(marker, &places);
        if let ([(x, y)], Marker::None) = (&places[..], marker) {
            places = vec![(x - 5.0, *y), (x + 5.0, *y)];
        }
        let points: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        html! {
            polyline points=(points.join(" ")) {}
            (marks)
        }
    }

    /// The ceiling, or a word where it would be far above.
    fn across(&self, frame: &Frame, ceiling: &Ceiling) -> Markup {
        let Frame { left, right, upper, .. } = *frame;
        let y = Some(ceiling.value).filter(|value| self.y.shows(*value)).map(|value| frame.y(&self.y, value));
        html! {
            @if let Some(y) = y { line class="ceiling" x1=(left) x2=(right) y1=(px(y)) y2=(px(y)) {} }
            text class="ceiling" x=(right) y=(px(y.unwrap_or(upper - 6.0) - 4.0)) text-anchor="end" {
                (ceiling.label) @if y.is_none() { ", above ▴" }
            }
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
        Marker::None => String::new(),
        Marker::Circle => format!("M{x} {y}m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"),
        Marker::Triangle => format!("M{x} {y}m-5 4h10l-5-9z"),
        Marker::Cross => format!("M{x} {y}m-4-4l8 8m0-8l-8 8"),
        Marker::Square => format!("M{x} {y}m-4-4h8v8h-8z"),
    }
}
