//! A preset as a picture: speed by block shape, a line for every variant, as in the thesis's figures.

use halofold::stencil::Block;

use super::Replay;
use crate::chart::{self, Axis, Ceiling, Chart, Line, Look, Marker};
use crate::row::{Row, StencilWork};
use crate::table;

/// The picture.
pub fn svg(replay: &Replay) -> String {
    let speeds = replay.rows.iter().filter_map(speed);
    let ceiling = replay.peak.copy_gb_per_s / (2.0 * replay.element.size() as f64);
    let label = format!("copy: {}", table::digits(ceiling));
    let variants: Vec<_> = replay.rows.chunk_by(|a, b| a.what.variant == b.what.variant).collect();
    let line = |(index, rows): (usize, &&[Row<StencilWork>])| Line {
        name: rows[0].what.variant.clone(),
        look: Look::measured(index),
        pieces: pieces(&replay.blocks, |block| {
            rows.iter().find(|row| row.what.block == block.to_string()).and_then(speed)
        }),
    };
    let chart = Chart {
        title: format!(
            "{}-point stencil by block: {} of {}",
            replay.preset.stencil.points(),
            replay.grid,
            replay.element
        ),
        x: Axis::blocks(&replay.blocks),
        y: Axis::speeds(speeds.fold(0.0, f64::max), Some(ceiling)),
        lines: variants.iter().enumerate().map(line).collect(),
        ceiling: Some(Ceiling { value: ceiling, label: label.clone() }),
    };
    let entries = variants.iter().enumerate().map(|(index, rows)| {
        let best = rows.iter().filter_map(speed).max_by(f64::total_cmp);
        let best = best.map_or("-".to_owned(), table::digits);
        (Look::measured(index), format!("{} {best}", rows[0].what.variant))
    });
    let legend = [entries.collect(), vec![(Look::named("ceiling dashed", Marker::None), label)]];
    chart::picture(&chart, &replay.adapter, &legend)
}

/// A row's speed, if its result was right.
fn speed(row: &Row<StencilWork>) -> Option<f64> {
    row.time().and(row.figures.gcells_per_s)
}

/// The points of a variant by block; a line ends where the number of columns changes, as the thesis draws it, or a block is
/// missing.
fn pieces(blocks: &[Block], speed: impl Fn(&Block) -> Option<f64>) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let mut place = 0;
    for run in blocks.chunk_by(|a, b| a.cols == b.cols) {
        let points: Vec<_> =
            run.iter().zip(place..).map(|(block, at)| Some((Axis::place(at), speed(block)?))).collect();
        let known = points.split(Option::is_none).filter(|piece| !piece.is_empty());
        pieces.extend(known.map(|piece| piece.iter().copied().flatten().collect()));
        place += run.len();
    }
    pieces
}
