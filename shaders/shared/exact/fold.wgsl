// The elements of an invocation, summed in a window in registers: four vectors per turn, as in fold_vectors.wgsl.
//
// The arithmetic of a turn takes about as long as its loads, so they must overlap. Either an invocation loads its next vectors before it
// adds these (workgroups of 512), which takes twice the registers. Or more invocations run at once: in several small workgroups to a
// core, which suit long inputs, or in one of 1024, for which compilers get by with 64 registers.
#ifndef reads_partials
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import exact/elements/*
#import shared/exact/window
#import exact/far/*
#import exact/sums/*
#import shared/exact/limbs
#import shared/exact/vectors

// The first window is chosen by the largest exponent in some vectors: a few neighbours at each of several places, spread over the
// input. They are few so that a subgroup of 32 loads them at once.
const PLACES: u32 = 8u;
const NEIGHBOURS: u32 = 4u;
const SAMPLES: u32 = PLACES * NEIGHBOURS;

// Position of sample `k` of `count` vectors. The places are at ninths of the input: data often repeat in powers of two.
fn sample_place(k: u32, count: u32) -> u32 { return (k / NEIGHBOURS + 1u) * (count / (PLACES + 1u)) + k % NEIGHBOURS; }

// Sample `k` of a range.
fn sample(range: Cut, k: u32) -> Vector {
    let place = range.begin4 + sample_place(k, range.end4 - range.begin4);
    if k < SAMPLES && place < range.end4 {
        return vector(place);
    }
    return no_elements();
}

#ifdef subgroups
// Every subgroup looks at all samples. An invocation's first sample, and the distance to its next one.
fn samples_of(at: Place, wg: Workgroup) -> vec2<u32> { return vec2<u32>(at.lane, wg.width); }
#else
var<workgroup> sampled: array<atomic<u32>, MOST_SUMS>;

// Every workgroup looks at all samples of a sum. An invocation's first sample, and the distance to its next one.
fn samples_of(at: Place, wg: Workgroup) -> vec2<u32> { return vec2<u32>(member_of(at.lid) / sums(), WG / sums()); }
#endif

// The first window of a sum, for all invocations of all workgroups the same, from the largest exponents that they have seen. If the samples are zeros,
// it is the one of numbers near 1.
fn first_window(seen: u32, at: Place) -> u32 {
#ifdef subgroups
    let top = subgroupMax(seen);
#else
    let sum = member_of(at.lid) & (sums() - 1u);
    if at.lid < sums() {
        atomicStore(&sampled[at.lid], 0u);
    }
    workgroupBarrier();
    atomicMax(&sampled[sum], seen);
    workgroupBarrier();
    let top = atomicLoad(&sampled[sum]);
#endif
    return window_below(select(top, ONE, top == 0u));
}

// A range of elements as vectors, and the single elements in front of the first vector and behind the last.
struct Cut {
    begin: u32,
    begin4: u32,
    end4: u32,
    head: u32,
    single: u32,
}

fn cut(begin: u32, stop: u32) -> Cut {
    let begin4 = (begin + PER_VECTOR - 1u) / PER_VECTOR;
    let end4 = max(begin4, stop / PER_VECTOR);
    let head = min(PER_VECTOR * begin4, stop) - begin;
    return Cut(begin, begin4, end4, head, head + max(stop, PER_VECTOR * end4) - PER_VECTOR * end4);
}

// Four vectors from vector `i` on, `grid` apart; at the end three of them and the single element `j`.
fn load(range: Cut, i: u32, j: u32, grid: u32) -> Vectors {
    if i + 3u * grid < range.end4 {
        return Vectors(vector(i), vector(i + grid), vector(i + 2u * grid), vector(i + 3u * grid), ALL_THERE);
    }
    var loaded = Vectors(no_elements(), no_elements(), no_elements(), no_elements(), 0u);
    if i < range.end4 {
        // No branch for each of them: it would keep the next load from being on its way.
        let last = range.end4 - 1u;
        let has_v1 = i + grid < range.end4;
        let has_v2 = i + 2u * grid < range.end4;
        loaded.v0 = vector(i);
        loaded.v1 = vector_or_zeros(vector(min(i + grid, last)), has_v1);
        loaded.v2 = vector_or_zeros(vector(min(i + 2u * grid, last)), has_v2);
        loaded.there = 0x11u | select(0u, 0x22u, has_v1) | select(0u, 0x44u, has_v2);
    }
    if j < range.single {
        let tail = PER_VECTOR * range.end4 + j - range.head;
        loaded.v3 = element(select(tail, range.begin + j, j < range.head));
        loaded.there |= 0x8u;
    }
    return loaded;
}

// True if an invocation loads the vectors of its next turn before it adds those of this one.
fn loads_ahead() -> bool { return MAY_LOAD_AHEAD && WG == 512u; }

// The sum of the elements from `begin` to `stop` that fall to this invocation, which is number `own` of `grid`. Sums in other
// windows than the first go to the limbs, because only equal windows are combined.
fn fold_range(begin: u32, stop: u32, own: u32, grid: u32, at: Place, wg: Workgroup) -> Acc {
    let range = cut(begin, stop);
    var i = range.begin4 + own;
    var j = own;
    let samples = samples_of(at, wg);
    // The samples first, so that they come before the elements.
    let first = sample(range, samples.x);
    var next: Vectors;
    if loads_ahead() {
        next = load(range, i, j, grid);
    }
    clear_limbs(at);
    clear_bins(at);
    workgroupBarrier();
    var top = largest_exponent(first);
    for (var k = samples.x + samples.y; k < SAMPLES; k += samples.y) {
        top = max(top, largest_exponent(sample(range, k)));
    }
    let window = first_window(top, at);
    var acc = Acc(vec4<u32>(0u), window);
    var is_more = i < range.end4 || j < range.single;
    while is_more {
        var loaded = next;
        if !loads_ahead() {
            loaded = load(range, i, j, grid);
        }
        // Full batches have no single element.
        j += select(grid, 0u, i + 3u * grid < range.end4);
        i += 4u * grid;
        is_more = i < range.end4 || j < range.single;
        if is_more && loads_ahead() {
            next = load(range, i, j, grid);
        }
        acc = add_loaded(acc, loaded);
    }
    return moved(acc, window);
}
#endif
