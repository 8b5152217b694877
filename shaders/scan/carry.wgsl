// carry: the state of the inputs before this one comes in, and that of all goes out.
//
// Reads or writes one accumulator. An input that is too large for a buffer is scanned part by part. An accumulator goes from part to part, in a buffer
// of the application's. It joins the chain as the prefix of the first block, and leaves it from the slot behind all. A part of no elements sets it to
// the accumulator of none.
#import scan/shared/io
#import lib/grid/entry
#import lib/grid/links
#import lib/grid/slots

@group(0) @binding(11) var<storage, read_write> carried: array<Acc>;

fn kernel(at: Place, wg: Workgroup) {
    if at.lid > 0u {
        return;
    }
    // Coming in, the next dispatch's side is used; going out, the one of the dispatch before.
    let next = u32(atomicLoad(&links[params.ticket]) >= params.tickets);
    if params.count == 0u {
        carried[0] = identity();
    } else if params.skipped == 0u {
        put_words(prefix_slot(next, 0u), to_words(carried[0]));
    } else {
        carried[0] = from_words(seen_words(end_slot(1u - next)).words);
    }
}
