// Finds out which workgroup is the last to finish.
#import rank/shared/io

var<workgroup> is_last: u32;

// Returns true in the last of `groups` workgroups that call it for a rank. It can read what the others have stored by atomic operations.
fn is_last_of(groups: u32, rank: u32, lid: u32) -> bool {
    storageBarrier();
    if lid == 0u {
        let ticket = atomicAdd(&state[rank * STATE + TICKETS + params.round], 1u);
        is_last = select(0u, 1u, ticket + 1u == groups);
    }
    let answer = workgroupUniformLoad(&is_last) == 1u;
    // Orders the ticket before the reads, also for invocations that did not take it.
    storageBarrier();
    return answer;
}
