// A position that moves on by equal steps.
//
// In a buffer that is an addition. In a texture a position is a column and a line, found by a division that costs more than eight additions.
// So the position and the step are divided once, and from then on both are added.
#ifdef texels
#import shared/region

// A column and a row of the rectangle.
alias Where = vec2<u32>;
#else
alias Where = u32;
#endif

struct Cursor {
    p: u32,
    // Of texels a multiple of a strip's rows.
    step: u32,
#ifdef texels
    // The remainder and the quotient of the position, in columns of a strip, by the width; and those of the step.
    x: u32,
    line: u32,
    columns: u32,
    lines: u32,
#endif
}

#ifdef texels
fn cursor_at(p: u32, step: u32) -> Cursor {
    let at = divided(p >> region.shift);
    let by = divided(step >> region.shift);
    return Cursor(p, step, at.x, at.y, by.x, by.y);
}

fn advanced(c: Cursor) -> Cursor {
    let x = c.x + c.columns;
    let is_next = x >= region.width;
    let line = c.line + c.lines + u32(is_next);
    return Cursor(c.p + c.step, c.step, x - select(0u, region.width, is_next), line, c.columns, c.lines);
}

// The column and the row of a cursor in the rectangle.
fn place_under(c: Cursor) -> vec2<u32> {
    // Rows below the last whole strip go from left to right.
    if c.p >= region.texels {
        let at = divided(c.p - region.texels);
        return vec2<u32>(at.x, region.rows + at.y);
    }
    let in_strip = c.p & ((1u << region.shift) - 1u);
    return vec2<u32>(c.x, (c.line << region.shift) + in_strip);
}
#else
fn cursor_at(p: u32, step: u32) -> Cursor { return Cursor(p, step); }
fn advanced(c: Cursor) -> Cursor { return Cursor(c.p + c.step, c.step); }
fn place_under(c: Cursor) -> u32 { return c.p; }
#endif

// Four positions, a step apart, and the cursor behind them.
struct Four {
    #for p in a b c d: $p: Where,
    next: Cursor,
}

fn four_places(first: Cursor) -> Four {
    let second = advanced(first);
    let third = advanced(second);
    let fourth = advanced(third);
    return Four(place_under(first), place_under(second), place_under(third), place_under(fourth), advanced(fourth));
}
