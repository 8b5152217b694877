// Detects the last workgroup to finish.
#import rank/shared/io

var<workgroup> is_last: u32;

// Returns true in the last of `groups` workgroups to call it for `rank`. That workgroup can read what the others stored atomically.
fn is_last_of(groups: u32, rank: u32, lid: u32) -> bool {
    storageBarrier();
    if lid == 0u {
        let ticket = atomicAdd(&state[rank * STATE + TICKETS + params.round], 1u);
        is_last = select(0u, 1u, ticket + 1u == groups);
    }
    let answer = workgroupUniformLoad(&is_last) == 1u;
    // Orders the ticket before the reads, also in invocations that did not take it.
    storageBarrier();
    return answer;
}
