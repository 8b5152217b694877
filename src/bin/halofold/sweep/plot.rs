//! A sweep as an SVG plot: time by size, both axes logarithmic.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints};
use plotters::element::{Cross, DashedPathElement, PathElement, TriangleMarker};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Sweep, end_to_end, own_time};
use crate::row::Row;
use crate::{Failure, cpu};

/// Width and height of the picture, in pixels.
const SIZE: (i32, i32) = (1080, 680);

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

/// The most ticks on the axis of sizes.
const MOST_TICKS: i32 = 14;

/// The range of times, in milliseconds, if there is nothing to show.
const NO_TIMES: Range<f64> = 0.001..1.0;

/// Room beside the first and the last size, as a factor: enough that a power of two is in sight.
const SIZE_MARGIN: f64 = 1.5;

/// Room below the shortest and above the longest time: enough that a time of 1, 2 or 5 and some zeros is in sight.
const TIME_MARGIN: f64 = 2.0;

/// From so many decades on, only they have labels.
const MANY_DECADES: usize = 3;

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

/// The CPU's colours: one thread, all threads.
const CPU_COLORS: [RGBColor; 2] = [BLACK, RGBColor(130, 130, 130)];

/// The markers of the rungs, one for each round through the palette.
const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Triangle, Marker::Cross, Marker::Square];

const TEXT: RGBColor = RGBColor(40, 40, 40);
const MESH: RGBColor = RGBColor(200, 200, 200);
const LIGHT_MESH: RGBColor = RGBColor(236, 236, 236);

/// The picture, or a part of it, in pixels.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Drawing into a string does not fail; the backend says that it may.
type Drawn<T = ()> = Result<T, Box<dyn Error>>;

/// How a line is drawn.
#[derive(Clone, Copy)]
enum Stroke {
    /// GPU time.
    Solid,
    /// The CPU.
    Dashed,
    /// End to end.
    Dotted,
}

/// What marks a line's points.
#[derive(Clone, Copy)]
enum Marker {
    Square,
    Circle,
    Triangle,
    Cross,
}

/// The looks of a line.
#[derive(Clone, Copy)]
struct Style {
    color: RGBColor,
    stroke: Stroke,
    marker: Marker,
}

impl Style {
    /// The looks of a series: the first two are the CPU's.
    fn of(series: usize) -> Self {
        match series.checked_sub(CPU_COLORS.len()) {
            None => Style { color: CPU_COLORS[series], stroke: Stroke::Dashed, marker: Marker::Square },
            Some(rung) => Style {
                color: PALETTE[rung % PALETTE.len()],
                stroke: Stroke::Solid,
                marker: MARKERS[rung / PALETTE.len() % MARKERS.len()],
            },
        }
    }

    /// Whether it is a rung's, which has a second line for its time end to end.
    fn is_rung(self) -> bool {
        matches!(self.stroke, Stroke::Solid)
    }

    fn dotted(self) -> Self {
        Style { stroke: Stroke::Dotted, ..self }
    }
}

/// One line of the plot: sizes and milliseconds.
struct Line {
    style: Style,
    points: Vec<(f64, f64)>,
}

/// The plot of a sweep.
pub fn svg(sweep: &Sweep) -> Result<String, Failure> {
    let mut text = String::new();
    draw(sweep, &mut text).map_err(|error| Failure::Usage(format!("the plot: {error}")))?;
    // The view box stays in units; what it is shown at is pixels.
    let size = |(width, height): (i32, i32)| format!("width=\"{width}\" height=\"{height}\"");
    Ok(text.replacen(&size((px(SIZE.0), px(SIZE.1))), &size(SIZE), 1))
}

/// Pixels in units.
const fn px(pixels: i32) -> i32 {
    pixels * UNITS
}

fn draw(sweep: &Sweep, text: &mut String) -> Drawn {
    let size = (px(SIZE.0) as u32, px(SIZE.1) as u32);
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(px(HEAD));
    let title = format!("Time of one reduction by size: {} of {}", sweep.operator, sweep.element);
    draw_centred(&head, &title, 24, 12)?;
    draw_centred(&head, &sweep.adapter, 16, 42)?;
    let (chart, legend) = body.split_horizontally(px(SIZE.0 - LEGEND_WIDTH));
    draw_chart(sweep, &root, &chart)?;
    draw_legend(sweep, &legend)?;
    root.present()?;
    Ok(())
}

