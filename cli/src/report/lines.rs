//! Time by size on logarithmic axes, as SVG.

use std::fmt::Write as _;

use super::machines::Series;
use super::text::{escape, power};
use crate::table;

/// The picture, and the part of it inside the axes.
const SIZE: (f64, f64) = (420.0, 320.0);
const LEFT: f64 = 58.0;
const RIGHT: f64 = 408.0;
const UPPER: f64 = 10.0;
const LOWER: f64 = 284.0;

/// How many lines have a colour; the others are thin and grey.
pub const COLOURS: usize = 6;

/// The most labels under the axis.
const MOST_TICKS: u32 = 8;

/// A logarithmic axis: values from the first to the second lie between two places.
struct Axis {
    values: (f64, f64),
    places: (f64, f64),
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        let share = (value / self.values.0).ln() / (self.values.1 / self.values.0).ln();
        self.places.0 + share * (self.places.1 - self.places.0)
    }
}

/// The chart of some series with its legend; nothing if there are none.
pub fn chart(title: &str, series: &[Series<'_>]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let (Some(first), Some(last)) = (points().map(|(n, _)| *n).min(), points().map(|(n, _)| *n).max()) else {
        return String::new();
    };
    let shortest = points().map(|(_, ms)| *ms).fold(f64::INFINITY, f64::min);
    let longest = points().map(|(_, ms)| *ms).fold(0.0, f64::max);
    let x = Axis { values: (first as f64, last as f64), places: (LEFT + 8.0, RIGHT - 8.0) };
    let y = Axis { values: (shortest / 1.5, longest * 1.5), places: (LOWER, UPPER) };

    let mut svg = format!(
        "<svg class=\"lines\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
        SIZE.0,
        SIZE.1,
        escape(title)
    );
    grid(&mut svg, &x, &y, first, last);
    let chosen = chosen(series);
    let grey =
        (0..series.len()).filter(|index| !chosen.contains(index)).map(|index| (index, "rest".to_owned()));
    let coloured = chosen.iter().enumerate().map(|(colour, index)| (*index, format!("c{colour}")));
    for (index, class) in grey.chain(coloured) {
        let place = |(n, ms): &(u64, f64)| format!("{:.1},{:.1}", x.place(*n as f64), y.place(*ms));
        let places: Vec<_> = series[index].points.iter().map(place).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<g class=\"{class}\"><title>{}</title><polyline points=\"{}\"/></g>",
            escape(series[index].rung),
            places.join(" ")
        );
    }
    svg.push_str("</svg>\n");
    svg + &legend(series, &chosen)
}

/// Which series have a colour: of all by their time at the largest size, some at even distances, slowest and fastest included.
fn chosen(series: &[Series<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    let last = |index: &usize| series[*index].points.last().map_or((0, 0.0), |point| *point);
    order.sort_by(|a, b| {
        let ((n, ms), (other_n, other_ms)) = (last(a), last(b));
        (ms / n.max(1) as f64).total_cmp(&(other_ms / other_n.max(1) as f64)).reverse()
    });
    if order.len() <= COLOURS {
        return order;
    }
    (0..COLOURS).map(|step| order[step * (order.len() - 1) / (COLOURS - 1)]).collect()
}

/// Lines at the powers of ten of the time and at some powers of two of the size, with labels.
fn grid(svg: &mut String, x: &Axis, y: &Axis, first: u64, last: u64) {
    let decades = y.values.0.log10().ceil() as i32..=y.values.1.log10().floor() as i32;
    for decade in decades {
        let ms = 10f64.powi(decade);
        let label = match decade {
            ..=-4 => format!("{:.0} ns", ms * 1e6),
            -3..=-1 => format!("{:.0} µs", ms * 1e3),
            0..=2 => format!("{ms:.0} ms"),
            _ => format!("{:.0} s", ms / 1e3),
        };
        let place = y.place(ms);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6.0,
            place + 4.0
        );
    }
    let (from, to) = (first.max(1).next_power_of_two().ilog2(), last.max(1).ilog2());
    let step = (to.saturating_sub(from) / MOST_TICKS + 1).max(1);
    for exponent in (from..=to).rev().step_by(step as usize) {
        let place = x.place(2f64.powi(exponent as i32));
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{UPPER}\" y2=\"{LOWER}\"/>\
             <text x=\"{place:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            LOWER + 16.0,
            power(1u64 << exponent)
        );
    }
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">elements</text>", RIGHT, LOWER + 32.0);
}

/// The coloured lines' names, with their time at the largest size.
fn legend(series: &[Series<'_>], chosen: &[usize]) -> String {
    let entry = |index: &usize| {
        let Series { rung, points } = &series[*index];
        let last = points.last().map(|(n, ms)| format!("{} ({})", table::time(Some(*ms)), power(*n)));
        format!("{rung} {}", last.unwrap_or_default())
    };
    legend_of(chosen.iter().map(entry), series.len() - chosen.len())
}

/// A legend of coloured lines, and how many grey ones there are.
pub fn legend_of(coloured: impl Iterator<Item = String>, grey: usize) -> String {
    let mut html = String::from("<ul class=\"legend\">\n");
    for (colour, entry) in coloured.enumerate() {
        let _ = writeln!(
            html,
            "<li><svg class=\"swatch\" width=\"26\" height=\"8\" aria-hidden=\"true\"><g class=\"c{colour}\"><polyline points=\"0,4 26,4\"/></g></svg> {}</li>",
            escape(&entry)
        );
    }
    if grey > 0 {
        let _ = writeln!(html, "<li class=\"note\">grey: {grey} more</li>");
    }
    html + "</ul>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_and_the_fastest_have_a_colour() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let series: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(index, rung)| Series { rung, points: vec![(256, 1.0), (512, 1.0 + index as f64)] })
            .collect();
        let chosen = chosen(&series);
        assert_eq!((chosen.len(), chosen[0], chosen[COLOURS - 1]), (COLOURS, 8, 0));
        let html = chart("t", &series);
        assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    }
}
