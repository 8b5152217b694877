//! Text that is written out once for each register, as for the rows of a lane in `plane-sums`: WGSL has arrays, but not every compiler keeps
//! them in registers.

use crate::shader::Piece;

/// The texts of `0..count`, joined.
pub(super) fn each(count: u32, separator: &str, text: impl Fn(u32) -> String) -> String {
    (0..count).map(text).collect::<Vec<_>>().join(separator)
}

/// A struct with this many members of one type.
pub(super) fn repeated(name: &str, count: u32, member: &str, ty: &str) -> String {
    let members = each(count, "", |i| format!("    {member}{i}: {ty},\n"));
    format!("struct {name} {{\n{members}}}\n\n")
}

/// A function that returns a struct of these values.
pub(super) fn returning(head: &str, name: &str, values: &str) -> String {
    format!("fn {head} -> {name} {{\n    return {name}({values});\n}}\n\n")
}

/// The text of `#import strip`: a strip of rows one below the other, which loads one row more on either side.
pub(super) fn strip(rows: u32) -> Vec<Piece> {
    let loads = each(rows + 2, ", ", |i| format!("load_row(plane, r - 1 + {i}, cols)"));
    let loaded = each(rows + 2, "", |i| format!("    let r{i} = row_of(loaded.r{i});\n"));
    let sums = each(rows, ", ", |i| format!("plane_sums_of(k, r{i}, r{}, r{})", i + 1, i + 2));
    let advanced = each(rows, ", ", |i| format!("advance(k, sum.s{i}, next.s{i})"));
    let puts = each(rows, "", |i| format!("    put_row(k, p, r + {i}, cols, sum.s{i}, above.s{i});\n"));
    let text = [
        format!("const STRIP: i32 = {rows};\n\n"),
        repeated("Strip", rows, "s", "PlaneSums"),
        repeated("LoadedStrip", rows + 2, "r", "Loaded"),
        returning("load_strip(plane: u32, r: i32, cols: Cols)", "LoadedStrip", &loads),
        format!("fn strip_of(k: Weights, loaded: LoadedStrip) -> Strip {{\n{loaded}    return Strip({sums});\n}}\n\n"),
        returning("advance_strip(k: Weights, sum: Strip, next: Strip)", "Strip", &advanced),
        format!("fn put_strip(k: Weights, p: i32, r: i32, cols: Cols, sum: Strip, above: Strip) {{\n{puts}}}\n"),
    ]
    .concat();
    vec![
        Piece::new(format!("generated: a strip of {rows} rows of packs in a lane"), text)
            .importing("stencil/shared/plane_rows stencil/shared/rows stencil/sums/*"),
    ]
}