/// Text of a size in pixels. An SVG names its font family and leaves the rest to whoever shows it.
fn font(size: i32) -> TextStyle<'static> {
    ("sans-serif", px(size)).into_font().color(&TEXT)
}

/// A line of some pixels.
fn stroke(color: RGBColor, width: i32) -> ShapeStyle {
    color.stroke_width(px(width) as u32)
}

fn draw_centred(area: &Area<'_>, text: &str, size: i32, y: i32) -> Drawn {
    let style = font(size).pos(Pos::new(HPos::Center, VPos::Top));
    area.draw_text(text, &style, (px(SIZE.0 / 2), px(y)))?;
    Ok(())
}

/// Every line that has points, end to end below the rest.
fn lines(sweep: &Sweep) -> Vec<Line> {
    let line = |series: usize, style: Style, time: fn(&Row) -> Option<f64>| Line {
        style,
        points: sweep.of_series(series).filter_map(|row| Some((row.n as f64, time(row)?))).collect(),
    };
    let styles = || (0..sweep.series.len()).map(|series| (series, Style::of(series)));
    let rungs = styles().filter(|(_, style)| style.is_rung());
    let dotted = rungs.map(|(series, style)| line(series, style.dotted(), end_to_end));
    dotted.chain(styles().map(|(series, style)| line(series, style, own_time))).collect()
}

/// The axes on their part of the picture, and the lines on them.
fn draw_chart(sweep: &Sweep, root: &Area<'_>, area: &Area<'_>) -> Drawn {
    let lines = lines(sweep);
    let times = lines.iter().flat_map(|line| line.points.iter().map(|(_, ms)| *ms));
    let mut chart = ChartBuilder::on(area)
        .margin(px(12))
        .x_label_area_size(px(56))
        .y_label_area_size(px(78))
        .build_cartesian_2d(size_axis(&sweep.sizes), time_axis(times))?;
    chart
        .configure_mesh()
        .x_desc("elements")
        .y_desc("time in ms")
        .x_label_formatter(&|n| format!("2^{}", n.log2().round()))
        .y_label_formatter(&|ms| time_label(*ms))
        .label_style(font(17))
        .axis_desc_style(font(18))
        .set_all_tick_mark_size(px(5))
        .bold_line_style(stroke(MESH, 1))
        .light_line_style(stroke(LIGHT_MESH, 1))
        .axis_style(stroke(TEXT, 1))
        .draw()?;
    for line in lines {
        let place = |point| chart.plotting_area().map_coordinate(point);
        let points: Vec<_> = line.points.iter().map(place).collect();
        draw_line(root, line.style, &points)?;
        points.iter().try_for_each(|point| draw_marker(root, line.style, *point))?;
    }
    Ok(())
}

/// An axis with a tick at every power of two, or at every second, third … if there are many.
fn size_axis(sizes: &[u64]) -> WithKeyPoints<LogCoord<f64>> {
    let first = sizes.first().map_or(1.0, |n| *n as f64) / SIZE_MARGIN;
    let last = sizes.last().map_or(1.0, |n| *n as f64) * SIZE_MARGIN;
    let powers = first.log2().ceil() as i32..=last.log2().floor() as i32;
    let step = ((powers.end() - powers.start() + MOST_TICKS) / MOST_TICKS).max(1);
    let ticks = powers.filter(|power| power % step == 0).map(|power| 2f64.powi(power));
    (first..last).log_scale().with_key_points(ticks.collect())
}

