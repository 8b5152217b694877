// The elements of an invocation where they do not adjoin: four single elements per turn, so that four loads are on their way.
#ifndef reads_partials
#import lib/grid/entry
#import <operator>
#import exact/outliers/*
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
    for (var k = own; k < count; k += 4u * grid) {
        let v0 = item(begin, k, count, step);
        let v1 = item(begin, k + grid, count, step);
        let v2 = item(begin, k + 2u * grid, count, step);
        let v3 = item(begin, k + 3u * grid, count, step);
        // One bit for each of the items that are there: the first elements of their vectors.
        let there = (1u << min((count - k - 1u) / grid + 1u, 4u)) - 1u;
        acc = add_loaded(acc, Vectors(v0, v1, v2, v3, there));
    }
    return finished(acc, window);
}
#endif
