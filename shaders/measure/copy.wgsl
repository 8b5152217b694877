// copy: how fast this machine's memory can be read and written at once.
//
// The ceiling for every kernel that writes as much as it reads. One 16-byte vector an invocation and step, four
// loads issued before the first store. A kernel, because `copy_buffer_to_buffer` may run on a copy engine that
// is slower than the shader cores.

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
    var i = workgroup.x * WG + lid;
    for (; i + 3u * grid < vectors; i += 4u * grid) {
        let v0 = source[i];
        let v1 = source[i + grid];
        let v2 = source[i + 2u * grid];
        let v3 = source[i + 3u * grid];
        sink[i] = v0;
        sink[i + grid] = v1;
        sink[i + 2u * grid] = v2;
        sink[i + 3u * grid] = v3;
    }
    for (; i < vectors; i += grid) {
        sink[i] = source[i];
    }
}
