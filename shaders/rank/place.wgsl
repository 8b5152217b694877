// place: the winners in order, with ties by their indices.
//
// The place of a winner is the number of winners before it, so it can be counted, without any sort: each of k winners is compared with k
// others. That is a few million comparisons for a thousand winners, which the GPU does in the time of two barriers. Sixteen invocations
// share the comparisons of one winner.
//
// A row with fewer elements than k has fewer winners. The places behind them get no value and no index.
#import io
#import keys
#import winners

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

const TEAM: u32 = 16u;

// The winners before each of those of this workgroup.
var<workgroup> places: array<atomic<u32>, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let row = workgroup.y;
    let first = row * params.most;
    let number = winners_of_row();
    let slot = lid / TEAM;
    let own = workgroup.x * (WG / TEAM) + slot;
    if lid < WG / TEAM {
        atomicStore(&places[lid], 0u);
    }
    workgroupBarrier();
    var key = lowest();
    var index = 0u;
    if own < number {
        key = winners[first + own];
        index = atomicLoad(&winner_indices[first + own]);
        var before = 0u;
        for (var i = lid & (TEAM - 1u); i < number; i += TEAM) {
            let other = winners[first + i];
            let is_tie_before = (other == key) & (atomicLoad(&winner_indices[first + i]) < index);
            before += select(0u, 1u, is_below(other, key) | is_tie_before);
        }
        atomicAdd(&places[slot], before);
    }
    workgroupBarrier();
    if ((lid & (TEAM - 1u)) == 0u) & (own < params.k) {
        let out = (params.row + row) * params.k;
        let place = select(own, atomicLoad(&places[slot]), own < number);
        output[out + place] = select(0u, word_of(key), own < number);
        output[params.indices + out + place] = select(0xffffffffu, index, own < number);
    }
}
