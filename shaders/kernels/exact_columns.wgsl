// exact-columns: exact sums along the middle axis of a row-major array, [outer, len, inner] to [outer, inner].
//
// Reads each element once. Writes a result for each column. A workgroup takes `sums()` columns side by side, so that its loads coalesce, and as many rows
// at a time as it has invocations for:
//
//     WG = 256, sums() = 32       invocation 0 … 31       row 0, columns 0 … 31
//                                 invocation 32 … 63      row 1, columns 0 … 31
//
// Each invocation sums elements of one column in a window in registers. Each column has its own windows, limbs and digits, so the ends of all
// columns are computed at once: carries by an invocation for each digit, results by one for each column.
//
// A long column is cut into chunks of rows, which write states. A second dispatch of this kernel adds these up.
//
// Cost: a dozen operations an element, as those of the rung `exact`.
#import lib/grid/entry
#import exact/sums/*
#import shared/exact/fold_apart
#import shared/io
#import shared/column
#import <operator>
#import shared/exact/states
#import shared/exact/conclude

fn kernel(at: Place, wg: Workgroup) {
    // Surplus workgroups of a folded grid repeat the work of the last one, and store nothing.
    let slot = min(wg.index, params.groups - 1u);
    let strips = (params.own.inner + sums() - 1u) / sums();
    let chunk = slot / strips;
    let first = (slot - chunk * strips) * sums();
    // Surplus invocations repeat the last column.
    let number = min(sums(), params.own.inner - first);
    let range = column_range(chunk, first + min(at.lid & (sums() - 1u), number - 1u));
    let sum = fold_apart(range.top, range.rows, params.own.inner, at.lid / sums(), WG / sums(), at, wg);
    conclude_alone(chunk * params.own.inner + first, select(0u, number, wg.index < params.groups), sum, range.rows, at);
}
