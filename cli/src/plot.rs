//! What the plots have in common: an SVG in fine units, looks of lines, and a legend beside the plot.

use std::error::Error;

use plotters::coord::Shift;
use plotters::element::{Cross, DashedPathElement, PathElement, TriangleMarker};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::failure::Failure;

/// Width and height of the picture, in pixels.
pub const SIZE: (i32, i32) = (1080, 680);

/// Height of the title's part.
const HEAD: i32 = 64;

/// Units to a pixel. plotters' coordinates are whole numbers, and in whole pixels the dashes of a slanted line wobble.
const UNITS: i32 = 8;

/// Width of the legend: it stands beside the plot, where it never covers a line.
const LEGEND_WIDTH: i32 = 230;

/// How long a piece of each line the legend shows: whole dashes.
const SAMPLE_WIDTH: i32 = 51;

/// Where the legend's first line is.
const LEGEND_TOP: i32 = 24;

/// How far it is from one line of the legend to the next, unless there are too many.
const LEGEND_STEP: i32 = 24;

/// Okabe and Ito's palette, which is told apart with any colour vision, without its yellow, faint on white, and its
/// black, which is the CPU's.
const PALETTE: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The markers, one for each round through the palette.
const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Triangle, Marker::Cross, Marker::Square];

/// A colour of axes and text.
pub const TEXT: RGBColor = RGBColor(40, 40, 40);
/// A colour of axes and text.
pub const MESH: RGBColor = RGBColor(200, 200, 200);
/// A colour of axes and text.
pub const LIGHT_MESH: RGBColor = RGBColor(236, 236, 236);

/// The picture, or a part of it, in pixels.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Drawing into a string does not fail; the backend says that it may.
pub type Drawn<T = ()> = Result<T, Box<dyn Error>>;

/// How a line is drawn.
#[derive(Clone, Copy)]
pub enum Stroke {
    /// Measured.
    Solid,
    /// Something to compare with.
    Dashed,
    /// Another side of the same.
    Dotted,
}

/// What marks a line's points.
#[derive(Clone, Copy)]
pub enum Marker {
    /// A filled square.
    Square,
    /// A filled circle.
    Circle,
    /// A filled triangle.
    Triangle,
    /// Two crossed lines.
    Cross,
    /// Nothing.
    None,
}

/// The looks of a line.
#[derive(Clone, Copy)]
pub struct Style {
    /// Its colour.
    pub color: RGBColor,
    /// How it is drawn.
    pub stroke: Stroke,
    /// What marks its points.
    pub marker: Marker,
}

impl Style {
    /// The looks of one of several measured lines: all colours with one marker, then all with the next.
    pub fn measured(index: usize) -> Self {
        Style {
            color: PALETTE[index % PALETTE.len()],
            stroke: Stroke::Solid,
            marker: MARKERS[index / PALETTE.len() % MARKERS.len()],
        }
    }

    /// The same, dotted.
    pub fn dotted(self) -> Self {
        Style { stroke: Stroke::Dotted, ..self }
    }
}

/// A picture with a title, a line below it, a chart and a legend beside the chart.
pub fn svg(
    title: &str,
    subtitle: &str,
    chart: impl FnOnce(&Area<'_>, &Area<'_>) -> Drawn,
    legend: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, Failure> {
    let mut text = String::new();
    let draw = || -> Drawn {
        let size = (px(SIZE.0) as u32, px(SIZE.1) as u32);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (head, body) = root.split_vertically(px(HEAD));
        draw_centred(&head, title, 24, 12)?;
        draw_centred(&head, subtitle, 16, 42)?;
        let (left, right) = body.split_horizontally(px(SIZE.0 - LEGEND_WIDTH));
        chart(&root, &left)?;
        legend(&right)?;
        root.present()?;
        Ok(())
    };
    draw().map_err(|error| Failure::Usage(format!("the plot: {error}")))?;
    // The view box stays in units; what it is shown at is pixels.
    let size = |(width, height): (i32, i32)| format!("width=\"{width}\" height=\"{height}\"");
    Ok(text.replacen(&size((px(SIZE.0), px(SIZE.1))), &size(SIZE), 1))
}

/// Pixels in units.
pub const fn px(pixels: i32) -> i32 {
    pixels * UNITS
}

/// Text of a size in pixels. An SVG names its font family and leaves the rest to whoever shows it.
pub fn font(size: i32) -> TextStyle<'static> {
    ("sans-serif", px(size)).into_font().color(&TEXT)
}

/// A line of some pixels.
pub fn stroke(color: RGBColor, width: i32) -> ShapeStyle {
    color.stroke_width(px(width) as u32)
}

fn draw_centred(area: &Area<'_>, text: &str, size: i32, y: i32) -> Drawn {
    let style = font(size).pos(Pos::new(HPos::Center, VPos::Top));
    area.draw_text(text, &style, (px(SIZE.0 / 2), px(y)))?;
    Ok(())
}

/// A line through points of the picture.
pub fn draw_line(area: &Area<'_>, style: Style, points: &[(i32, i32)]) -> Drawn {
    let line = stroke(style.color, 2);
    let dashes = |dash, gap| DashedPathElement::new(points.iter().copied(), px(dash), px(gap), line);
    match style.stroke {
        Stroke::Solid => area.draw(&PathElement::new(points, line))?,
        Stroke::Dashed => area.draw(&dashes(9, 5))?,
        Stroke::Dotted => area.draw(&dashes(2, 4))?,
    }
    Ok(())
}

/// A marker at a point of the picture.
pub fn draw_marker(area: &Area<'_>, style: Style, (x, y): (i32, i32)) -> Drawn {
    let size = px(if matches!(style.stroke, Stroke::Dotted) { 3 } else { 4 });
    let filled = style.color.filled();
    match style.marker {
        Marker::Square => area.draw(&Rectangle::new([(x - size, y - size), (x + size, y + size)], filled))?,
        Marker::Circle => area.draw(&Circle::new((x, y), size, filled))?,
        Marker::Triangle => area.draw(&TriangleMarker::new((x, y), size + px(2), filled))?,
        Marker::None => {}
        Marker::Cross => area.draw(&Cross::new((x, y), size, stroke(style.color, 2)))?,
    }
    Ok(())
}

/// A legend: groups of lines, a little apart.
pub fn draw_legend(area: &Area<'_>, groups: &[Vec<(Style, String)>]) -> Drawn {
    let lines: i32 = groups.iter().map(|group| group.len() as i32).sum();
    // One more for the gap between the groups, and one for the space at the end.
    let step = LEGEND_STEP.min((SIZE.1 - HEAD - LEGEND_TOP) / (lines + 2));
    let mut y = LEGEND_TOP;
    for group in groups {
        for (style, label) in group {
            draw_entry(area, *style, label, y)?;
            y += step;
        }
        y += step / 2;
    }
    Ok(())
}

/// A piece of a line with one marker, and what it stands for.
fn draw_entry(area: &Area<'_>, style: Style, label: &str, y: i32) -> Drawn {
    draw_line(area, style, &[(0, px(y)), (px(SAMPLE_WIDTH), px(y))])?;
    draw_marker(area, style, (px(SAMPLE_WIDTH / 2), px(y)))?;
    let text = font(16).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw_text(label, &text, (px(SAMPLE_WIDTH + 12), px(y)))?;
    Ok(())
}
