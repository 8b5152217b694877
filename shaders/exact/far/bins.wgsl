// Adds numbers of one word that are far from the windows to bins in workgroup memory.
//
// There is a bin per sign and exponent, so significands in a bin add without shifts, by one atomic addition. Its returned value shows
// whether the bin wrapped; then 2^32 goes to the limbs.
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import shared/exact/four_digits
#import shared/exact/lanes
#import shared/exact/limbs

var<workgroup> bins: array<atomic<u32>, 512>;

fn clear_bins(at: Place) {
    for (var i = at.lid; i < 512u; i += WG) {
        atomicStore(&bins[i], 0u);
    }
}

// Adds `low` units of a bin to the limbs, and `high` times 2^32 units.
fn add_bin(i: u32, low: u32, high: u32) { add_number(i >> 8u, max(i & 255u, 1u) - 1u, low, high); }

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
    let before = atomicAdd(&bins[bits >> 23u], m);
    if before + m < before {
        add_bin(bits >> 23u, 0u, 1u);
    }
    return SPILLED;
}

// Adds the first number of `x` to its bin. Returns flags.
fn add_far(x: Numbers) -> u32 { return add_alone(x.x); }
