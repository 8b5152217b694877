//! Generates the weighted sum of a stencil for the general kernels.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::shader::Composer;
use crate::stencil::config::{Config, Kinds};
use crate::stencil::stencils::{Dims, Stencil};

/// Adds the stencil's radius to a kernel's text, and selects the file of its sum.
pub(super) fn pieces(config: &Config, composer: Composer) -> Composer {
    let stencil = config.stencil;
    // A hand-written sum supports fixed, reflect and wrap only.
    let own = stencil.formula.filter(|_| config.kinds() != Kinds::All);
    let mut text = format!("const REACH: i32 = {};", stencil.radius());
    if own.is_none() && config.variant.is_general() {
        text = format!("{text}\n{}", sum(stencil));
    }
    composer
        .generate("stencil", "the cells that the stencil reaches, and their sum", text)
        .choose("stencil/points", own.unwrap_or("any"))
}

/// Generates the struct of weights and the sum: each class times its weight.
fn sum(stencil: &Stencil) -> String {
    let count = stencil.classes.len();
    // The border constants follow all weights, stored twice, and a one.
    let before = 2 * count.max(4) + 1;
    let fields: String = (0..count).map(|class| format!("    w{class}: Elem,\n")).collect();
    let read: Vec<_> = (0..count).map(|class| format!("coefficients[{class}]")).collect();
    let products: Vec<_> = stencil.classes.iter().enumerate().map(product).collect();
    let planes = if stencil.dims == Dims::Three { "p: i32, " } else { "" };
    format!(
        "const CONSTANTS: u32 = {before}u;\n\nstruct Weights {{\n{fields}}}\n\n\
         fn weights() -> Weights {{\n    return Weights({});\n}}\n\n\
         fn update(k: Weights, {planes}r: i32, c: i32) -> Elem {{\n{}    return {};\n}}",
        read.join(", "),
        places(stencil),
        products.join("\n        + ")
    )
}

/// Generates the positions of columns, rows and planes that the stencil reads, each computed once.
fn places(stencil: &Stencil) -> String {
    let mut lines = String::new();
    for (axis, (name, function)) in AXES.into_iter().enumerate().take(stencil.dims.count()) {
        let offsets = stencil.classes.iter().copied().flatten().map(|offset| offset[axis]);
        for offset in offsets.collect::<BTreeSet<_>>() {
            let _ = writeln!(lines, "    let {} = {function}({name} + {offset});", place(axis, offset));
        }
    }
    if stencil.dims == Dims::Two {
        let _ = writeln!(lines, "    let {} = Position();", place(2, 0));
    }
    lines
}

/// Per axis: the parameter, and the function of `shaders/stencil/points/any.wgsl` that maps it to a position.
const AXES: [(&str, &str); 3] = [("c", "col_place"), ("r", "row_place"), ("p", "plane_place")];

/// Returns the name of a position: `c_2` after the new cell, `c_m2` before it.
fn place(axis: usize, offset: i32) -> String {
    let sign = if offset < 0 { "m" } else { "" };
    format!("{}_{sign}{}", AXES[axis].0, offset.unsigned_abs())
}

/// Generates the term of a class: its weight times the sum of its cells, added in opposite pairs.
fn product((class, cells): (usize, &&[[i32; 3]])) -> String {
    let cell = |offset: &[i32; 3]| {
        let [col, row, plane] = [0, 1, 2].map(|axis| place(axis, offset[axis]));
        format!("reached({plane}, {row}, {col})")
    };
    let pairs = cells.chunks(2).map(|pair| match pair {
        [one, other] => format!("({} + {})", cell(one), cell(other)),
        _ => pair.iter().map(cell).collect(),
    });
    let sum = pairs.reduce(|sum, pair| format!("({sum} + {pair})")).unwrap_or_default();
    format!("k.w{class} * {sum}")
}
