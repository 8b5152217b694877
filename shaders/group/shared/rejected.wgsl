// The ids that no group has: counted by each invocation, and added once.
#import group/shared/io
#import group/shared/states

var<private> rejected: u32;

fn add_rejected() {
    if rejected > 0u {
        atomicAdd(&states[GROUPS * STATE], rejected);
    }
}
