// clear: sets the counters to zero, one per invocation. Writes a word per bin.
//
// A dispatch instead of `clear_buffer`, which only an encoder has: a histogram can then be recorded inside the caller's pass.
#import lib/grid/entry
#import histogram/shared/io

fn kernel(at: Place, wg: Workgroup) {
    let bin = wg.index * WG + at.lid;
    if bin < COUNTERS {
        atomicStore(&counts[bin], 0u);
    }
}
