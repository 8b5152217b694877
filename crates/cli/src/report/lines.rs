//! Time by size: a line for every rung.

use maud::{Markup, html};

use super::machines::Series;
use crate::chart::{Axis, COLOURS, Chart, Line, Look};
use crate::table::{self, raised};

/// The most labels under the axis.
const MOST_TICKS: i32 = 8;

/// The chart of some series with its legend; nothing if there are none. Those that are not `coloured` are thin and grey.
pub fn chart(title: String, series: &[Series<'_>], coloured: &[&str]) -> Option<Markup> {
    let points = || series.iter().flat_map(|series| &series.points);
    let sizes = || points().map(|(n, _)| *n);
    let (first, last) = (sizes().min()?, sizes().max()?);
    let colour = |rung: &str| coloured.iter().position(|name| *name == rung);
    let line = |series: &Series<'_>| Line {
        name: series.rung.to_owned(),
        look: colour(series.rung).map_or_else(Look::rest, Look::colour),
        pieces: vec![series.points.iter().map(|(n, ms)| (*n as f64, *ms)).collect()],
    };
    let (with_colour, grey): (Vec<_>, Vec<_>) =
        series.iter().partition(|series| colour(series.rung).is_some());
    let chart = Chart {
        title,
        x: Axis::sizes(first, last, MOST_TICKS),
        y: Axis::times(points().map(|(_, ms)| *ms)),
        lines: grey.iter().chain(&with_colour).map(|series| line(series)).collect(),
        ceiling: None,
    };
    let entry = |(index, rung): (usize, &&str)| {
        let Series { rung, points } = with_colour.iter().find(|series| series.rung == *rung)?;
        let last = points.last().map(|(n, ms)| format!("{} ({})", table::time(Some(*ms)), raised(*n)));
        Some((index, format!("{rung} {}", last.unwrap_or_default())))
    };
    let legend = legend(coloured.iter().enumerate().filter_map(entry), grey.len());
    Some(html! { (chart.figure()) (legend) })
}

/// The rungs that have a colour, the same on all machines: rungs of the first machine at even distances in the order of their
/// time at the largest size, slowest and fastest included.
pub fn coloured<'a>(series: &[Series<'a>]) -> Vec<&'a str> {
    let last = |series: &Series<'_>| series.points.last().map_or(0.0, |(n, ms)| ms / (*n).max(1) as f64);
    let mut order: Vec<_> = series.iter().map(|series| (last(series), series.rung)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let chosen = (0..COLOURS).map(|step| step * (order.len().max(1) - 1) / (COLOURS - 1));
    let mut rungs: Vec<_> = chosen.filter_map(|at| order.get(at)).map(|(_, rung)| *rung).collect();
    rungs.dedup();
    rungs
}

/// A legend of coloured lines, and how many grey ones there are.
pub fn legend(coloured: impl Iterator<Item = (usize, String)>, grey: usize) -> Markup {
    html! {
        ul class="legend" {
            @for (colour, entry) in coloured {
                li {
                    svg class="swatch" width="26" height="8" aria-hidden="true" {
                        g class=(format!("c{colour}")) { polyline points="0,4 26,4" {} }
                    }
                    " " (entry)
                }
            }
            @if grey > 0 { li class="note" { "grey: " (grey) " more" } }
        }
    }
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
        let chosen = coloured(&series);
        assert_eq!((chosen.len(), chosen[0], chosen[COLOURS - 1]), (COLOURS, "i", "a"));
        assert_eq!(coloured(&series[..2]), ["b", "a"]);
        let html = chart("t".to_owned(), &series, &chosen).unwrap().into_string();
        assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    }
}
