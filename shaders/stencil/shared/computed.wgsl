// The range of computed cells. At a fixed side as many cells as the stencil reaches (REACH) are constants: they are read, never written.
//
// `fixed_borders`: all sides are fixed.
#import stencil/shared/params
#import <stencil>

fn skipped(side: u32) -> i32 {
#ifdef fixed_borders
    return REACH;
#else
    return select(0, REACH, side == FIXED);
#endif
}

// The cells from `first` up to, not including, `end` are computed.
fn first_col() -> i32 { return skipped(params.west); }
fn end_col() -> i32 { return i32(params.cols) - skipped(params.east); }
fn first_row() -> i32 { return skipped(params.north); }
fn end_row() -> i32 { return i32(params.rows) - skipped(params.south); }
fn first_plane() -> i32 { return skipped(params.near); }
fn end_plane() -> i32 { return i32(params.planes) - skipped(params.far); }
