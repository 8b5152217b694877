// exact-segments: exact sums of many segments from one dispatch.
//
// Reads each element once. Writes a result for each segment. A workgroup sums a long segment in windows and limbs, as the rung `exact` does, and rounds
// the sum itself. Short ones, of one length, it takes `sums()` at a time, with limbs for each, so that the ends of all are computed at once:
//
//     WG = 256, sums() = 32       invocation 0 … 7        segment 0: 16 elements each, and again
//                                 invocation 8 … 15       segment 1
//
// A longer segment is cut into chunks, which write states. A second dispatch of this kernel adds these up.
//
// Cost: a dozen operations an element, and a hundred or two for the end of a segment, in one invocation.
#import lib/grid/entry
#import exact/sums/*
#import shared/io
#import shared/bounds
#import shared/exact/fold
#import shared/exact/states
#import shared/exact/conclude

fn kernel(at: Place, wg: Workgroup) {
    // Surplus workgroups of a folded grid repeat the work of the last one, and store nothing. Surplus invocations repeat the last segment.
    let first = min(wg.index * sums(), params.groups - 1u);
    let number = min(sums(), params.groups - first);
    let member = member_of(at.lid);
    let range = bounds(first + min(member & (sums() - 1u), number - 1u));
    let sum = fold_range(range.begin, range.end, member / sums(), WG / sums(), at, wg);
    conclude_alone(first, select(0u, number, wg.index * sums() < params.groups), sum, range.end - range.begin, at);
}
