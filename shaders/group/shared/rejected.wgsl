// The ids that no group has: counted by each invocation, and added once.
#import io
#import states

var<private> rejected: u32;
var<workgroup> all_rejected: atomic<u32>;

// All invocations take part. Includes barriers.
fn add_rejected(lid: u32) {
    if lid == 0u {
        atomicStore(&all_rejected, 0u);
    }
    workgroupBarrier();
    if rejected > 0u {
        atomicAdd(&all_rejected, rejected);
    }
    workgroupBarrier();
    if lid == 0u {
        let number = atomicLoad(&all_rejected);
        if number > 0u {
            atomicAdd(&states[GROUPS * STATE], number);
        }
    }
}
