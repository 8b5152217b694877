// place: the winners in order, with ties by their indices.
//
// The place of a winner is the number of winners before it, so it can be counted, without any sort: each of k winners is compared with k
// others. That is a few million comparisons for a thousand winners, which the GPU does in the time of two barriers. Thirty-two invocations
// share the comparisons of one winner, and each loads four of the others at a time.
//
// A row with fewer elements than k has fewer winners. The places behind them get no value and no index.
#import io
#import keys

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@group(0) @binding(12) var<storage, read> winners: array<vec2<u32>>;

const TEAM: u32 = 32u;

// The winners before each of those of this workgroup.
var<workgroup> places: array<atomic<u32>, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let row = workgroup.y;
    let first = row * params.k;
    let number = min(params.k, params.count);
    let slot = lid / TEAM;
    let own = workgroup.x * (WG / TEAM) + slot;
    if lid < WG / TEAM {
        atomicStore(&places[lid], 0u);
    }
    workgroupBarrier();
    let winner = winners[first + min(own, number - 1u)];
    if own < number {
        var before = 0u;
        for (var i = lid & (TEAM - 1u); i < number; i += 4u * TEAM) {
            let a = winners[first + i];
            let b = winners[first + min(i + TEAM, number - 1u)];
            let c = winners[first + min(i + 2u * TEAM, number - 1u)];
            let d = winners[first + min(i + 3u * TEAM, number - 1u)];
            before += is_before(a, winner, true) + is_before(b, winner, i + TEAM < number);
            before += is_before(c, winner, i + 2u * TEAM < number) + is_before(d, winner, i + 3u * TEAM < number);
        }
        atomicAdd(&places[slot], before);
    }
    workgroupBarrier();
    if ((lid & (TEAM - 1u)) == 0u) & (own < params.k) {
        let out = (params.row + row) * params.k;
        let place = select(own, atomicLoad(&places[slot]), own < number);
        output[out + place] = select(0u, word_of(winner.x), own < number);
        output[params.indices + out + place] = select(0xffffffffu, winner.y, own < number);
    }
}

// 1 if a winner comes before another one.
fn is_before(a: vec2<u32>, b: vec2<u32>, is_valid: bool) -> u32 {
    let comes_before = is_below(a.x, b.x) | ((a.x == b.x) & (a.y < b.y));
    return select(0u, 1u, is_valid & comes_before);
}
