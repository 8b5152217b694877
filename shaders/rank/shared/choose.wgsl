// Chooses a digit: counts of keys by their next digit, and the digit that the key of a rank has.
//
// A digit has 11 bits, so that a key of 32 bits has three. Its 2048 counts are added up in three levels (16 counts to one of 128 sums,
// 16 of these to one of 8), so that no invocation adds more than some dozens of numbers.
#import io

const DIGIT: u32 = 11u;
const BINS: u32 = 2048u;

var<workgroup> tally: array<atomic<u32>, BINS>;
var<workgroup> sums: array<u32, 128>;
var<workgroup> sums_of_sums: array<u32, 8>;

// A digit, the number of keys with a lower one, and with this one.
struct Chosen {
    digit: u32,
    before: u32,
    equal: u32,
}

var<workgroup> chosen: Chosen;

fn clear_tally(lid: u32) {
    for (var bin = lid; bin < BINS; bin += WG) {
        atomicStore(&tally[bin], 0u);
    }
}

// The digit of the key with this rank. A barrier stands between the counting and this call.
fn choose(rank: u32, lid: u32) -> Chosen {
    for (var block = lid; block < 128u; block += WG) {
        var sum = 0u;
        for (var i = 0u; i < 16u; i++) {
            // Neighbouring invocations begin in different banks.
            sum += atomicLoad(&tally[16u * block + ((i + block) & 15u)]);
        }
        sums[block] = sum;
    }
    workgroupBarrier();
    if lid < 8u {
        var sum = 0u;
        for (var i = 0u; i < 16u; i++) {
            sum += sums[16u * lid + i];
        }
        sums_of_sums[lid] = sum;
    }
    workgroupBarrier();
    for (var block = lid; block < 128u; block += WG) {
        var before = 0u;
        for (var i = 0u; i < (block / 16u); i++) {
            before += sums_of_sums[i];
        }
        for (var i = block & ~15u; i < block; i++) {
            before += sums[i];
        }
        if rank - before < sums[block] {
            var bin = 16u * block;
            var equal = atomicLoad(&tally[bin]);
            while rank - before >= equal {
                before += equal;
                bin += 1u;
                equal = atomicLoad(&tally[bin]);
            }
            chosen = Chosen(bin, before, equal);
        }
    }
    return workgroupUniformLoad(&chosen);
}
