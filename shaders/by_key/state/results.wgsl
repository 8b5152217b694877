// The state of some runs whose values an operator combines. Its names begin with `inner` here.
#import scan/shared/io
#import by_key/pairs
#import <inner>

@group(0) @binding(5) var<storage, read> values: array<Elem>;
#ifdef vectors
@group(0) @binding(6) var<storage, read> value_vectors: array<vec4<Elem>>;
#endif

struct Acc {
    // Runs that begin, and the pair at which the last of them does.
    count: u32,
    begin: u32,
    // The accumulator of the last run's values; of all of them, if no run begins.
    acc: InnerAcc,
}

fn identity() -> Acc {
    return Acc(0u, 0u, inner_identity());
}

fn combine(a: Acc, b: Acc) -> Acc {
    if b.count > 0u {
        return Acc(a.count + b.count, b.begin, b.acc);
    }
    return Acc(a.count, a.begin, inner_combine(a.acc, b.acc));
}

alias Value = Elem;
#ifdef vectors
alias FourValues = vec4<Elem>;
#else
struct FourValues {
    x: Elem,
    y: Elem,
    z: Elem,
    w: Elem,
}
#endif

struct Values {
    a: FourValues,
    b: FourValues,
    c: FourValues,
    d: FourValues,
}

// The value of a pair, or of the last pair beyond the end.
fn value(at: u32) -> Elem {
    return values[params.second + min(at, params.count - 1u)];
}

fn four_values(at: u32) -> FourValues {
    return FourValues(value(at), value(at + 1u), value(at + 2u), value(at + 3u));
}

fn values_from(at: u32) -> Values {
#ifdef vectors
    let first = params.second + at;
    if first % 4u == 0u && at + 16u <= params.count {
        let vector = first / 4u;
        return Values(value_vectors[vector], value_vectors[vector + 1u], value_vectors[vector + 2u], value_vectors[vector + 3u]);
    }
#endif
    return Values(four_values(at), four_values(at + 4u), four_values(at + 8u), four_values(at + 12u));
}

fn state_of(pairs: Pairs, values: Values) -> Acc {
    let acc = last_run(values, pairs.at, pairs.len, pairs.starts);
    if pairs.starts == 0u {
        return Acc(0u, 0u, acc);
    }
    return Acc(countOneBits(pairs.starts), pairs.at + firstLeadingBit(pairs.starts), acc);
}

// The accumulator of the last run among some pairs: of all of them, if none begins.
fn last_run(values: Values, at: u32, len: u32, starts: u32) -> InnerAcc {
    if len == 16u {
        let a = since_start(inner_identity(), values.a, at, starts);
        let b = since_start(a, values.b, at + 4u, starts >> 4u);
        let c = since_start(b, values.c, at + 8u, starts >> 8u);
        return since_start(c, values.d, at + 12u, starts >> 12u);
    }
    var acc = inner_identity();
    for (var nth = 0u; nth < len; nth += 1u) {
        acc = joined(acc, value(at + nth), at + nth, (starts >> nth) & 1u);
    }
    return acc;
}

fn since_start(acc: InnerAcc, four: FourValues, at: u32, starts: u32) -> InnerAcc {
    let a = joined(acc, four.x, at, starts & 1u);
    let b = joined(a, four.y, at + 1u, starts & 2u);
    let c = joined(b, four.z, at + 2u, starts & 4u);
    return joined(c, four.w, at + 3u, starts & 8u);
}

// The accumulator of a run, or of an empty one if a run begins here, and of a value.
fn joined(acc: InnerAcc, value: Elem, at: u32, start: u32) -> InnerAcc {
    var ahead = acc;
    if start != 0u {
        ahead = inner_identity();
    }
    return inner_combine(ahead, inner_map(value, at));
}

fn begun(count: u32, at: u32) -> Acc {
    return Acc(count, at, inner_identity());
}

fn with_value(state: Acc, value: Value, at: u32) -> Acc {
    return Acc(state.count, state.begin, inner_combine(state.acc, inner_map(value, at)));
}

// The result of the last run, which ends before a pair.
fn result_of(state: Acc, end: u32) -> Stored {
    return inner_finish(state.acc, end - state.begin);
}
