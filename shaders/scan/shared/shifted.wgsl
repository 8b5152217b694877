// Values of a workgroup's invocations, moved to the next one.
#import <operator>
#import lib/workgroup/through/*

// Returns the value of the invocation before one, and an identity to the first one.
fn shifted(value: Acc, lid: u32) -> Acc {
    workgroupBarrier();
    sums[lid] = value;
    workgroupBarrier();
    if lid == 0u {
        return identity();
    }
    return sums[lid - 1u];
}
