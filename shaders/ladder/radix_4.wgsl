// radix-4: a tree whose every node adds four values instead of two.
//
// The other three quarters of the values are added onto the first quarter, until one value is left:
//
//     slot       0 1 2 3  4 5 6 7  8 9 a b  c d e f        WG = 16
//     s = 4      0+4+8+c  1+5+9+d  2+6+a+e  3+7+b+f        invocations 0 1 2 3
//     s = 1      0+1+2+3                                   invocation 0
//
// What it fixes over `sequential`: half as many steps, log4 instead of log2, and with them half the barriers:
// for 256 invocations 5 instead of 9. The work is the same, WG - 1 additions. But an active invocation makes
// three of them per step, and its four reads do not wait for each other, so it pays for one trip to workgroup
// memory where the binary tree pays for two in a row. Addresses are sequential, so there are no bank
// conflicts.
//
// What is still wrong: three quarters of the invocations have nothing to do from the first step on, and each
// has a single load in flight. The tree is cheaper, but the loads are not: the remedies are those of
// first-add and grid-stride. A wider radix has even fewer barriers and even fewer active invocations; with
// radix WG a single invocation adds everything.
//
// A size that is a power of two but not of four (2, 8, 32, 128, 512) ends with two values instead of one.
// Invocation 0 adds them while storing, without a further step.
//
// From csc367, the slide "Now sum four per thread", which shows the picture and gives neither code nor
// figure.
// Today: compare it with `sequential`, which differs in nothing else, and see what a barrier costs on your
// GPU. Large workgroups gain the most: in a small one few subgroups have to wait for each other.
#import shared/load
#import shared/store

var<workgroup> tile: array<Acc, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    tile[lid] = load_or_identity(group * WG + lid);
    workgroupBarrier();

    for (var s = WG >> 2u; s > 0u; s >>= 2u) {
        if lid < s {
            let low = combine(tile[lid], tile[lid + s]);
            let high = combine(tile[lid + 2u * s], tile[lid + 3u * s]);
            tile[lid] = combine(low, high);
        }
        workgroupBarrier();
    }

    if lid == 0u {
        var sum = tile[lid];
        // Powers of four have their single bit at an even position, the other powers of two at an odd one.
        if (WG & 0xaaaaaaaau) != 0u {
            sum = combine(sum, tile[lid + 1u]);
        }
        store(group, sum);
    }
}
