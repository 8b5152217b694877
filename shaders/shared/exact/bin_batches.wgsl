// Whole batches in bins: faster than digits if many numbers are outside of windows, but a cost at the end, and code that slows other kernels.
#import operator
#import exact/batch
#import exact/bins
#import exact/limbs

fn takes_batch(tag: u32) -> bool {
    return tag >= 2u * MISSED;
}

// Adds sixteen numbers to their bins. Returns flags.
fn add_batch_far(batch: Batch) -> u32 {
    var flags = 0u;
    var a = batch.a;
    var b = batch.b;
    var c = batch.c;
    var d = batch.d;
    for (var turn = 0u; turn < turns(4u); turn++) {
        flags |= add_four(vec4<u32>(a.x, b.x, c.x, d.x));
        a = a.yzwx;
        b = b.yzwx;
        c = c.yzwx;
        d = d.yzwx;
    }
    return flags;
}

// Adds four numbers to their bins. Returns flags.
fn add_four(v: vec4<u32>) -> u32 {
    let is_normal = ((v << vec4<u32>(1u)) - vec4<u32>(0x1000000u)) < vec4<u32>(0xfe000000u);
    if !all(is_normal) {
        return add_alone(v.x) | add_alone(v.y) | add_alone(v.z) | add_alone(v.w);
    }
    let bin = v >> vec4<u32>(23u);
    let m = (v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    let before = vec4<u32>(
        atomicAdd(&bins[bin.x], m.x),
        atomicAdd(&bins[bin.y], m.y),
        atomicAdd(&bins[bin.z], m.z),
        atomicAdd(&bins[bin.w], m.w),
    );
    var wrapped = (before + m) < before;
    if any(wrapped) {
        var which = bin;
        for (var i = 0u; i < turns(4u); i++) {
            if wrapped.x {
                add_bin(which.x, 0u, 1u);
            }
            which = which.yzwx;
            wrapped = wrapped.yzwx;
        }
    }
    return SPILLED;
}
