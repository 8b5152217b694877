// halve: several levels of a pyramid of minima and maxima, in one dispatch.
//
// A texel is the minimum, the maximum or both of the four texels below it. Culling asks such a pyramid ("Hi-Z"): is anything in this
// rectangle nearer than that? The answer is only safe if every texel of the source is in some texel of every level. So with an odd number
// of columns the last texel covers three columns in the place of two, and the last one two levels up as many as seven:
//
//     source     0  1  2  3  4  5  6             7 columns
//     level 1    [ 0 ]  [ 1 ]  [   2    ]         3
//     level 2    [           0          ]         1
//
// A dispatch makes the six levels that one workgroup can make by itself, and the next dispatch begins with the last of them. (The last workgroup
// cannot make the rest: nothing promises that it sees what others have stored.)
//
// A workgroup has 16 x 16 invocations and a tile of 64 x 64 texels of the source:
//
//     level    of a tile    made of                                 by
//     1        32 x 32      the source: each invocation loads 16    256 invocations: four texels each, 16 apart
//     2        16 x 16      level 1 in workgroup memory             256 invocations
//     3        8 x 8        level 2 in workgroup memory             64 invocations
//     4 .. 6   4, 2, 1      the level before in workgroup memory    16, 4, 1
//
// Cost: reads the source once, with sixteen independent loads in flight, and writes all levels, together a third of its texels.
//
// The tiles of the last column and row take the texels that are left over: up to 127 columns. For these an invocation keeps the texels of level 1
// that are under its own of level 2 in registers, and level 2 is made in up to four rounds.
//
// Levels from 2 on lie in workgroup memory one behind the other, so that no invocation overwrites what another still reads. Accumulators are integer
// keys: NaN, infinities and signed zeros are what they are in reductions. AMD's single pass downsampler has the same tile, and one dispatch.
#import <operator>
#import <map>
#import <outputs>
#import shared/texels

// The rows and columns of level 2 in the largest tile. Of level 3 there are half as many, rounded down, and so on.
const SIDE: u32 = 31u;

// 31 * 31 + 15 * 15 + 7 * 7 + 3 * 3, and 1 for level 6.
var<workgroup> kept: array<Acc, 1245>;

// The columns and rows of a level. The region is one of single rows, not of strips.
fn size_of(level: u32) -> vec2<u32> { return max(vec2<u32>(region.width, region.rows) >> vec2<u32>(level), vec2<u32>(1u)); }

// The last texel that a texel covers, of `below` columns and rows.
fn last_of(at: vec2<u32>, size: vec2<u32>, below: vec2<u32>) -> vec2<u32> { return select(2u * at + 1u, below - 1u, at + 1u == size); }

// Four texels of the source.
fn four(at: vec2<u32>) -> Acc {
    #for k in 0..4: let acc$k = load_bounds(at + vec2<u32>($(k % 2)u, $(k / 2)u));
    return combine(combine(acc0, acc1), combine(acc2, acc3));
}

// A texel of level 1, of at most three rows of three. All loads are in flight at once, and a texel may count twice.
fn nine(at: vec2<u32>) -> Acc {
    let last = last_of(at, size_of(1u), size_of(0u));
    #for k in 0..9: let acc$k = load_bounds(min(2u * at + vec2<u32>($(k % 3)u, $(k / 3)u), last));
    var acc = acc0;
    #for k in 1..9: acc = combine(acc, acc$k);
    return acc;
}

// A texel of level 2. Stores it, and those of level 1 that it covers.
fn two_levels(at: vec2<u32>) -> Acc {
    let begin = 2u * at;
    let last = last_of(at, size_of(2u), size_of(1u));
    var acc = identity();
    if all(last_of(last, size_of(1u), size_of(0u)) == 2u * begin + 3u) {
        #for k in 0..4: let acc$k = four(2u * begin + vec2<u32>($(k % 2 * 2)u, $(k / 2 * 2)u));
        #for k in 0..4: store(1u, begin + vec2<u32>($(k % 2)u, $(k / 2)u), acc$k);
        acc = combine(combine(acc0, acc1), combine(acc2, acc3));
    } else {
        for (var y = begin.y; y <= last.y; y += 1u) {
            for (var x = begin.x; x <= last.x; x += 1u) {
                let own = vec2<u32>(x, y);
                let covered = nine(own);
                store(1u, own, covered);
                acc = combine(acc, covered);
            }
        }
    }
    store(2u, at, acc);
    return acc;
}

// Levels 1 and 2 of a tile in which every texel covers four. Neighbouring lanes load and store neighbouring texels.
fn whole_tile(first: vec2<u32>, own: vec2<u32>) {
    let at = 2u * first + own;
    #for k in 0..4: let acc$k = four(2u * (at + vec2<u32>($(k % 2 * 16)u, $(k / 2 * 16)u)));
    #for k in 0..4: store(1u, at + vec2<u32>($(k % 2 * 16)u, $(k / 2 * 16)u), acc$k);
    #for k in 0..4: kept[32u * own.y + own.x + $(k / 2 * 512 + k % 2 * 16)u] = acc$k;
    workgroupBarrier();
    let covered = 64u * own.y + 2u * own.x;
    let upper = combine(kept[covered], kept[covered + 1u]);
    let acc = combine(upper, combine(kept[covered + 32u], kept[covered + 33u]));
    workgroupBarrier();
    store(2u, first + own, acc);
    kept[own.y * SIDE + own.x] = acc;
}

// A texel of a level in workgroup memory: of those of the level before, which begins at `base`, has rows of `side` and ends at `below`.
fn halved(at: vec2<u32>, size: vec2<u32>, base: u32, side: u32, below: vec2<u32>) -> Acc {
    let last = last_of(at, size, below);
    #for k in 0..9: let place$k = min(2u * at + vec2<u32>($(k % 3)u, $(k / 3)u), last);
    var acc = kept[base + place0.y * side + place0.x];
    #for k in 1..9: acc = combine(acc, kept[base + place$k.y * side + place$k.x]);
    return acc;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32>) {
    let size = size_of(2u);
    let tiles = max(size >> vec2<u32>(4u), vec2<u32>(1u));
    // The last row comes first, as its tiles take longest.
    let tile = vec2<u32>(workgroup.x, tiles.y - 1u - workgroup.y);
    // The tile's first texel of level 2, and its columns and rows.
    var first = 16u * tile;
    let is_last = tile + 1u == tiles;
    var below = select(vec2<u32>(16u), size - first, is_last);
    let is_whole = all(below >= vec2<u32>(16u)) && (!any(is_last) || all(size_of(0u) == 4u * size));
    if is_whole {
        whole_tile(first, own.xy);
    }
    if any(is_last) {
        for (var y = own.y; y < below.y; y += 16u) {
            for (var x = own.x + select(0u, 16u, is_whole && y < 16u); x < below.x; x += 16u) {
                kept[y * SIDE + x] = two_levels(first + vec2<u32>(x, y));
            }
        }
    }
    var base = 0u;
    var side = SIDE;
    for (var level = 3u; level <= LEVELS; level += 1u) {
        workgroupBarrier();
        first = first >> vec2<u32>(1u);
        let extent = max(below >> vec2<u32>(1u), vec2<u32>(1u));
        let next = base + side * side;
        if all(own.xy < extent) {
            let acc = halved(own.xy, extent, base, side, below);
            store(level, first + own.xy, acc);
            kept[next + own.y * (side >> 1u) + own.x] = acc;
        }
        below = extent;
        base = next;
        side = side >> 1u;
    }
}
