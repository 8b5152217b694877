//! A preset as an SVG plot: speed by block shape, a line for every variant, as in the thesis's figures.

use plotters::prelude::*;

use super::Replay;
use crate::failure::Failure;
use crate::plot::{
    self, Area, Drawn, LIGHT_MESH, MESH, Marker, Stroke, Style, TEXT, draw_legend, draw_line, draw_marker,
    font, px, stroke,
};
use crate::row::{Row, StencilWork};
use crate::table;

/// The ceiling is drawn where it leaves at least a third of the picture to the lines.
const FARTHEST_CEILING: f64 = 3.0;

/// Room above the highest point.
const MARGIN: f64 = 1.06;

/// The ceiling's line.
const CEILING: Style = Style { color: RGBColor(179, 38, 30), stroke: Stroke::Dashed, marker: Marker::None };

/// One variant: its points by the place of their block.
struct Line<'a> {
    variant: &'a str,
    points: Vec<(usize, f64)>,
}

/// The plot.
pub fn svg(replay: &Replay) -> Result<String, Failure> {
    let lines: Vec<_> = replay
        .rows
        .chunk_by(|a, b| a.what.variant == b.what.variant)
        .map(|rows| line(replay, rows))
        .collect();
    let ceiling = replay.peak.copy_gb_per_s / (2.0 * replay.element.size() as f64);
    let title = format!(
        "{}-point stencil by block: {} of {}",
        replay.preset.stencil.points(),
        replay.grid,
        replay.element
    );
    plot::svg(
        &title,
        &replay.adapter,
        |root, area| draw_chart(replay, &lines, ceiling, root, area),
        |area| draw_legend(area, &legend(&lines, ceiling)),
    )
}

fn line<'a>(replay: &Replay, rows: &'a [Row<StencilWork>]) -> Line<'a> {
    let point = |row: &Row<StencilWork>| {
        row.time()?;
        let place = replay.blocks.iter().position(|block| block.to_string() == row.what.block)?;
        Some((place, row.figures.gcells_per_s?))
    };
    Line { variant: &rows[0].what.variant, points: rows.iter().filter_map(point).collect() }
}

/// The highest speed of any line.
fn highest(lines: &[Line<'_>]) -> f64 {
    lines.iter().flat_map(|line| &line.points).map(|(_, speed)| *speed).fold(f64::MIN_POSITIVE, f64::max)
}

/// Whether the ceiling is in the picture.
fn shows(ceiling: f64, lines: &[Line<'_>]) -> bool {
    ceiling <= FARTHEST_CEILING * highest(lines)
}

fn draw_chart(replay: &Replay, lines: &[Line<'_>], ceiling: f64, root: &Area<'_>, area: &Area<'_>) -> Drawn {
    let names: Vec<_> = replay.blocks.iter().map(ToString::to_string).collect();
    let drawn = shows(ceiling, lines);
    let top = MARGIN * if drawn { highest(lines).max(ceiling) } else { highest(lines) };
    let mut chart = ChartBuilder::on(area)
        .margin(px(12))
        .x_label_area_size(px(56))
        .y_label_area_size(px(78))
        .build_cartesian_2d((0..names.len() - 1).into_segmented(), 0.0..top)?;
    chart
        .configure_mesh()
        .x_desc("block: rows x columns")
        .y_desc("GCell/s")
        .x_labels(names.len())
        .x_label_formatter(&|place| match place {
            SegmentValue::CenterOf(place) => names.get(*place).cloned().unwrap_or_default(),
            _ => String::new(),
        })
        .y_label_formatter(&|speed| label(*speed))
        .y_labels(8)
        .label_style(font(14))
        .axis_desc_style(font(18))
        .set_all_tick_mark_size(px(5))
        .bold_line_style(stroke(MESH, 1))
        .light_line_style(stroke(LIGHT_MESH, 1))
        .axis_style(stroke(TEXT, 1))
        .draw()?;
    let plane = chart.plotting_area();
    let place = |(place, speed): (usize, f64)| plane.map_coordinate(&(SegmentValue::CenterOf(place), speed));
    for (index, line) in lines.iter().enumerate() {
        let style = Style::measured(index);
        // A line ends where the number of columns changes: the thesis draws these apart.
        for piece in line.points.chunk_by(|a, b| replay.blocks[a.0].cols == replay.blocks[b.0].cols) {
            let points: Vec<_> = piece.iter().copied().map(place).collect();
            draw_line(root, style, &points)?;
            points.iter().try_for_each(|point| draw_marker(root, style, *point))?;
        }
    }
    if drawn {
        let ends = [SegmentValue::Exact(0), SegmentValue::Last].map(|x| plane.map_coordinate(&(x, ceiling)));
        draw_line(root, CEILING, &ends)?;
    }
    Ok(())
}

/// A speed in as few digits as it needs.
fn label(speed: f64) -> String {
    let text = format!("{speed:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The variants with their best speed, then the ceiling.
fn legend(lines: &[Line<'_>], ceiling: f64) -> [Vec<(Style, String)>; 2] {
    let entries = lines.iter().enumerate().map(|(index, line)| {
        let best = line.points.iter().map(|(_, speed)| *speed).max_by(f64::total_cmp);
        let best = best.map_or("-".to_owned(), table::digits);
        (Style::measured(index), format!("{} {best}", line.variant))
    });
    let where_it_is = if shows(ceiling, lines) { "" } else { ", above" };
    let entry = (CEILING, format!("copy: {}{where_it_is}", table::digits(ceiling)));
    [entries.collect(), vec![entry]]
}
