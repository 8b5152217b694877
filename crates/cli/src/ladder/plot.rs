//! Rows by length as a picture: time by size, both axes logarithmic.

use halofold_measure::cpu;

use super::by_size::{BySize, end_to_end};
use crate::chart::{self, Axis, Chart, Line, Look, Marker};
use crate::row::Row;

/// The most ticks on the axis of sizes.
const MOST_TICKS: i32 = 14;

/// The CPU's classes: one thread, all threads.
const CPU: [&str; 2] = ["one dashed", "all dashed"];

/// The looks of a series: the first two are the CPU's.
fn look(series: usize) -> Look {
    match series.checked_sub(CPU.len()) {
        None => Look::named(CPU[series], Marker::Square),
        Some(rung) => Look::measured(rung),
    }
}

/// The picture.
pub fn svg(by_size: &BySize<'_>) -> String {
    let lines = lines(by_size);
    let times = lines.iter().flat_map(|line| &line.points).map(|(_, ms)| *ms);
    let chart = Chart {
        title: format!("Time of one reduction by size: {} of {}", by_size.operator, by_size.element),
        x: Axis::sizes(by_size.sizes[0], by_size.sizes[by_size.sizes.len() - 1], MOST_TICKS),
        y: Axis::times(times),
        lines,
    };
    chart::picture(&chart, &by_size.adapter, &legend(by_size))
}

/// Every line that has points, end to end below the rest.
fn lines(by_size: &BySize<'_>) -> Vec<Line> {
    let line = |series: usize, look: Look, time: fn(&Row) -> Option<f64>| Line {
        name: by_size.series[series].clone(),
        look,
        points: by_size.of_series(series).filter_map(|row| Some((row.what.n as f64, time(row)?))).collect(),
    };
    let dotted = (CPU.len()..by_size.series.len()).map(|rung| line(rung, look(rung).dotted(), end_to_end));
    dotted.chain((0..by_size.series.len()).map(|series| line(series, look(series), Row::time))).collect()
}

/// A line for every series, then the meaning of solid and dotted lines.
fn legend(by_size: &BySize<'_>) -> [Vec<(Look, String)>; 2] {
    let series = by_size.series.iter().enumerate().map(|(series, name)| {
        let all_threads = name == cpu::rung(true);
        let label = if all_threads { format!("{name} ({})", cpu::threads()) } else { name.clone() };
        (look(series), label)
    });
    let solid = if by_size.clock.starts_with("GPU") { "time on the GPU" } else { "wall clock of batches" };
    let key = Look::named("text", Marker::Circle);
    let strokes = [(key.clone(), solid.to_owned()), (key.dotted(), "end to end".to_owned())];
    [series.collect(), strokes.into()]
}
