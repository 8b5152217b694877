// Two windows, for data of two scales in long inputs of numbers of one word.
//
// A second window takes registers, which the smallest and the largest workgroups do not have: of the small ones there are several to a core
// if an invocation takes few, and in those of 1024 it has no more than 64. They have one_window.wgsl.
#import <operator>
#import exact/formats/*
#import exact/far/*
#import shared/exact/batch
#import shared/exact/limbs

// The second window, and the sum in it; without one, its tag is zero.
var<private> in_second: Acc;

// Numbers in a window, and zeros in place of others.
fn held(x: Numbers, window: u32) -> Numbers {
    return select(vec4<u32>(0u), x, magnitudes(x) - vec4<u32>(window << 24u) < vec4<u32>(SPAN << 24u));
}

// Adds the numbers of a batch to their windows, if the two hold all of them. Returns whether that is so; `in_first` gets the sums of
// those in the first.
fn second_takes(batch: Batch, window: u32, in_first: ptr<function, Shares>) -> bool {
    if in_second.tag == 0u {
        return false;
    }
    let other = in_second.tag & WINDOW;
    #for p in a b c d: let $p = held(batch.$p, window);
    #for p in a b c d: let other_$p = held(batch.$p ^ $p, other);
    // If both windows hold all numbers, at most a zero's sign is left.
    let left = (batch.a ^ a ^ other_a) | (batch.b ^ b ^ other_b) | (batch.c ^ c ^ other_c) | (batch.d ^ d ^ other_d);
    if largest(magnitudes(left)) != 0u {
        return false;
    }
    *in_first = sums_of(Batch(a, b, c, d), window);
    in_second = settled(in_second, sums_of(Batch(other_a, other_b, other_c, other_d), other), 0u);
    return true;
}

fn choose_window(acc: Acc, batch: Batch) -> Acc {
    let next = without_second(acc);
    in_second.tag = other_window(batch, acc.tag & WINDOW, SPAN);
    return next;
}

// The second window's sum goes to the limbs, if there is one.
fn without_second(acc: Acc) -> Acc {
    if in_second.tag == 0u {
        return acc;
    }
    spill(in_second);
    in_second = identity();
    return Acc(acc.sum, acc.tag | SPILLED);
}

fn finished(acc: Acc, window: u32) -> Acc { return without_second(acc); }

// Whole batches in bins are faster than digits if many numbers are outside of windows, but a cost at the end, and code that slows other
// kernels.
fn takes_batch(tag: u32) -> bool { return tag >= 2u * MISSED; }

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
    let bin = v >> vec4<u32>(23u);
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
