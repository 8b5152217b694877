// exact-columns: exact sums along the middle axis of a row-major array, [outer, len, inner] to [outer, inner], one
// workgroup per column.
//
// Reads each element once. Writes a result for each column. As in exact_segments.wgsl, the invocations of a workgroup share its limbs, so all of them
// work on one column. Its elements are `inner` apart, so a workgroup uses one element of each cache line that it loads. The workgroups of the next
// columns run at the same time and hit these lines in the cache. `columns` coalesces its loads and is faster; but a workgroup that sums several
// columns would need limbs for each column.
//
// A long column is cut into chunks of rows, which write states. A second dispatch of this kernel adds these up.
#import lib/grid/entry
#import shared/exact/fold_apart
#import shared/io
#import shared/column
#import <operator>
#import shared/exact/states
#import shared/exact/conclude_alone

fn kernel(at: Place, wg: Workgroup) {
    // Surplus workgroups of a folded grid repeat the work of the last one, and store nothing.
    let slot = min(wg.index, params.groups - 1u);
    let local = slot / params.own.inner;
    let range = column_range(local, slot - local * params.own.inner);
    let sum = fold_apart(range.top, range.rows, params.own.inner, at.lid, WG, at, wg);
    conclude_alone(slot, wg.index < params.groups, sum, range.rows, at);
}