/// An axis with labels at the decades, or at 1, 2 and 5 times each if they are few, and light lines between.
fn time_axis(times: impl Iterator<Item = f64> + Clone) -> WithKeyPoints<LogCoord<f64>> {
    let shortest = times.clone().min_by(f64::total_cmp).unwrap_or(NO_TIMES.start) / TIME_MARGIN;
    let longest = times.max_by(f64::total_cmp).unwrap_or(NO_TIMES.end) * TIME_MARGIN;
    let decades = shortest.log10().floor() as i32..=longest.log10().floor() as i32;
    let marks = |multiples: &[i32]| -> Vec<f64> {
        let all = decades.clone().flat_map(|decade| {
            multiples.iter().map(move |multiple| f64::from(*multiple) * 10f64.powi(decade))
        });
        all.filter(|mark| (shortest..longest).contains(mark)).collect()
    };
    let whole = marks(&[1]);
    let labelled = if whole.len() < MANY_DECADES { marks(&[1, 2, 5]) } else { whole };
    let light = marks(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    (shortest..longest).log_scale().with_key_points(labelled).with_light_points(light)
}

/// A time without an exponent: 0.001, 0.5, 20.
fn time_label(ms: f64) -> String {
    // A power of ten may be a hair less than it should be.
    let places = (-(ms.log10() + 1e-9).floor()).max(0.0) as usize;
    format!("{ms:.places$}")
}

/// A line through points of the picture.
fn draw_line(area: &Area<'_>, style: Style, points: &[(i32, i32)]) -> Drawn {
    let line = stroke(style.color, 2);
    let dashes = |dash, gap| DashedPathElement::new(points.iter().copied(), px(dash), px(gap), line);
    match style.stroke {
        Stroke::Solid => area.draw(&PathElement::new(points, line))?,
        Stroke::Dashed => area.draw(&dashes(9, 5))?,
        Stroke::Dotted => area.draw(&dashes(2, 4))?,
    }
    Ok(())
}

fn draw_marker(area: &Area<'_>, style: Style, (x, y): (i32, i32)) -> Drawn {
    let size = px(if matches!(style.stroke, Stroke::Dotted) { 3 } else { 4 });
    let filled = style.color.filled();
    match style.marker {
        Marker::Square => area.draw(&Rectangle::new([(x - size, y - size), (x + size, y + size)], filled))?,
        Marker::Circle => area.draw(&Circle::new((x, y), size, filled))?,
        Marker::Triangle => area.draw(&TriangleMarker::new((x, y), size + px(2), filled))?,
        Marker::Cross => area.draw(&Cross::new((x, y), size, stroke(style.color, 2)))?,
    }
    Ok(())
}

/// A line for every series, then what solid and dotted lines mean.
fn draw_legend(sweep: &Sweep, area: &Area<'_>) -> Drawn {
    let series = sweep.series.iter().enumerate().map(|(series, name)| {
        let all_threads = name == cpu::rung(true);
        let label = if all_threads { format!("{name} ({})", cpu::threads()) } else { name.clone() };
        (Style::of(series), label)
    });
    let solid = if sweep.has_gpu_clock() { "time on the GPU" } else { "wall clock of batches" };
    let key = Style { color: TEXT, stroke: Stroke::Solid, marker: Marker::Circle };
    let strokes = [(key, solid), (key.dotted(), "end to end")].map(|(style, text)| (style, text.to_owned()));
    let lines = (sweep.series.len() + strokes.len()) as i32;
    // One more for the gap between the two parts, and one for the space at the end.
    let step = LEGEND_STEP.min((SIZE.1 - HEAD - LEGEND_TOP) / (lines + 2));
    let mut y = LEGEND_TOP;
    for (style, label) in series {
        draw_entry(area, style, &label, y)?;
        y += step;
    }
    y += step / 2;
    for (style, label) in strokes {
        draw_entry(area, style, &label, y)?;
        y += step;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_powers_in_sight() {
        for sizes in [&[1][..], &[1448], &[256, 1 << 28], &[1, u64::from(u32::MAX)]] {
            let axis = size_axis(sizes);
            let ticks = axis.bold_points();
            assert!((1..=MOST_TICKS as usize).contains(&ticks.len()), "{sizes:?}: {ticks:?}");
        }
    }

    #[test]
    fn times_have_labels_however_close_they_are() {
        let labels = |times: &[f64]| -> Vec<_> {
            time_axis(times.iter().copied()).bold_points().iter().map(|ms| time_label(*ms)).collect()
        };
        assert_eq!(labels(&[0.0003, 20.0]), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&[0.0021, 0.0024]), ["0.002"]);
        assert_eq!(labels(&[0.3, 15.0]), ["0.2", "0.5", "1", "2", "5", "10", "20"]);
        assert!(!labels(&[]).is_empty());
    }
}
