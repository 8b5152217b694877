// ones: the number of bits that are set in a slice of the bitmap.
//
// Bits are taken back as they are counted. So the next slice, and the next time that the operation is recorded, begin with none, as does
// new memory, and nothing has to clear half a gigabyte before.
#import io

@group(0) @binding(1) var<storage, read_write> number: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> bits: array<vec4<u32>>;

var<workgroup> total: atomic<u32>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    if lid == 0u {
        atomicStore(&total, 0u);
    }
    workgroupBarrier();
    var own = 0u;
    for (var at = workgroup.x * WG + lid; at < params.room / 4u; at += params.groups * WG) {
        let words = bits[at];
        if any(words != vec4(0u)) {
            let ones = countOneBits(words);
            own += (ones.x + ones.y) + (ones.z + ones.w);
            bits[at] = vec4(0u);
        }
    }
    if own > 0u {
        atomicAdd(&total, own);
    }
    workgroupBarrier();
    if lid == 0u {
        atomicAdd(&number[0], atomicLoad(&total));
    }
}
