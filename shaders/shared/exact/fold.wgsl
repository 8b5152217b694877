// What an invocation is responsible for, summed in a window of its own: four vectors a turn, as fold_vectors.wgsl does it.
//
// All inputs are words of 32 bits here, whatever the elements are.
#import operator
#import io
#import exact/limbs

@group(0) @binding(0) var<storage, read> input: array<u32>;

#ifdef pair
@group(0) @binding(5) var<storage, read> second: array<u32>;

// The second factor of the pair whose first one is at `p`.
fn second_at(p: u32) -> u32 {
    return second[p + params.second];
}
#else
fn second_at(p: u32) -> u32 {
    return 0u;
}
#endif

#ifndef reads_partials
@group(0) @binding(3) var<storage, read> input4: array<vec4<u32>>;
#ifdef pair
@group(0) @binding(6) var<storage, read> second4: array<vec4<u32>>;

fn vector(i: u32) -> Factors {
    let p = 4u * i + params.second;
    var w: vec4<u32>;
    if (params.second & 3u) == 0u {
        w = second4[p >> 2u];
    } else {
        w = vec4<u32>(second[p], second[p + 1u], second[p + 2u], second[p + 3u]);
    }
    return Factors(input4[i], w);
}
#else
fn vector(i: u32) -> vec4<u32> {
    return input4[i];
}
#endif

// Invocations that look at an element of theirs for the first window.
const SAMPLES: u32 = 32u;
// The largest exponent among them.
var<workgroup> largest: atomic<u32>;

// Chooses the window that all invocations of a workgroup begin with, each by the element at `p`: the limbs are cleared on the way. Numbers
// near 1 are the guess where those say nothing.
fn first_window(p: u32, stop: u32, at: Place) -> u32 {
    clear_limbs(at);
    if at.lid == 0u {
        atomicStore(&largest, 0u);
    }
    workgroupBarrier();
    if at.lid < SAMPLES && p < stop {
        atomicMax(&largest, exponent_at(p));
    }
    workgroupBarrier();
    let top = atomicLoad(&largest);
    return window_below(select(top, HIGHEST / 2u, top == 0u));
}

// The sum of the elements from `begin` to `stop` that fall to this invocation, which is number `own` of `grid`. Whoever moved to
// another window on the way leaves everything in the limbs, as windows meet only if they are the same.
fn fold_range(begin: u32, stop: u32, own: u32, grid: u32, window: u32) -> Acc {
    var acc = identity();
    acc.tag = window;
    let begin4 = (begin + PER_VECTOR - 1u) / PER_VECTOR;
    let end4 = max(begin4, stop / PER_VECTOR);
    // Elements in front of the first vector and behind the last.
    let head = min(PER_VECTOR * begin4, stop) - begin;
    let single = head + max(stop, PER_VECTOR * end4) - PER_VECTOR * end4;
    var j = own;
    // One loop and one call, also for what is left at the end: drivers write every function out wherever it is called.
    for (var i = begin4 + own; i < end4 || j < single; i += 4u * grid) {
        var v0 = nothing();
        var v1 = nothing();
        var v2 = nothing();
        var v3 = nothing();
        if i + 3u * grid < end4 {
            v0 = vector(i);
            v1 = vector(i + grid);
            v2 = vector(i + 2u * grid);
            v3 = vector(i + 3u * grid);
        } else {
            if i < end4 {
                v0 = vector(i);
            }
            if i + grid < end4 {
                v1 = vector(i + grid);
            }
            if i + 2u * grid < end4 {
                v2 = vector(i + 2u * grid);
            }
            if j < single {
                v3 = among_nothing(element(select(PER_VECTOR * end4 + j - head, begin + j, j < head)));
            }
            j += grid;
        }
        acc = add_batch(acc, v0, v1, v2, v3);
    }
    acc.tag &= MISSED - 1u;
    if (acc.tag & WINDOW) != window {
        spill(acc);
        let flags = acc.tag & ~WINDOW;
        acc = identity();
        acc.tag = flags | window | SPILLED;
    }
    return acc;
}
#endif
