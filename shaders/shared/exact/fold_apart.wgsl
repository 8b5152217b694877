// The elements of an invocation where they do not adjoin: four vectors of them per turn, so that all their loads are on their way, and at the end
// four elements.
#ifndef reads_partials
#import lib/grid/entry
#import <operator>
#import exact/elements/*
#import shared/exact/window
#import exact/far/*
#import shared/exact/limbs
#import shared/exact/fold
#import shared/exact/vectors

// Element `k` of those that are `step` apart, as a vector, if it exists.
fn item(begin: u32, k: u32, count: u32, step: u32) -> Vector {
    if k < count {
        return element(begin + k * step);
    }
    return no_elements();
}

// The sum of the elements that fall to invocation `own` of `grid`, of `count` that are `step` apart.
fn fold_apart(begin: u32, count: u32, step: u32, own: u32, grid: u32, at: Place, wg: Workgroup) -> Acc {
    clear_limbs(at);
    clear_bins(at);
    workgroupBarrier();
    var top = 0u;
    let samples = samples_of(at, wg);
    for (var k = samples.x; k < SAMPLES; k += samples.y) {
        top = max(top, largest_exponent(item(begin, sample_place(k, count), count, step)));
    }
    let window = first_window(top, at);
    var acc = Acc(vec4<u32>(0u), window);
    let across = grid * step;
    var k = own;
    while k < count {
        var loaded: Vectors;
        if k + (4u * PER_VECTOR - 1u) * grid < count {
            #for v in 0..4: loaded.v$v = vector_apart(begin + k * step + $(v)u * PER_VECTOR * across, across);
            loaded.there = ALL_THERE;
            k += 4u * PER_VECTOR * grid;
        } else {
            #for v in 0..4: loaded.v$v = item(begin, k + $(v)u * grid, count, step);
            // One bit for each of the items that are there: the first elements of their vectors.
            loaded.there = (1u << min((count - k - 1u) / grid + 1u, 4u)) - 1u;
            k += 4u * grid;
        }
        acc = add_loaded(acc, loaded);
    }
    return moved(acc, window);
}
#endif
