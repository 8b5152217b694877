// clear: sets the counters to zero, one per invocation. Writes a word for each bin.
//
// A dispatch, because only an encoder has `clear_buffer`: so a histogram can be recorded inside the caller's pass.
#import lib/grid/entry
#import histogram/shared/io

fn kernel(at: Place, wg: Workgroup) {
    let bin = wg.index * WG + at.lid;
    if bin < COUNTERS {
        atomicStore(&counts[bin], 0u);
    }
}
