//! A sweep as an SVG plot: time by size, both axes logarithmic.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints};
use plotters::element::{Cross, DashedPathElement, PathElement, TriangleMarker};
use plotters::prelude::*;

use super::{Sweep, end_to_end, own_time};
use crate::{Failure, cpu};

/// Width and height of the picture, in pixels.
const SIZE: (u32, u32) = (1080, 680);

/// Width of the legend: it stands beside the plot, where it never covers a line.
const LEGEND_WIDTH: i32 = 230;

/// Where the legend's first line is, and how far it is from one to the next.
const LEGEND_TOP: i32 = 24;
const LEGEND_STEP: i32 = 24;

/// The most ticks on the axis of sizes.
const MOST_TICKS: i32 = 14;

/// The range of times, in milliseconds, if there is nothing to show.
const NO_TIMES: Range<f64> = 0.001..1.0;

/// Room beside the first and the last size, as a factor: enough that a power of two is in sight.
const MARGIN: f64 = 1.5;

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
    Ok(text)
}

fn draw(sweep: &Sweep, text: &mut String) -> Drawn {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let title = format!("Time of one reduction by size: {} of {}", sweep.operator, sweep.element);
    let rest = root.titled(&title, font(24))?.titled(&sweep.adapter, font(16))?;
    let (chart, legend) = rest.split_horizontally(SIZE.0 as i32 - LEGEND_WIDTH);
    draw_chart(sweep, &root, &chart)?;
    draw_legend(sweep, &legend)?;
    root.present()?;
    Ok(())
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&TEXT)
}

/// Every line that has points, end to end below the rest.
fn lines(sweep: &Sweep) -> Vec<Line> {
    let line = |series: usize, style: Style, time: fn(&crate::row::Row) -> Option<f64>| Line {
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
        .margin(12)
        .x_label_area_size(56)
        .y_label_area_size(78)
        .build_cartesian_2d(size_axis(&sweep.sizes), time_axis(times))?;
    chart
        .configure_mesh()
        .x_desc("elements")
        .y_desc("time in ms")
        .x_label_formatter(&|n| format!("2^{}", n.log2().round()))
        .y_label_formatter(&|ms| decade_label(*ms))
        .label_style(font(17))
        .axis_desc_style(font(18))
        .bold_line_style(MESH)
        .light_line_style(LIGHT_MESH)
        .axis_style(TEXT)
        .draw()?;
    for line in lines {
        let place = |point| chart.plotting_area().map_coordinate(point);
        draw_line(root, line.style, &line.points.iter().map(place).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// An axis with a tick at every power of two, or at every second, third … if there are many.
fn size_axis(sizes: &[u64]) -> WithKeyPoints<LogCoord<f64>> {
    let first = sizes.first().map_or(1.0, |n| *n as f64) / MARGIN;
    let last = sizes.last().map_or(1.0, |n| *n as f64) * MARGIN;
    let powers = first.log2().ceil() as i32..=last.log2().floor() as i32;
    let step = ((powers.end() - powers.start() + MOST_TICKS) / MOST_TICKS).max(1);
    let ticks = powers.filter(|power| power % step == 0).map(|power| 2f64.powi(power));
    (first..last).log_scale().with_key_points(ticks.collect())
}

/// An axis of whole decades, with light lines at 2, 3 … 9 times each.
fn time_axis(times: impl Iterator<Item = f64> + Clone) -> WithKeyPoints<LogCoord<f64>> {
    let shortest = times.clone().min_by(f64::total_cmp).unwrap_or(NO_TIMES.start);
    let longest = times.max_by(f64::total_cmp).unwrap_or(NO_TIMES.end);
    let first = shortest.log10().floor() as i32;
    let last = (longest.log10().ceil() as i32).max(first + 1);
    let decades = (first..=last).map(|decade| 10f64.powi(decade));
    let between = (first..last).flat_map(|decade| (2..10).map(move |k| f64::from(k) * 10f64.powi(decade)));
    let range = 10f64.powi(first)..10f64.powi(last);
    range.log_scale().with_key_points(decades.collect()).with_light_points(between)
}

/// A power of ten without an exponent: 0.001, 10.
fn decade_label(ms: f64) -> String {
    let places = (-ms.log10().round()).max(0.0) as usize;
    format!("{ms:.places$}")
}

/// A line through points in pixels, and its markers.
fn draw_line(area: &Area<'_>, style: Style, points: &[(i32, i32)]) -> Drawn {
    let stroke = style.color.stroke_width(2);
    match style.stroke {
        Stroke::Solid => area.draw(&PathElement::new(points, stroke))?,
        Stroke::Dashed => area.draw(&DashedPathElement::new(points.iter().copied(), 9, 5, stroke))?,
        Stroke::Dotted => area.draw(&DashedPathElement::new(points.iter().copied(), 2, 4, stroke))?,
    }
    points.iter().try_for_each(|point| draw_marker(area, style, *point))
}

fn draw_marker(area: &Area<'_>, style: Style, (x, y): (i32, i32)) -> Drawn {
    let size = if matches!(style.stroke, Stroke::Dotted) { 3 } else { 4 };
    let filled = style.color.filled();
    match style.marker {
        Marker::Square => area.draw(&Rectangle::new([(x - size, y - size), (x + size, y + size)], filled))?,
        Marker::Circle => area.draw(&Circle::new((x, y), size, filled))?,
        Marker::Triangle => area.draw(&TriangleMarker::new((x, y), size + 2, filled))?,
        Marker::Cross => area.draw(&Cross::new((x, y), size, style.color.stroke_width(2)))?,
    }
    Ok(())
}

/// A line for every series, then what solid and dotted lines mean.
fn draw_legend(sweep: &Sweep, area: &Area<'_>) -> Drawn {
    let name = |(series, name): (usize, &String)| {
        let all_threads = name.as_str() == cpu::rung(true);
        let label = if all_threads { format!("{name} ({})", cpu::threads()) } else { name.clone() };
        (Style::of(series), label)
    };
    let solid = if sweep.has_gpu_clock() { "time on the GPU" } else { "wall clock of batches" };
    let key = Style { color: TEXT, stroke: Stroke::Solid, marker: Marker::Circle };
    let meanings = [(key, solid), (key.dotted(), "end to end")].map(|(style, text)| (style, text.to_owned()));
    let mut y = LEGEND_TOP;
    for (style, label) in sweep.series.iter().enumerate().map(name) {
        draw_entry(area, style, &label, y)?;
        y += LEGEND_STEP;
    }
    // A gap: from here on it is not about one series.
    y += LEGEND_STEP / 2;
    for (style, label) in meanings {
        draw_entry(area, style, &label, y)?;
        y += LEGEND_STEP;
    }
    Ok(())
}

fn draw_entry(area: &Area<'_>, style: Style, label: &str, y: i32) -> Drawn {
    let (left, right) = (0, 40);
    draw_line(area, style, &[(left, y), (right, y)])?;
    area.draw(&Text::new(label.to_owned(), (right + 12, y - 8), font(16)))?;
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
    fn decades_enclose_the_times() {
        let axis = time_axis([0.0003, 20.0].into_iter());
        let labels: Vec<_> = axis.bold_points().iter().map(|ms| decade_label(*ms)).collect();
        assert_eq!(labels, ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100"]);
        assert_eq!(time_axis(std::iter::empty()).bold_points().len(), 4);
    }
}
