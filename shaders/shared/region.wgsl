// A rectangle of a texture, and the division by its width.
//
// The division is one product of floats, corrected in integers: the quotient is below 2^15 (no texture has more rows), so its error before
// rounding is at most one. An integer division takes several times as long on most GPUs.

struct Region {
    // The first texel's column and row.
    left: u32,
    top: u32,
    // Texels of a row.
    width: u32,
    // The base-2 logarithm of a strip's rows.
    shift: u32,
    // The rows, and the texels, of all whole strips.
    rows: u32,
    texels: u32,
    // The reciprocal of the width.
    reciprocal: f32,
}

@group(0) @binding(3) var<uniform> region: Region;

// The column and the line of a number of columns, one line after the other.
fn divided(columns: u32) -> vec2<u32> {
    var line = u32(f32(columns) * region.reciprocal);
    line -= u32(line * region.width > columns);
    let x = columns - line * region.width;
    let is_next = x >= region.width;
    return vec2<u32>(x - select(0u, region.width, is_next), line + u32(is_next));
}
