// The cell of the grid that a position beyond a side stands for, at any distance.
//
// A kernel that takes T steps at once needs cells up to T beyond a side. Layers come one after the other, so mirrors and fixed sides in that
// direction are handled at every step (time_step.wgsl). Columns lie side by side in the lanes, where a step at the side would differ from lane to
// lane. So lanes beyond a mirror hold the mirror image, and step it like all other cells. It stays the mirror image, bit for bit: the sum of the
// cells to the west and to the east does not depend on their order. Beyond a periodic side lies the grid's other end.
//
//     columns of a mirrored row      -3  -2  -1 | 0   1   2   3  ...  n-1 | n   n+1
//     hold what lies in               2   1   0 | 0   1   2   3       n-1 | n-1 n-2
//
// Beyond a fixed side any cell will do: the column at the side never changes, so nothing beyond it has an effect. If a grid is narrower than T, its
// fixed side may appear again in the mirror image on the other side: it is kept there, too.
#import stencil/lanes/*
#import stencil/streams/*

// A pack of the grid that stands for a pack of columns.
struct PackSource {
    // The first column.
    at: u32,
    // True if the pack is a mirror image, its last cell first.
    reversed: bool,
}

#ifdef fixed_borders
fn layer_source(l: i32) -> u32 { return u32(clamp(l, 0, layer_count() - 1)); }
fn source_of(i: i32, count: u32, lanes: i32, side: u32) -> PackSource { return PackSource(u32(clamp(i, 0, i32(count) - lanes)), false); }
#else
// `i` modulo `n`, at least 0, for positions not farther below 0 than a pass reaches. GLSL does not define the remainder
// of a negative number, so `i` is made positive first.
fn wrapped(i: i32, n: u32) -> u32 {
    let reach = params.steps + u32(LANES);
    return (u32(i) + n * (reach / n + 1u)) % n;
}

fn layer_source(l: i32) -> u32 {
    let count = layer_count();
    if 0 <= l && l < count {
        return u32(l);
    }
    if side_before() == WRAP {
        return wrapped(l, u32(count));
    }
    return u32(clamp(l, 0, count - 1));
}

// The `lanes` cells from `i` on, of `count` in a direction that begins at `side`.
fn source_of(i: i32, count: u32, lanes: i32, side: u32) -> PackSource {
    if side == WRAP {
        return PackSource(wrapped(i, count), false);
    }
    let there = wrapped(i, 2u * count);
    if there < count {
        return PackSource(there, false);
    }
    return PackSource(2u * count - u32(lanes) - there, true);
}
#endif

fn pack_source(c: i32) -> PackSource { return source_of(c, params.cols, LANES, params.west); }

fn is_fixed_col(place: PackSource, lane: u32) -> bool {
    let c = place.at + select(lane, u32(LANES) - 1u - lane, place.reversed);
    return (c == 0u && params.west == FIXED) || (c + 1u == params.cols && params.east == FIXED);
}
