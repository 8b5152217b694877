//! Speed by block shape: a line for every variant, as SVG, with the copy ceiling across.

use std::fmt::Write as _;

use halofold::stencil::Block;

use super::lines::legend_of;
use super::stencils::{Field, block};
use super::text::escape;
use crate::row::{Row, StencilWork};
use crate::table;

/// The picture, and the part of it inside the axes.
const SIZE: (f64, f64) = (420.0, 320.0);
const LEFT: f64 = 48.0;
const RIGHT: f64 = 412.0;
const UPPER: f64 = 22.0;
const LOWER: f64 = 270.0;

/// The ceiling is drawn where it leaves at least a third of the picture to the lines.
const FARTHEST_CEILING: f64 = 3.0;

/// Room above the highest point.
const MARGIN: f64 = 1.05;

/// Lines across, at most.
const MOST_TICKS: f64 = 6.0;

/// The places of blocks and speeds.
struct Axes {
    /// The blocks from left to right: by columns, then by rows.
    blocks: Vec<Block>,
    /// The speed at the upper edge.
    top: f64,
}

impl Axes {
    fn x(&self, place: usize) -> f64 {
        LEFT + (place as f64 + 0.5) * (RIGHT - LEFT) / self.blocks.len() as f64
    }

    fn y(&self, speed: f64) -> f64 {
        LOWER - speed / self.top * (LOWER - UPPER)
    }

    /// Runs of blocks with as many columns: the first place and the one behind the last.
    fn groups(&self) -> Vec<(usize, usize)> {
        let mut start = 0;
        let runs = self.blocks.chunk_by(|a, b| a.cols == b.cols);
        runs.map(|run| {
            start += run.len();
            (start - run.len(), start)
        })
        .collect()
    }
}

/// The chart of a machine with its legend. Variants without a colour are thin and grey.
pub fn chart(title: &str, field: &Field<'_>, variants: &[&str], coloured: &[&str]) -> String {
    let mut blocks: Vec<_> = field.rows.iter().filter_map(|row| block(row)).collect();
    blocks.sort_by_key(|block| (block.cols, block.rows));
    blocks.dedup();
    let highest = field.rows.iter().filter_map(|row| speed(row)).fold(0.0, f64::max);
    if blocks.is_empty() || highest == 0.0 {
        return "<p class=\"note\">Nothing was measured here.</p>\n".to_owned();
    }
    let ceiling = field.ceiling();
    let drawn = ceiling.filter(|ceiling| *ceiling <= FARTHEST_CEILING * highest);
    let axes = Axes { blocks, top: MARGIN * drawn.unwrap_or(highest).max(highest) };
    let mut svg = format!(
        "<svg class=\"lines\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
        SIZE.0,
        SIZE.1,
        escape(title)
    );
    grid(&mut svg, &axes);
    let colour = |variant: &str| coloured.iter().position(|name| *name == variant);
    let grey = variants.iter().filter(|variant| colour(variant).is_none());
    for variant in grey.chain(coloured) {
        let class = colour(variant).map_or("rest".to_owned(), |colour| format!("c{colour}"));
        let lines: String = pieces(&axes, field, variant).iter().map(|points| polyline(points)).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(svg, "<g class=\"{class}\"><title>{}</title>{lines}</g>", escape(variant));
    }
    if let Some(ceiling) = ceiling {
        draw_ceiling(&mut svg, drawn.map(|ceiling| axes.y(ceiling)), ceiling);
    }
    svg.push_str("</svg>\n");
    let entry = |variant: &&str| match field.best(variant) {
        Some(row) => format!("{variant} {} ({})", table::optional(row.figures.gcells_per_s), row.what.block),
        None => format!("{variant} -"),
    };
    svg + &legend_of(coloured.iter().map(entry), variants.len() - coloured.len())
}

/// A row's speed, if its result was right.
fn speed(row: &Row<StencilWork>) -> Option<f64> {
    row.time().and(row.figures.gcells_per_s)
}

