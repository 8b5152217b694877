// carry: the state of the inputs before this one comes in, and that of all goes out.
//
// An input that is too large for a buffer is scanned part by part. What goes from part to part is not a result but an accumulator, which
// may hold more, in a buffer of the application's. Kernels with tiles bind four storage buffers, the most that every device has, and so
// find it among their own states. A part of no elements sets it to the accumulator of none.
#import io
#import entry

@group(0) @binding(11) var<storage, read_write> carried: array<Acc>;

fn kernel(at: Place, wg: Workgroup) {
    if at.lid > 0u {
        return;
    }
    if params.count == 0u {
        carried[0] = identity();
    } else if params.first == 0u {
        states[0] = carried[0];
    } else {
        carried[0] = states[1];
    }
}
