// Chooses a digit: counts of keys by their next digit, and the digit that the key of a rank has.
//
// A digit has 11 bits: three to a key of 32 bits, six to one of 64. Each invocation adds up some of its 2048 counts, and the one whose counts
// hold the rank finds the digit.
#import rank/shared/io
#import rank/order/*
#import lib/workgroup/sum_before

const DIGIT: u32 = 11u;
const BINS: u32 = 2048u;

var<workgroup> tally: array<atomic<u32>, BINS>;

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

// Counts four keys, of which the first is at a place before `stop` or not, by their next digits, if they are in the range of the search.
fn count_digits(keys: Keys, at: u32, stop: u32, base: Key, shift: u32) {
    let digits = digits_of(keys, base, shift);
    #for k in 0..4: count_digit(digits[$k], at + $(k)u < stop);
}

fn count_digit(digit: u32, is_valid: bool) {
    if is_valid & (digit < BINS) {
        atomicAdd(&tally[digit], 1u);
    }
}

// The digit of the key with this rank. A barrier stands between the counting and this call.
fn choose(rank: u32, lid: u32) -> Chosen {
    let share = BINS / WG;
    let first = share * lid;
    var sum = 0u;
    for (var i = 0u; i < share; i++) {
        // Neighbouring invocations begin in different banks.
        sum += atomicLoad(&tally[first + ((i + lid) & (share - 1u))]);
    }
    var before = sum_before(sum, lid);
    if rank - before < sum {
        var digit = first;
        var equal = atomicLoad(&tally[digit]);
        while rank - before >= equal {
            before += equal;
            digit += 1u;
            equal = atomicLoad(&tally[digit]);
        }
        chosen = Chosen(digit, before, equal);
    }
    return workgroupUniformLoad(&chosen);
}
