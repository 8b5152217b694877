// A pack of four: neighbouring cells of one row that an invocation holds.
//
// Loading four f32 cells of a row takes one instruction of 16 bytes. The number of columns must be a multiple of four, so that every pack is
// aligned. Single cells are read through the same binding, as components of their vectors.
//
// Kernels that hold packs also load the right-hand side (`rhs`, `addend`) themselves, early, and add it to a
// sum: as far as the compiler knows, a load after a store must wait for it.
#import <element>
#import stencil/shared/computed

@group(0) @binding(0) var<storage, read> source: array<vec4<Elem>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<Elem>>;

#ifdef rhs
@group(0) @binding(5) var<storage, read> right_hand_side: array<vec4<Elem>>;
#endif

alias Pack = vec4<Elem>;
const LANES: i32 = 4;

fn cell(i: u32) -> Elem { return source[i >> 2u][i & 3u]; }
fn pack(i: u32) -> Pack { return source[i >> 2u]; }

// The right-hand side. Without one, no sum uses what this returns.
fn addend(i: u32) -> Pack {
#ifdef rhs
    return right_hand_side[i >> 2u];
#else
    return Pack();
#endif
}

// The neighbours to the west, given the cell before the pack; then those to the east.
fn shift_from_west(west: Elem, own: Pack) -> Pack { return Pack(west, own.xyz); }
fn shift_from_east(own: Pack, east: Elem) -> Pack { return Pack(own.yzw, east); }

// Writes the computed cells of a pack; `c` is the column of the first. Only packs at a fixed side have other cells.
fn put_pack(i: u32, c: i32, value: Pack) {
    let begin = first_col() - c;
    let end = end_col() - c;
    let at = i >> 2u;
    if begin <= 0 && end >= 4 {
        result[at] = value;
        return;
    }
    if begin <= 0 && end > 0 { result[at].x = value.x; }
    if begin <= 1 && end > 1 { result[at].y = value.y; }
    if begin <= 2 && end > 2 { result[at].z = value.z; }
    if begin <= 3 && end > 3 { result[at].w = value.w; }
}
