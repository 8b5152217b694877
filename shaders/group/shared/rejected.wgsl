// The ids that no group has: counted by each invocation, and added once.
#import io
#import states

var<private> rejected: u32;

fn add_rejected() {
    if rejected > 0u {
        atomicAdd(&states[GROUPS * STATE], rejected);
    }
}
