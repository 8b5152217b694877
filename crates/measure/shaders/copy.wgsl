// copy: how fast this machine's memory can be read and written at once.
//
// The ceiling for every kernel that writes as much as it reads. A kernel, because `copy_buffer_to_buffer` may run
// on a copy engine that is slower than the shader cores.
//
// Each workgroup copies one block, WG · VECTORS vectors of 16 bytes beside each other, and ends: no loop.
//
//     VECTORS = 2     lid   0  1  2  ...  WG - 1   0  1  2  ...  WG - 1
//                           first vectors          second vectors             all loads before the first store
//
// For reading alone a loop with the whole grid as its stride does as well (read.wgsl). For copying it does not:
// invocations of all ages are spread over the whole buffer, reading here and writing there, and memory, which
// serves a neighbourhood at a time and pays for turning from reads to writes, sees no neighbourhood. Short-lived
// workgroups that are started in order keep the front narrow. More vectors an invocation mean more bytes in
// flight and fewer workgroups to start; which number is best is the machine's affair, so the host tries a few.

struct Size {
    // Vectors to copy.
    vectors: u32,
    // Workgroups in one row of the dispatched grid.
    row: u32,
}

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> size: Size;

override WG: u32 = 256u;
// 1, 2 or 4.
override VECTORS: u32 = 1u;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let block = (workgroup.y * size.row + workgroup.x) * WG * VECTORS;
    let i = block + lid;
    if block + WG * VECTORS > size.vectors {
        // The last block, or one after the last.
        for (var k = 0u; k < VECTORS; k++) {
            if i + k * WG < size.vectors {
                sink[i + k * WG] = source[i + k * WG];
            }
        }
        return;
    }
    if VECTORS == 1u {
        sink[i] = source[i];
    } else if VECTORS == 2u {
        let v0 = source[i];
        let v1 = source[i + WG];
        sink[i] = v0;
        sink[i + WG] = v1;
    } else {
        let v0 = source[i];
        let v1 = source[i + WG];
        let v2 = source[i + 2u * WG];
        let v3 = source[i + 3u * WG];
        sink[i] = v0;
        sink[i + WG] = v1;
        sink[i + 2u * WG] = v2;
        sink[i + 3u * WG] = v3;
    }
}
