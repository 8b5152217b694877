// The ids that no group has: an invocation adds its number of them once.
#import group/shared/io
#import group/shared/states

fn add_rejected(rejected: u32) {
    if rejected > 0u {
        atomicAdd(&states[GROUPS * STATE], rejected);
    }
}