/// The points of a variant; a line ends where the number of columns changes or a block is missing.
fn pieces(axes: &Axes, field: &Field<'_>, variant: &str) -> Vec<Vec<(f64, f64)>> {
    let of = |wanted: &Block| {
        let rows = field.rows.iter().filter(|row| row.what.variant == variant && block(row) == Some(*wanted));
        rows.filter_map(|row| speed(row)).max_by(f64::total_cmp)
    };
    let speeds: Vec<_> = axes.blocks.iter().map(of).collect();
    let mut pieces = Vec::new();
    for (start, end) in axes.groups() {
        let points: Vec<_> =
            (start..end).map(|place| Some((axes.x(place), axes.y(speeds[place]?)))).collect();
        let runs = points.split(Option::is_none).filter(|run| !run.is_empty());
        pieces.extend(runs.map(|run| run.iter().copied().flatten().collect()));
    }
    pieces
}

/// A line, or a short stroke for a single point.
fn polyline(points: &[(f64, f64)]) -> String {
    let stroke;
    let points = match points {
        [(x, y)] => {
            stroke = [(x - 5.0, *y), (x + 5.0, *y)];
            &stroke[..]
        }
        points => points,
    };
    let places: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    format!("<polyline points=\"{}\"/>", places.join(" "))
}

/// Lines at round speeds, rows under the axis, and under them the columns that they go with.
fn grid(svg: &mut String, axes: &Axes) {
    let step = round_step(axes.top);
    let mut speed = 0.0;
    while speed <= axes.top {
        let place = axes.y(speed);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            place + 4.0,
            tick(speed, step)
        );
        speed += step;
    }
    for (place, block) in axes.blocks.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            axes.x(place),
            LOWER + 15.0,
            block.rows
        );
    }
    let half = (RIGHT - LEFT) / axes.blocks.len() as f64 / 2.0;
    for (start, end) in axes.groups() {
        let (from, to) = (axes.x(start) - half + 2.0, axes.x(end - 1) + half - 2.0);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{0}\" y2=\"{0}\"/>\
             <text x=\"{1:.1}\" y=\"{2}\" text-anchor=\"middle\">×{3}</text>",
            LOWER + 21.0,
            (from + to) / 2.0,
            LOWER + 34.0,
            axes.blocks[start].cols
        );
    }
    let _ = writeln!(svg, "<text x=\"0\" y=\"12\">GCell/s</text>");
    let _ = writeln!(
        svg,
        "<text x=\"{RIGHT}\" y=\"{}\" text-anchor=\"end\">block: rows × columns</text>",
        SIZE.1 - 2.0
    );
}

/// The ceiling across the picture, or a word where it would be far above.
fn draw_ceiling(svg: &mut String, y: Option<f64>, ceiling: f64) {
    let (text, y) = match y {
        Some(y) => {
            let _ = writeln!(
                svg,
                "<line class=\"ceiling\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
            );
            (format!("copy: {}", table::digits(ceiling)), y - 4.0)
        }
        None => (format!("copy: {}, above ▴", table::digits(ceiling)), 12.0),
    };
    let _ =
        writeln!(svg, "<text class=\"ceiling\" x=\"{RIGHT}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>");
}

/// A step of 1, 2 or 5 and zeros, with no more than a few lines below the top.
fn round_step(top: f64) -> f64 {
    let decade = 10f64.powf((top / MOST_TICKS).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|step| top / step <= MOST_TICKS)
        .unwrap_or(top)
}

/// A speed with as many places as the step has.
fn tick(speed: f64, step: f64) -> String {
    let places = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    format!("{speed:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        for (top, step) in [(520.0, 100.0), (0.37, 0.1), (7.0, 2.0), (1.0, 0.2)] {
            assert!((round_step(top) - step).abs() < 1e-9 * step, "{top}: {}", round_step(top));
        }
        assert_eq!([tick(0.3, 0.1), tick(200.0, 50.0)], ["0.3", "200"]);
    }
}
