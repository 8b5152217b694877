// read: how fast this machine's memory can be read, with nothing else to do.
//
// The ceiling for every reduction. Each invocation reads 16-byte vectors, the stride being the whole grid, eight loads
// in flight at a time, and mixes them with `xor`, the cheapest operation that needs every bit. The one
// conditional store at the end is never taken on real data; it only keeps the compiler from dropping the loads.

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> vectors: u32;

override WG: u32 = 256u;
override GROUPS: u32 = 1024u;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let grid = GROUPS * WG;
    var a = vec4<u32>();
    var b = vec4<u32>();
    var i = workgroup.x * WG + lid;
    for (; i + 7u * grid < vectors; i += 8u * grid) {
        let v0 = source[i];
        let v1 = source[i + grid];
        let v2 = source[i + 2u * grid];
        let v3 = source[i + 3u * grid];
        let v4 = source[i + 4u * grid];
        let v5 = source[i + 5u * grid];
        let v6 = source[i + 6u * grid];
        let v7 = source[i + 7u * grid];
        a ^= (v0 ^ v1) ^ (v2 ^ v3);
        b ^= (v4 ^ v5) ^ (v6 ^ v7);
    }
    for (; i < vectors; i += grid) {
        a ^= source[i];
    }
    let mixed = a ^ b;
    if (mixed.x ^ mixed.y ^ mixed.z ^ mixed.w) == 0x9e3779b9u {
        sink[0] = mixed;
    }
}
