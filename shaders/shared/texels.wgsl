// Texels of a rectangle of a texture, in the place of a buffer's elements.
//
// Copying an image to a buffer first would move three times the bytes. `textureLoad` reads one texel, without a sampler, from any format whose
// channels are floats, or signed, or unsigned integers, and the texture unit converts it for nothing.
//
// Neighbouring lanes have neighbouring positions. GPUs store textures in small blocks, so that a neighbour above is as near as one beside. So
// positions go through *strips* of a few rows, column after column, and 32 lanes read a block of 4 × 8 texels. With strips of four rows:
//
//     strip 0   0  4  8 12 16 20 ..        strip 1   4w  4w+4 ..        rows below the last whole strip
//               1  5  9 13 17 21 ..                  4w+1 ..            go from left to right
//               2  6 10 14 18 22 ..                  4w+2 ..
//               3  7 11 15 19 23 ..                  4w+3 ..
//
// Shapes that need the order of rows, such as a result for each row, have strips of one row.
//
// Loops find the places of four texels, then load the four, and then map them: with a branch between two loads the second waits for the
// first, and an NVIDIA H100 takes a tenth longer.
#import shared/cursor
#import shared/region
#import <texel>

@group(0) @binding(0) var texels: texture_2d<Channel>;

// The column and the row of a position.
fn place_of_texel(p: u32) -> vec2<u32> { return place_under(cursor_at(p, 0u)); }

// The texel at a place, mapped.
fn element_of(place: vec2<u32>) -> Mapped {
    let at = vec2<u32>(region.left, region.top) + place;
    return as_element(map_texel(textureLoad(texels, at, 0), at));
}

// The element at a position.
fn element_at(p: u32) -> Mapped { return element_of(place_of_texel(p)); }

// The number that the element at a place has row by row.
fn row_by_row(place: vec2<u32>) -> u32 { return place.y * region.width + place.x; }
