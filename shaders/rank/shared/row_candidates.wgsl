// Elements of a row in a range of keys: they are collected in workgroup memory, and sorted.
#import rank/shared/four_keys
#import rank/keys/*
#import rank/shared/input_words
#import rank/shared/row

// The most candidates that are ranked at once, and a sixteenth of that.
override CAPACITY: u32 = 64u;
override BLOCKS: u32 = 4u;

var<workgroup> filled: atomic<u32>;
var<workgroup> candidate_keys: array<Key, CAPACITY>;
var<workgroup> candidate_indices: array<u32, CAPACITY>;
// The keys of candidates again, in vectors, and the highest key at the end.
var<workgroup> blocks: array<array<vec4<u32>, 4>, BLOCKS>;
// Candidates with each rank: those with equal keys have the same.
var<workgroup> taken: array<atomic<u32>, CAPACITY>;
// Candidates in the order of their keys, and equal ones in any order.
var<workgroup> sorted: array<u32, CAPACITY>;

// Finds those of four elements that are in a range.
fn in_range(keys: vec4<u32>, row: RowSpan, i: u32, range: Range) -> vec4<bool> {
    var is_in = keys - vec4(range.low) <= vec4(range.high - range.low);
    if range.high == highest() {
        is_in &= vec4(i, i + 1u, i + 2u, i + 3u) < vec4(row.len);
    }
    return is_in;
}

// A bit for each element in the range.
fn mark(keys: FourKeys, row: RowSpan, i: u32, range: Range) -> u32 {
    return bits_of(
        in_range(keys.a, row, i, range),
        in_range(keys.b, row, i + 4u * WG, range),
        in_range(keys.c, row, i + 8u * WG, range),
        in_range(keys.d, row, i + 12u * WG, range),
    );
}

// Collects the marked elements. They are few, and the cache has most of them.
fn collect(marked: u32, row: RowSpan, i: u32) {
    if marked != 0u {
        var at = atomicAdd(&filled, countOneBits(marked));
        for (var left = marked; left != 0u; left &= left - 1u) {
            let index = i + place_of_lowest(left);
            if at < CAPACITY {
                candidate_keys[at] = element(row.begin + index);
                candidate_indices[at] = index;
            }
            at += 1u;
        }
    }
}

// Collects all elements of a range. There may be more of them than `CAPACITY`.
fn collect_all(held: FourKeys, row: RowSpan, range: Range, lid: u32) {
    collect(mark(held, row, 4u * lid, range), row, 4u * lid);
    for (var i = HELD * WG + 4u * lid; i < row.len; i += HELD * WG) {
        collect(mark(load(row, i).keys, row, i, range), row, i);
    }
    workgroupBarrier();
}

// Sorts `number` candidates.
fn sort(number: u32, lid: u32) {
    for (var i = lid; i < ((number + 15u) >> 4u) * 4u; i += WG) {
        blocks[i >> 2u][i & 3u] = vec4(
            candidate(4u * i, number), candidate(4u * i + 1u, number),
            candidate(4u * i + 2u, number), candidate(4u * i + 3u, number),
        );
    }
    for (var i = lid; i < number; i += WG) {
        atomicStore(&taken[i], 0u);
    }
    workgroupBarrier();
    for (var i = lid; i < number; i += WG) {
        let key = candidate_keys[i];
        // The number of candidates with lower keys. It is the rank, if no other candidate has the same key.
        var below = 0u;
        for (var block = 0u; 16u * block < number; block++) {
            below += number_below(blocks[block][0], key) + number_below(blocks[block][1], key);
            below += number_below(blocks[block][2], key) + number_below(blocks[block][3], key);
        }
        sorted[below + atomicAdd(&taken[below], 1u)] = i;
    }
    workgroupBarrier();
}

fn candidate(i: u32, number: u32) -> Key { return select(highest(), candidate_keys[min(i, CAPACITY - 1u)], i < number); }

fn number_below(keys: vec4<u32>, key: Key) -> u32 {
    let is_lower = select(vec4(0u), vec4(1u), keys < vec4(key));
    return (is_lower.x + is_lower.y) + (is_lower.z + is_lower.w);
}
