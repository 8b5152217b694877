// subgroup-butterfly: shuffles with lane i xor d instead of lane i + d, so that every lane ends with the sum.
//
// In the shuffle-down tree half of the lanes compute nothing useful in the first step, three quarters in the
// second, and only lane 0 has the result. The butterfly lets the lanes exchange: i and i xor d each send
// their value to the other, and both add.
//
//     lane       0     1     2     3     4     5     6     7
//     d = 1     01    01    23    23    45    45    67    67      neighbours exchange
//     d = 2    0..3  0..3  0..3  0..3  4..7  4..7  4..7  4..7     pairs exchange
//     d = 4    0..7  0..7  0..7  0..7  0..7  0..7  0..7  0..7     halves exchange
//
// The number of steps is the same. The cost is also the same, since the other lanes would have run along
// anyway.
// What it adds over subgroup-shuffle is that all lanes have the sum: an all-reduce without a broadcast after
// it. A plain reduction gains nothing from this, since one lane writes the result. In softmax, normalisation
// or a vote, where each lane then uses the sum, it saves a step and a barrier.
//
// It has two further advantages. A partner i xor d always exists when the width is a power of two, so no lane
// reads past the end and no test is needed. And every lane adds the same pairs: since a + b and b + a give
// the same bits, also for floats, all lanes hold the same bits.
//
// What is still wrong: as in subgroup-shuffle, hand-written steps and scalar loads.
//
// From a side note of csc367, which suggests `__shfl_xor_sync` for an all-reduce and gives no figure.
// Today: expect subgroup-shuffle's time. Some hardware exchanges lanes at small distances in the adder itself
// (AMD's data-parallel primitives), others send all shuffles through the workgroup memory's crossbar; where
// the two rungs differ, that is why.
#import lib/grid/entry
#import shared/fold_items
#import lib/subgroup/butterfly
#import lib/workgroup/reduce
#import shared/store

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
