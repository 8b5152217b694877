// select: the k winners among the candidates, by one workgroup a row.
//
// There are some thousands of candidates, a few times as many as winners. The key of the k-th is found digit by digit. Candidates with lower
// keys win, and of those with this very key the ones with the smallest indices, as many as are needed: if not all of them are, the last
// index that wins is found digit by digit, too.
//
// If the k-th key is the threshold itself, and elements with it were counted and not written down, the winners among them are found by the
// next dispatch. It needs to know how many of them come before each part of the row.
#import io
#import keys
#import search
#import choose
#import four_vectors
#import winners

@group(0) @binding(7) var<storage, read> candidates: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> indices: array<vec4<u32>>;
@group(0) @binding(10) var<storage, read_write> ties: array<u32>;

var<workgroup> won: atomic<u32>;
var<workgroup> running: u32;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let row = workgroup.y;
    let search = search_of(row, lid);
    if lid == 0u {
        atomicStore(&won, 0u);
        keep_search(row, search);
        running = number(row);
    }
    let stop = workgroupUniformLoad(&running);
    let first = row * (params.room / 4u);
    var base = search.base;
    var left = search.left;
    var equal = 0u;
    if !search.is_found {
        var bits = search.bits;
        for (var round = 0u; round < 3u; round++) {
            let shift = max(bits, DIGIT) - DIGIT;
            clear_tally(lid);
            workgroupBarrier();
            for (var at = lid; 4u * at < stop; at += 4u * WG) {
                let keys = load(first, at, stop);
                count_digits(keys.a, 4u * at, stop, base, shift);
                count_digits(keys.b, 4u * (at + WG), stop, base, shift);
                count_digits(keys.c, 4u * (at + 2u * WG), stop, base, shift);
                count_digits(keys.d, 4u * (at + 3u * WG), stop, base, shift);
            }
            workgroupBarrier();
            let found = choose(left, lid);
            base += found.digit << shift;
            left -= found.before;
            equal = found.equal;
            bits = shift;
        }
    }
    var last_index = 0xffffffffu;
    if equal > left + 1u {
        last_index = find_index(first, stop, base, left, lid);
    }
    for (var at = lid; 4u * at < stop; at += WG) {
        let keys = candidates[first + at];
        let those = indices[first + at];
        win(row, keys.x, those.x, 4u * at < stop, base, last_index);
        win(row, keys.y, those.y, 4u * at + 1u < stop, base, last_index);
        win(row, keys.z, those.z, 4u * at + 2u < stop, base, last_index);
        win(row, keys.w, those.w, 4u * at + 3u < stop, base, last_index);
    }
    if search.is_found {
        add_up(row * params.parts, lid);
    }
}

fn load(first: u32, at: u32, stop: u32) -> FourVectors {
    let last = (stop - 1u) / 4u;
    return FourVectors(
        candidates[first + at],
        candidates[first + min(at + WG, last)],
        candidates[first + min(at + 2u * WG, last)],
        candidates[first + min(at + 3u * WG, last)],
    );
}

// The index with this rank among those of the candidates with one key.
fn find_index(first: u32, stop: u32, key: Key, rank: u32, lid: u32) -> u32 {
    var base = 0u;
    var left = rank;
    var bits = 32u - countLeadingZeros(params.count);
    for (var round = 0u; round < 3u; round++) {
        let shift = max(bits, DIGIT) - DIGIT;
        clear_tally(lid);
        workgroupBarrier();
        for (var at = lid; 4u * at < stop; at += WG) {
            let keys = candidates[first + at];
            let digits = (indices[first + at] - base) >> vec4(shift);
            count_digit(digits.x, (4u * at < stop) & (keys.x == key));
            count_digit(digits.y, (4u * at + 1u < stop) & (keys.y == key));
            count_digit(digits.z, (4u * at + 2u < stop) & (keys.z == key));
            count_digit(digits.w, (4u * at + 3u < stop) & (keys.w == key));
        }
        workgroupBarrier();
        let found = choose(left, lid);
        base += found.digit << shift;
        left -= found.before;
        bits = shift;
    }
    return base;
}

fn win(row: u32, key: Key, index: u32, is_valid: bool, base: Key, last_index: u32) {
    let wins = is_below(key, base) | ((key == base) & (index <= last_index));
    if is_valid & wins {
        winners[row * params.k + atomicAdd(&won, 1u)] = vec2(key, index);
    }
}

// Replaces the number of ties of each part by the number of those before it.
fn add_up(first: u32, lid: u32) {
    // Parts of an invocation, one after the other.
    let share = 8u;
    var before_all = 0u;
    for (var i = 0u; i < params.parts; i += share * WG) {
        var sum = 0u;
        for (var j = 0u; j < share; j++) {
            let part = i + lid * share + j;
            if part < params.parts {
                sum += ties[first + part];
            }
        }
        atomicStore(&tally[lid], sum);
        workgroupBarrier();
        // The sums of the invocations up to this one.
        for (var distance = 1u; distance < WG; distance <<= 1u) {
            var other = 0u;
            if lid >= distance {
                other = atomicLoad(&tally[lid - distance]);
            }
            workgroupBarrier();
            atomicAdd(&tally[lid], other);
            workgroupBarrier();
        }
        var before = before_all + atomicLoad(&tally[lid]) - sum;
        for (var j = 0u; j < share; j++) {
            let part = i + lid * share + j;
            if part < params.parts {
                let own = ties[first + part];
                ties[first + part] = before;
                before += own;
            }
        }
        before_all += atomicLoad(&tally[WG - 1u]);
        workgroupBarrier();
    }
}
