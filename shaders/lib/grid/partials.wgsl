// The partials buffer: workgroups publish their partials in it and take tickets, and the last one collects all partials.
//
// WGSL's atomics are relaxed, and its barriers synchronize only one workgroup, so nothing in the language orders one workgroup's ordinary
// stores before another's loads. Three measures replace such an order:
//
// 1. Partials are published and collected by read-modify-write atomics, which every GPU performs at the one point that all its cores share
//    (the last-level cache). Drivers have been seen to serve a plain atomic load from a stale private cache line.
// 2. A partial is published by an *exchange*: it returns the old word, which it can only do once it has been performed.
// 3. The ticket's addend depends on those returned words (`& params.own.zero`, a zero that no compiler knows), so the ticket is taken after
//    the exchanges have been performed.
//
// This relies on hardware that performs an atomic with a return value at device scope before it returns, as NVIDIA, AMD, Intel and Apple GPUs
// and the software adapters do. tests/device/one_launch.rs looks for a device that does not. On such a device an application sets
// `Launches::Two`: a second dispatch then replaces this file.
#import shared/io
#import <words>

@group(0) @binding(4) var<storage, read_write> partials: array<atomic<u32>>;

// The counter has its own cache line. The words between it and the slots belong to exact sums
// (exact/publish.wgsl). They are zero between two runs, whichever kernels share the buffer.
const FIRST_SLOT: u32 = 192u;

// Publishes a workgroup's partial. Returns whether all partials have now been published.
fn publish(slot: u32, acc: Acc) -> bool {
    let at = FIRST_SLOT + slot * ACC_WORDS;
    let words = to_words(acc);
    // One line a word: some compilers take minutes to analyse a loop over the words of a vector, and then reject it.
    var seen = 0u;
    #for word in 0..WORDS: seen |= atomicExchange(&partials[at + $(word)u], words[$word]);
    let ticket = atomicAdd(&partials[0], 1u + (seen & params.own.zero));
    return ticket == params.own.tickets - 1u;
}

fn collect(slot: u32) -> Acc {
    let at = FIRST_SLOT + slot * ACC_WORDS;
    return from_words(Words(
        #for word in 0..WORDS: atomicOr(&partials[at + $(word)u], 0u),
        #for word in WORDS..PADDED: 0u,
    ));
}

// Resets the counter to zero for the next run.
fn reset_tickets() { atomicStore(&partials[0], 0u); }
