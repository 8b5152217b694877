// Chooses a digit: counts of keys by their next digit, and the digit that the key of a rank has.
//
// A digit has 11 bits: three to a key of 32 bits, six to one of 64. Its 2048 counts are added up in levels, 16 to one of 128 sums, 16 of
// these to one of 8; on the way back one invocation per sum tests for the rank. All loads are written out, so that they overlap.
#import io
#import key_order

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

// Counts four keys, of which the first is at a place before `stop` or not, by their next digits, if they are in the range of the search.
fn count_digits(keys: Keys, at: u32, stop: u32, base: Key, shift: u32) {
    let digits = digits_of(keys, base, shift);
    count_digit(digits.x, at < stop);
    count_digit(digits.y, at + 1u < stop);
    count_digit(digits.z, at + 2u < stop);
    count_digit(digits.w, at + 3u < stop);
}

fn count_digit(digit: u32, is_valid: bool) {
    if is_valid & (digit < BINS) {
        atomicAdd(&tally[digit], 1u);
    }
}

// The digit of the key with this rank. A barrier stands between the counting and this call.
fn choose(rank: u32, lid: u32) -> Chosen {
    for (var block = lid; block < 128u; block += WG) {
        // Neighbouring invocations begin in different banks.
        sums[block] = four_counts(block, 0u) + four_counts(block, 4u) + four_counts(block, 8u) + four_counts(block, 12u);
    }
    workgroupBarrier();
    if lid < 8u {
        sums_of_sums[lid] = sums_before(16u * lid, 16u);
    }
    workgroupBarrier();
    for (var block = lid; block < 128u; block += WG) {
        let group = block >> 4u;
        var before = sums_before(block & ~15u, block & 15u);
        before += select(0u, sums_of_sums[0], group > 0u) + select(0u, sums_of_sums[1], group > 1u);
        before += select(0u, sums_of_sums[2], group > 2u) + select(0u, sums_of_sums[3], group > 3u);
        before += select(0u, sums_of_sums[4], group > 4u) + select(0u, sums_of_sums[5], group > 5u);
        before += select(0u, sums_of_sums[6], group > 6u);
        if rank - before < sums[block] {
            chosen = Chosen(block, before, 0u);
        }
    }
    let found = workgroupUniformLoad(&chosen);
    if lid < 16u {
        sums[lid] = atomicLoad(&tally[16u * found.digit + lid]);
    }
    workgroupBarrier();
    if lid < 16u {
        let before = found.before + sums_before(0u, lid);
        if rank - before < sums[lid] {
            chosen = Chosen(16u * found.digit + lid, before, sums[lid]);
        }
    }
    return workgroupUniformLoad(&chosen);
}

fn four_counts(block: u32, i: u32) -> u32 {
    return (one_count(block, i) + one_count(block, i + 1u)) + (one_count(block, i + 2u) + one_count(block, i + 3u));
}

fn one_count(block: u32, i: u32) -> u32 {
    return atomicLoad(&tally[16u * block + ((i + block) & 15u)]);
}

// The sum of the first `number` of sixteen sums.
fn sums_before(first: u32, number: u32) -> u32 {
    return (four_before(first, 0u, number) + four_before(first, 4u, number))
        + (four_before(first, 8u, number) + four_before(first, 12u, number));
}

fn four_before(first: u32, i: u32, number: u32) -> u32 {
    return (select(0u, sums[first + i], i < number) + select(0u, sums[first + i + 1u], i + 1u < number))
        + (select(0u, sums[first + i + 2u], i + 2u < number) + select(0u, sums[first + i + 3u], i + 3u < number));
}
