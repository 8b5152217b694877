// Texels of a rectangle of a texture, in the place of a buffer's elements.
//
// An image is read where it is: copying it to a buffer first would move three times the bytes. `textureLoad` reads one texel, without
// a sampler, from any format whose channels are floats, or signed, or unsigned integers. The conversion from half floats, 8-bit
// fractions or sRGB costs nothing: the texture unit does it.
//
// Kernels count elements: position p is an invocation's business, and neighbouring lanes have neighbouring positions. GPUs do not store
// textures row by row but in small blocks, so that a neighbour above is as near as one beside. So positions go through *strips* of a
// few rows, column after column, and 32 lanes read a block of 8 × 4 texels:
//
//     strip 0   0  4  8 12 16 20 ..        strip 1   4w  4w+4 ..        rows below the last whole strip
//               1  5  9 13 17 21 ..                  4w+1 ..            go from left to right
//               2  6 10 14 18 22 ..                  4w+2 ..
//               3  7 11 15 19 23 ..                  4w+3 ..
//
// Shapes that need the order of rows, such as a result for each row, have strips of one row.
//
// The division by the width is one product of floats, and is then corrected in integers: the quotient is below 2^15 (no texture has
// more rows), and its error before rounding below 2^15 · 3 · 2^-24, so at most one. An integer division takes several times as long on
// most GPUs.
#import texel_map

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

@group(0) @binding(0) var texels: texture_2d<Channel>;
@group(0) @binding(3) var<uniform> region: Region;

// The column and the row of a position in the rectangle.
fn coordinates_of(p: u32) -> vec2<u32> {
    let is_below = p >= region.texels;
    let columns = select(p >> region.shift, p - region.texels, is_below);
    var line = u32(f32(columns) * region.reciprocal);
    line -= u32(line * region.width > columns);
    var x = columns - line * region.width;
    let is_next = x >= region.width;
    line += u32(is_next);
    x -= select(0u, region.width, is_next);
    let in_strip = p & ((1u << region.shift) - 1u);
    return vec2<u32>(x, select((line << region.shift) + in_strip, region.rows + line, is_below));
}

// The texel at a place, mapped.
fn element_of(place: vec2<u32>) -> Mapped {
    let at = vec2<u32>(region.left, region.top) + place;
    return as_element(map_texel(textureLoad(texels, at, 0), at));
}

// The element at a position.
fn element_at(p: u32) -> Mapped {
    return element_of(coordinates_of(p));
}

// The number that an element has row by row.
fn texel_number(p: u32) -> u32 {
    let place = coordinates_of(p);
    return place.y * region.width + place.x;
}
