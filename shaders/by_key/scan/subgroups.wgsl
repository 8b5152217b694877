// Joins the runs before each invocation of a workgroup: in registers inside of a subgroup, then through workgroup memory.
#import entry
#import run
#import shuffle

// The narrowest subgroup that exists has four lanes.
override SUBGROUPS: u32 = 64u;

var<workgroup> counts: array<u32, SUBGROUPS>;
var<workgroup> begins: array<u32, SUBGROUPS>;
var<workgroup> accs: array<Acc, SUBGROUPS>;

fn at_place(at: u32) -> Runs {
    return Runs(counts[at], begins[at], accs[at]);
}

// How far the nearest lane before one is that has a bit; without one, the lane itself.
fn distance(bits: vec4<u32>, lane: u32) -> u32 {
    var word = lane / 32u;
    var own = bits[word] & ((1u << (lane % 32u)) - 1u);
    while own == 0u && word > 0u {
        word -= 1u;
        own = bits[word];
    }
    return lane - select(32u * word + firstLeadingBit(own), 0u, own == 0u);
}

// Returns the join of all earlier invocations. `of_all()` returns the join of all, until the next scan.
fn scan(own: Runs, at: Place, wg: Workgroup) -> Runs {
    // Lanes may come from a loop that they left at different times: the barrier brings them together before they exchange values.
    workgroupBarrier();
    let reach = distance(subgroupBallot(own.count > 0u), at.lane);
    let before = subgroupExclusiveAdd(own.count);
    let begin = subgroupShuffle(own.begin, at.lane - reach);
    let lanes = min(wg.width, WG);
    var acc = own.acc;
    for (var d = 1u; d < lanes; d <<= 1u) {
        let further = shuffle_up(acc, d);
        if d <= reach && own.count == 0u {
            acc = combine(further, acc);
        }
    }
    let near = Runs(before, begin, shuffle_up(acc, 1u));
    if at.lane == lanes - 1u {
        counts[at.subgroup] = before + own.count;
        begins[at.subgroup] = select(begin, own.begin, own.count > 0u);
        accs[at.subgroup] = acc;
    }
    workgroupBarrier();
    var ahead = no_runs();
    for (var k = 0u; k < at.subgroup; k += 1u) {
        ahead = join(ahead, at_place(k));
    }
    if at.lane > 0u {
        ahead = join(ahead, near);
    }
    return ahead;
}

fn of_all(wg: Workgroup) -> Runs {
    var all = no_runs();
    for (var k = 0u; k < wg.subgroups; k += 1u) {
        all = join(all, at_place(k));
    }
    return all;
}
