// gather: the winners among the candidates.
//
// The key of the k-th element is known. Candidates with lower keys win. Of those with this very key some may win, and some not: ties
// go to the smaller index. There are three cases:
//
//   * all that are equal win, which is the most frequent case;
//   * some of the candidates that are equal win: the last workgroup to finish selects the smallest indices, digit by digit;
//   * the key is the threshold itself, elements with which were counted, not written down. Then the last workgroup adds up their counts,
//     and the next dispatch knows which workgroups have the first of them.
#import io
#import keys
#import search
#import ticket
#import winners
#import choose

@group(0) @binding(7) var<storage, read> candidates: array<Key>;
@group(0) @binding(9) var<storage, read> indices: array<u32>;
@group(0) @binding(10) var<storage, read_write> ties: array<u32>;

// Workgroups that share the candidates.
var<workgroup> sharing: u32;
var<workgroup> lower: atomic<u32>;
var<workgroup> equal: atomic<u32>;
var<workgroup> first_lower: u32;
var<workgroup> first_equal: u32;
var<workgroup> running: u32;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let row = workgroup.y;
    let search = search_of(row, lid);
    if lid == 0u {
        sharing = clamp(number(row) / (16u * WG), 1u, params.groups);
    }
    let groups = workgroupUniformLoad(&sharing);
    if workgroup.x >= groups {
        return;
    }
    let stop = number(row);
    // The number of winners with the very key, and where they come.
    let needed = search.left + 1u;
    let behind = winners_of_row() - needed;
    let start = workgroup.x * WG + lid;
    let step = groups * WG;
    if lid == 0u {
        atomicStore(&lower, 0u);
        atomicStore(&equal, 0u);
    }
    workgroupBarrier();
    for (var i = start; i < stop; i += step) {
        let key = candidates[row * params.room + i];
        if is_below(key, search.base) {
            atomicAdd(&lower, 1u);
        } else if key == search.base {
            atomicAdd(&equal, 1u);
        }
    }
    workgroupBarrier();
    if lid == 0u {
        first_lower = atomicAdd(&state[row * STATE + WON], atomicLoad(&lower));
        first_equal = atomicAdd(&state[row * STATE + TIED], atomicLoad(&equal));
        atomicStore(&lower, 0u);
        atomicStore(&equal, 0u);
    }
    workgroupBarrier();
    for (var i = start; i < stop; i += step) {
        let key = candidates[row * params.room + i];
        if is_below(key, search.base) {
            win(row, first_lower + atomicAdd(&lower, 1u), key, indices[row * params.room + i]);
        } else if key == search.base {
            win(row, behind + first_equal + atomicAdd(&equal, 1u), key, indices[row * params.room + i]);
        }
    }
    if !is_last_of(groups, row, lid) {
        return;
    }
    if lid == 0u {
        running = known(row, TIED);
    }
    let tied = workgroupUniformLoad(&running);
    if tied > needed {
        select_first(row * params.most + behind, tied, needed, lid);
    }
    if tied == 0u {
        add_up(row * params.parts, lid);
    }
}

// Moves the smallest of so many indices to the front.
fn select_first(first: u32, tied: u32, needed: u32, lid: u32) {
    var base = 0u;
    var left = needed - 1u;
    var bits = 32u;
    for (var round = 0u; round < 3u; round++) {
        let shift = max(bits, DIGIT) - DIGIT;
        clear_tally(lid);
        workgroupBarrier();
        for (var i = lid; i < tied; i += WG) {
            let digit = (atomicLoad(&winner_indices[first + i]) - base) >> shift;
            if digit < BINS {
                atomicAdd(&tally[digit], 1u);
            }
        }
        workgroupBarrier();
        let found = choose(left, lid);
        base += found.digit << shift;
        left -= found.before;
        bits = shift;
    }
    // Indices differ, so those up to the one that was found are as many as needed. They move to the front in steps, none past an index
    // that is still to be read.
    if lid == 0u {
        atomicStore(&lower, 0u);
    }
    for (var i = 0u; i < tied; i += WG) {
        var index = 0xffffffffu;
        if i + lid < tied {
            index = atomicLoad(&winner_indices[first + i + lid]);
        }
        storageBarrier();
        workgroupBarrier();
        if index <= base {
            atomicStore(&winner_indices[first + atomicAdd(&lower, 1u)], index);
        }
        storageBarrier();
        workgroupBarrier();
    }
}

// Replaces the number of ties of each part by the number of those before it.
fn add_up(first: u32, lid: u32) {
    if lid == 0u {
        running = 0u;
    }
    for (var i = 0u; i < params.parts; i += BINS) {
        // Each invocation adds up some neighbours; their sums stand in `tally`.
        clear_tally(lid);
        workgroupBarrier();
        let share = BINS / WG;
        var sum = 0u;
        for (var j = 0u; j < share; j++) {
            let part = i + lid * share + j;
            if part < params.parts {
                sum += ties[first + part];
            }
        }
        atomicStore(&tally[lid], sum);
        workgroupBarrier();
        var before = running;
        for (var j = 0u; j < lid; j++) {
            before += atomicLoad(&tally[j]);
        }
        for (var j = 0u; j < share; j++) {
            let part = i + lid * share + j;
            if part < params.parts {
                let own = ties[first + part];
                ties[first + part] = before;
                before += own;
            }
        }
        workgroupBarrier();
        if lid == WG - 1u {
            running = before;
        }
        workgroupBarrier();
    }
}
