// The partials buffer: workgroups publish their partials in it and take tickets, the last one collects them all.
//
// WGSL's atomics are relaxed and its barriers reach no further than the workgroup, so nothing in the
// language orders one workgroup's ordinary stores before another's loads. Three things stand in for that:
//
// 1. Partials are published and collected by read-modify-write atomics, which every GPU performs at the one point that all
//    its cores share (the last-level cache). A plain atomic load would do by the letter, but drivers have been seen to
//    serve one from a stale private line.
// 2. A partial is published by an *exchange*: it returns the word that was there, which it can only do once it has been performed.
// 3. The ticket's addend depends on those returned words (`& params.own.zero`, a zero that no compiler knows), so
//    the ticket is taken after the exchanges were performed.
//
// That is an argument about hardware, not a promise of the language. It holds wherever an atomic that returns a value is performed
// at device scope before it returns: NVIDIA, AMD, Intel and Apple GPUs, and the software adapters.
#import io
#import words
#import exchange_words

@group(0) @binding(4) var<storage, read_write> partials: array<atomic<u32>>;

// The counter has a cache line to itself.
const FIRST_SLOT: u32 = 32u;

// Publishes a workgroup's partial and answers whether all partials are now published.
fn publish(slot: u32, acc: Acc) -> bool {
    let seen = exchange_words(FIRST_SLOT + slot * ACC_WORDS, to_words(acc));
    let ticket = atomicAdd(&partials[0], 1u + (seen & params.own.zero));
    return ticket == params.own.tickets - 1u;
}

fn collect(slot: u32) -> Acc {
    return from_words(fetch_words(FIRST_SLOT + slot * ACC_WORDS));
}

// Ready for the next run: the counter starts from zero again.
fn reset_tickets() {
    atomicStore(&partials[0], 0u);
}
