// Vectors of four words, and the numbers that their elements become.
#ifndef reads_partials
#import <operator>
#import exact/formats/*
#import exact/elements/*
#import exact/operators/*
#import shared/exact/batch
#import shared/exact/window
#ifdef texels
#import shared/texels
#else
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(3) var<storage, read> input4: array<vec4<u32>>;
#endif
#ifdef pair
@group(0) @binding(5) var<storage, read> second: array<u32>;
@group(0) @binding(6) var<storage, read> second4: array<vec4<u32>>;

// The same vector of both inputs. `params.second` is the distance from an element to its partner's place.
struct Vector {
    v: vec4<u32>,
    w: vec4<u32>,
}

fn vector(i: u32) -> Vector {
    let p = PER_VECTOR * i + params.second;
    if p % PER_VECTOR == 0u {
        return Vector(input4[i], second4[p / PER_VECTOR]);
    }
    return Vector(input4[i], gathered(1u, p, 1u));
}

fn vector_or_zeros(v: Vector, is_there: bool) -> Vector { return Vector(select(zeros(1u), v.v, is_there), select(zeros(0u), v.w, is_there)); }
fn element(p: u32) -> Vector {
    let q = p + params.second;
    return Vector(among_zeros(words_at(0u, p), p, 1u), among_zeros(words_at(1u, q), q, 0u));
}

fn vector_apart(p: u32, step: u32) -> Vector { return Vector(gathered(0u, p, step), gathered(1u, p + params.second, step)); }
fn no_elements() -> Vector { return Vector(zeros(1u), zeros(0u)); }

#ifdef masked
// The numbers that a mask keeps; -0, which adds nothing, stands in the place of those whose partner is 0 in all bits.
fn part(v: Vector, half: u32, which: Lanes) -> Numbers {
    let x = floats(v.v, half);
    let mask = floats(v.w, half);
#ifdef bits_64
    let is_kept = (mask.low | mask.high) != vec2<u32>(0u);
    let low = select(vec2<u32>(0u), x.low, is_kept);
    return numbers(Numbers(low, select(vec2<u32>(0x80000000u), x.high, is_kept)), which);
#else
    return numbers(select(vec4<u32>(0x80000000u), x, mask != vec4<u32>(0u)), which);
#endif
}
#else
fn part(v: Vector, half: u32, which: Lanes) -> Numbers { return numbers(floats(v.v, half), floats(v.w, half), which); }
#endif
#else
alias Vector = vec4<u32>;

fn vector(i: u32) -> Vector {
#ifdef texels
    let p = 4u * i;
    return vec4<u32>(element_at(p), element_at(p + 1u), element_at(p + 2u), element_at(p + 3u));
#else
    return input4[i];
#endif
}

// Element `p` alone, and a vector of elements that are `step` apart.
fn element(p: u32) -> Vector { return among_zeros(words_at(0u, p), p, 1u); }
fn vector_apart(p: u32, step: u32) -> Vector { return gathered(0u, p, step); }
fn vector_or_zeros(v: Vector, is_there: bool) -> Vector { return select(zeros(1u), v, is_there); }

// Zeros that add nothing: -0, or products of -0 and +0.
fn no_elements() -> Vector { return zeros(1u); }
fn part(v: Vector, half: u32, which: Lanes) -> Numbers { return numbers(floats(v, half), which); }
#endif

// The words of element `p` of an input.
fn words_at(input_number: u32, p: u32) -> vec2<u32> {
#ifdef texels
    return vec2<u32>(element_at(p));
#else
    let i = words_of(p);
#ifdef pair
    if input_number == 1u {
        return vec2<u32>(second[i.x], second[i.y]);
    }
#endif
    return vec2<u32>(input[i.x], input[i.y]);
#endif
}

// The vectors of a turn. Some operators make other numbers than -0 of zeros that stand where no element is, so those are masked: bit k of
// `there` is set if vector k has elements, and bit 4 + k if it has more than its first one.
struct Vectors {
    #for k in 0..4: v$k: Vector,
    there: u32,
}

const ALL_THERE: u32 = 0xffu;

// The numbers of a part of vector `k`. The first element is in the first part.
fn part_of(v: Vector, k: u32, half: u32, there: u32) -> Numbers {
    var which = Lanes(0u - ((there >> (4u + k)) & 1u));
    if half == 0u {
        which.x = 0u - ((there >> k) & 1u);
    }
    return part(v, half, which);
}

fn add_loaded(acc: Acc, l: Vectors) -> Acc {
    let t = l.there;
    if BATCHES == 1u {
        let v0 = part_of(l.v0, 0u, 0u, t);
        return add_batch(acc, Batch(v0, part_of(l.v1, 1u, 0u, t), part_of(l.v2, 2u, 0u, t), part_of(l.v3, 3u, 0u, t)));
    }
    let a = part_of(l.v0, 0u, 0u, t);
    let first = add_batch(acc, Batch(a, part_of(l.v0, 0u, 1u, t), part_of(l.v1, 1u, 0u, t), part_of(l.v1, 1u, 1u, t)));
    let b = part_of(l.v2, 2u, 0u, t);
    return add_batch(first, Batch(b, part_of(l.v2, 2u, 1u, t), part_of(l.v3, 3u, 0u, t), part_of(l.v3, 3u, 1u, t)));
}

// The exponent by which a window is chosen: the largest of numbers that are finite.
fn largest_exponent(v: Vector) -> u32 {
    let all = Lanes(0xffffffffu);
    var found = largest(finite(part(v, 0u, all)));
    if BATCHES > 1u {
        found = max(found, largest(finite(part(v, 1u, all))));
    }
    return found;
}
#endif
