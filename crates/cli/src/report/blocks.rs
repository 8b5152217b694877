//! Speed by block shape: a line for every variant, the copy ceiling across.

use halofold::stencil::Block;
use maud::{Markup, html};

use super::lines::legend;
use super::stencils::{Field, block};
use crate::chart::{Axis, Ceiling, Chart, Line, Look};
use crate::stencil::{pieces, speed};
use crate::table;

/// The chart of a machine with its legend. Variants without a colour are thin and grey.
pub fn chart(title: String, field: &Field<'_>, variants: &[&str], coloured: &[&str]) -> Markup {
    let mut blocks: Vec<_> = field.rows.iter().filter_map(|row| block(row)).collect();
    blocks.sort_by_key(|block| (block.cols, block.rows));
    blocks.dedup();
    let highest = field.rows.iter().filter_map(|row| speed(row)).fold(0.0, f64::max);
    if blocks.is_empty() || highest == 0.0 {
        return html! { p class="note" { "Nothing was measured here." } };
    }
    let colour = |variant: &str| coloured.iter().position(|name| *name == variant);
    let of = |variant: &str, wanted: &Block| {
        let rows = field.rows.iter().filter(|row| row.what.variant == variant && block(row) == Some(*wanted));
        rows.filter_map(|row| speed(row)).max_by(f64::total_cmp)
    };
    let line = |variant: &&str| Line {
        name: (*variant).to_owned(),
        look: colour(variant).map_or_else(Look::rest, Look::colour),
        pieces: pieces(&blocks, |block| of(variant, block)),
    };
    let ceiling = field.ceiling();
    let grey = variants.iter().filter(|variant| colour(variant).is_none());
    let chart = Chart {
        title,
        x: Axis::blocks(&blocks),
        y: Axis::speeds(highest, ceiling),
        lines: grey.chain(coloured).map(line).collect(),
        ceiling: ceiling.map(|value| Ceiling { value, label: format!("copy: {}", table::digits(value)) }),
    };
    let entry = |variant: &&str| match field.best(variant) {
        Some(row) => format!("{variant} {} ({})", table::optional(row.figures.gcells_per_s), row.what.block),
        None => format!("{variant} -"),
    };
    let legend = legend(coloured.iter().map(entry).enumerate(), variants.len() - coloured.len());
    html! { (chart.figure()) (legend) }
}
