// The columns that a workgroup of a time-blocked kernel writes, and the first one that it loads; in 3D its rows too.
//
// Workgroups overlap: each step makes one more column on either side of a workgroup's cells invalid, so `lost`
// columns on either side are loaded and stepped, and not written. At a fixed side nothing is lost.
#import stencil/shared/params
#import stencil/lanes/*
#import stencil/layer/*

struct Span {
    begin: i32,
    end: i32,
    first: i32,
}

// Workgroup `nth` of `count` side by side, each of which loads `width` of `length` columns. A workgroup at a fixed
// side ends there, so that the fixed cells are its outermost ones.
fn span_of(nth: i32, count: u32, width: i32, lost: i32, length: i32, low: u32, high: u32) -> Span {
    let is_last = nth + 1 == i32(count);
    let first = nth * (width - 2 * lost) - select(lost, 0, low == FIXED);
    let ends_at_side = is_last && high == FIXED && length >= width;
    return Span(select(first + lost, 0, nth == 0), select(first + width - lost, length, is_last), select(first, length - width, ends_at_side));
}

fn width_of_tile() -> i32 { return i32(COLS * PACKS) * LANES; }

fn columns_of(across: i32) -> Span {
    let lost = (i32(params.steps) + LANES - 1) / LANES * LANES;
    let cols = i32(params.cols);
    return span_of(across, params.blocks_across, width_of_tile(), lost, cols, params.west, params.east);
}

// True if a workgroup has cells at a fixed side.
fn has_fixed(span: Span, width: i32, length: i32, low: u32, high: u32) -> bool {
    return (low == FIXED && span.first <= 0) || (high == FIXED && span.first + width >= length);
}
