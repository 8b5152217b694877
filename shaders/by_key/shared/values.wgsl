// Values: elements that the operator's `map` takes.
#import by_key/shared/io
#import <operator>

@group(0) @binding(5) var<storage, read> values: array<Elem>;
#ifdef vectors
@group(0) @binding(6) var<storage, read> value_vectors: array<vec4<Elem>>;

alias FourValues = vec4<Elem>;
#else
struct FourValues {
    #for c in x y z w: $c: Elem,
}
#endif

struct Values {
    #for p in a b c d: $p: FourValues,
}

// The value of a pair, or of the last pair beyond the end.
fn value(at: u32) -> Elem { return values[params.first_value + min(at, max(params.count, 1u) - 1u)]; }
fn four_values(at: u32) -> FourValues { return FourValues(value(at), value(at + 1u), value(at + 2u), value(at + 3u)); }

fn own_values(at: u32, is_whole: bool) -> Values {
#ifdef vectors
    let first = params.first_value + at;
    if (first % 4u == 0u) & is_whole {
        let vector = first / 4u;
        return Values(
            #for k in 0..4: value_vectors[vector + $(k)u],
        );
    }
#endif
    return Values(four_values(at), four_values(at + 4u), four_values(at + 8u), four_values(at + 12u));
}

// The accumulator of a run, or of an empty one if a run begins here, and of the value at a place.
fn with_value(acc: Acc, value: Elem, at: u32, is_start: bool) -> Acc {
    var before = acc;
    if is_start {
        before = identity();
    }
    return combine(before, map(value, at));
}

fn with_four(acc: Acc, four: FourValues, at: u32, starts: u32) -> Acc {
    let first = with_value(acc, four.x, at, (starts & 1u) != 0u);
    let second = with_value(first, four.y, at + 1u, (starts & 2u) != 0u);
    let third = with_value(second, four.z, at + 2u, (starts & 4u) != 0u);
    return with_value(third, four.w, at + 3u, (starts & 8u) != 0u);
}

// The accumulator of the last run among some pairs: of all of them, if none begins.
fn last_run(values: Values, at: u32, len: u32, starts: u32) -> Acc {
    if len == 16u {
        let a = with_four(identity(), values.a, at, starts);
        let b = with_four(a, values.b, at + 4u, starts >> 4u);
        let c = with_four(b, values.c, at + 8u, starts >> 8u);
        return with_four(c, values.d, at + 12u, starts >> 12u);
    }
    var acc = identity();
    for (var nth = 0u; nth < len; nth += 1u) {
        acc = with_value(acc, value(at + nth), at + nth, ((starts >> nth) & 1u) != 0u);
    }
    return acc;
}
