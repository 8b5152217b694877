//! A sweep as an SVG plot: time by size, both axes logarithmic.

use std::ops::Range;

use plotters::coord::combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints};
use plotters::prelude::*;

use super::{Sweep, end_to_end};
use crate::cpu;
use crate::failure::Failure;
use crate::plot::{
    self, Area, Drawn, LIGHT_MESH, MESH, Marker, Stroke, Style, TEXT, draw_legend, draw_line, draw_marker,
    font, px, stroke,
};
use crate::row::Row;

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

/// The CPU's colours: one thread, all threads.
const CPU_COLORS: [RGBColor; 2] = [BLACK, RGBColor(130, 130, 130)];

/// The looks of a series: the first two are the CPU's.
fn style_of(series: usize) -> Style {
    match series.checked_sub(CPU_COLORS.len()) {
        None => Style { color: CPU_COLORS[series], stroke: Stroke::Dashed, marker: Marker::Square },
        Some(rung) => Style::measured(rung),
    }
}

/// The plot of a sweep.
pub fn svg(sweep: &Sweep) -> Result<String, Failure> {
    let title = format!("Time of one reduction by size: {} of {}", sweep.operator, sweep.element);
    plot::svg(
        &title,
        &sweep.adapter,
        |root, area| draw_chart(sweep, root, area),
        |area| draw_legend(area, &legend(sweep)),
    )
}

/// One line of the plot: sizes and milliseconds.
struct Line {
    style: Style,
    points: Vec<(f64, f64)>,
}

/// Every line that has points, end to end below the rest.
fn lines(sweep: &Sweep) -> Vec<Line> {
    let line = |series: usize, style: Style, time: fn(&Row) -> Option<f64>| Line {
        style,
        points: sweep.of_series(series).filter_map(|row| Some((row.what.n as f64, time(row)?))).collect(),
    };
    let styles = || (0..sweep.series.len()).map(|series| (series, style_of(series)));
    let rungs = styles().skip(CPU_COLORS.len());
    let dotted = rungs.map(|(series, style)| line(series, style.dotted(), end_to_end));
    dotted.chain(styles().map(|(series, style)| line(series, style, Row::time))).collect()
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

/// A line for every series, then what solid and dotted lines mean.
fn legend(sweep: &Sweep) -> [Vec<(Style, String)>; 2] {
    let series = sweep.series.iter().enumerate().map(|(series, name)| {
        let all_threads = name == cpu::rung(true);
        let label = if all_threads { format!("{name} ({})", cpu::threads()) } else { name.clone() };
        (style_of(series), label)
    });
    let solid = if sweep.has_gpu_clock() { "time on the GPU" } else { "wall clock of batches" };
    let key = Style { color: TEXT, stroke: Stroke::Solid, marker: Marker::Circle };
    let strokes = [(key, solid), (key.dotted(), "end to end")].map(|(style, text)| (style, text.to_owned()));
    [series.collect(), strokes.to_vec()]
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
