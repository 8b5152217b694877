// Adds numbers of one word that are far from the windows to bins in workgroup memory.
//
// There is a bin per sign and exponent, so significands in a bin add without shifts, by one atomic addition. Its returned value shows
// whether the bin wrapped; then 2^32 goes to the limbs.
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import shared/exact/four_digits
#import shared/exact/batch
#import shared/exact/lanes
#import shared/exact/limbs

var<workgroup> bins: array<atomic<u32>, 512>;

// The bins of numbers. Those of one exponent are neighbours, in different banks of memory.
fn bins_of(v: vec4<u32>) -> vec4<u32> { return ((v >> vec4<u32>(22u)) & vec4<u32>(0x1feu)) | (v >> vec4<u32>(31u)); }

fn clear_bins(at: Place) {
    for (var i = at.lid; i < 512u; i += WG) {
        atomicStore(&bins[i], 0u);
    }
}

// Adds `low` units of a bin to the limbs, and `high` times 2^32 units.
fn add_bin(i: u32, low: u32, high: u32) { add_number(i & 1u, max(i >> 1u, 1u) - 1u, low, high); }

// Adds all bins to the limbs. A barrier must follow.
fn empty_bins(at: Place) {
    for (var i = at.lid; i < 512u; i += WG) {
        add_bin(i, atomicLoad(&bins[i]), 0u);
    }
}

// Adds a number to its bin unless it is zero. Returns flags.
fn add_alone(bits: u32) -> u32 {
    let m = significand_of(bits);
    if m == 0u {
        return 0u;
    }
    if (bits & 0x7f800000u) == 0x7f800000u {
        return special(m > 0x800000u, bits >> 31u);
    }
    let bin = bins_of(vec4<u32>(bits)).x;
    let before = atomicAdd(&bins[bin], m);
    if before + m < before {
        add_bin(bin, 0u, 1u);
    }
    return SPILLED;
}

// Adds the first number of `x` to its bin. Returns flags.
fn add_far(x: Numbers) -> u32 { return add_alone(x.x); }

// Whole batches in bins are faster than digits if many numbers are outside of windows, but a cost at the end. The largest workgroups have no
// registers for them.
fn takes_batch(tag: u32) -> bool { return WG <= 512u && tag >= 2u * MISSED; }

// Adds sixteen numbers to their bins. Returns flags.
fn add_batch_far(batch: Batch) -> u32 {
    var flags = 0u;
    #for p in a b c d: var $p = batch.$p;
    for (var turn = 0u; turn < turns(4u); turn++) {
        flags |= add_four(vec4<u32>(a.x, b.x, c.x, d.x));
        #for p in a b c d: $p = $p.yzwx;
    }
    return flags;
}

// Adds four numbers to their bins. Returns flags.
fn add_four(v: vec4<u32>) -> u32 {
    let is_normal = ((v << vec4<u32>(1u)) - vec4<u32>(0x1000000u)) < vec4<u32>(0xfe000000u);
    if !all(is_normal) {
        return add_alone(v.x) | add_alone(v.y) | add_alone(v.z) | add_alone(v.w);
    }
    let bin = bins_of(v);
    let m = (v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    let before = vec4<u32>(
        #for c in x y z w: atomicAdd(&bins[bin.$c], m.$c),
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
