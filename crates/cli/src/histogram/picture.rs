//! A histogram as SVG: an area whose height over each bin is its count.

use super::count::Counted;

use super::summary;
use crate::chart::{self, Axis, Chart, Line, Look, Marker};

/// Room above the highest bin.
const MARGIN: f64 = 1.05;

/// The picture.
pub fn svg(counted: &Counted) -> String {
    let highest = counted.counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let steps = counted.edges.windows(2).zip(&counted.counts);
    let steps = steps.flat_map(|(ends, count)| [(ends[0], *count as f64), (ends[1], *count as f64)]);
    let [low, high] = counted.range;
    let area = [(low, 0.0)].into_iter().chain(steps).chain([(high, 0.0)]).collect();
    let chart = Chart {
        title: format!("Histogram of {}", counted.file),
        x: Axis::even("value", (low, high)),
        y: Axis::even("elements in a bin", (0.0, MARGIN * highest)),
        lines: vec![Line {
            name: "elements in a bin".to_owned(),
            look: Look::named("area", Marker::None),
            pieces: vec![area],
        }],
        ceiling: None,
    };
    chart::picture(&chart, &summary(counted), &[])
}
