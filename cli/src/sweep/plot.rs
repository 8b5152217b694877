//! A sweep as a picture: time by size, both axes logarithmic.

use super::{Sweep, end_to_end};
use crate::chart::{self, Axis, Chart, Line, Look, Marker};
use crate::cpu;
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

/// The picture of a sweep.
pub fn svg(sweep: &Sweep) -> String {
    let lines = lines(sweep);
    let times = lines.iter().flat_map(|line| &line.pieces).flatten().map(|(_, ms)| *ms);
    let chart = Chart {
        title: format!("Time of one reduction by size: {} of {}", sweep.operator, sweep.element),
        x: Axis::sizes(sweep.sizes[0], sweep.sizes[sweep.sizes.len() - 1], MOST_TICKS),
        y: Axis::times(times),
        lines,
        ceiling: None,
    };
    chart::picture(&chart, &sweep.adapter, &legend(sweep))
}

/// Every line that has points, end to end below the rest.
fn lines(sweep: &Sweep) -> Vec<Line> {
    let line = |series: usize, look: Look, time: fn(&Row) -> Option<f64>| Line {
        name: sweep.series[series].clone(),
        look,
        pieces: vec![
            sweep.of_series(series).filter_map(|row| Some((row.what.n as f64, time(row)?))).collect(),
        ],
    };
    let dotted = (CPU.len()..sweep.series.len()).map(|rung| line(rung, look(rung).dotted(), end_to_end));
    dotted.chain((0..sweep.series.len()).map(|series| line(series, look(series), Row::time))).collect()
}

/// A line for every series, then what solid and dotted lines mean.
fn legend(sweep: &Sweep) -> [Vec<(Look, String)>; 2] {
    let series = sweep.series.iter().enumerate().map(|(series, name)| {
        let all_threads = name == cpu::rung(true);
        let label = if all_threads { format!("{name} ({})", cpu::threads()) } else { name.clone() };
        (look(series), label)
    });
    let solid = if sweep.has_gpu_clock() { "time on the GPU" } else { "wall clock of batches" };
    let key = Look::named("text", Marker::Circle);
    let strokes = [(key.clone(), solid.to_owned()), (key.dotted(), "end to end".to_owned())];
    [series.collect(), strokes.into()]
}
