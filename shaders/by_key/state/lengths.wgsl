// The state of some runs whose result is their length.
#import by_key/pairs

alias Stored = u32;

struct Acc {
    // Runs that begin, and the pair at which the last of them does.
    count: u32,
    begin: u32,
}

fn identity() -> Acc {
    return Acc();
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(a.count + b.count, select(a.begin, b.begin, b.count > 0u));
}

// There are no values.
alias Value = u32;
alias FourValues = vec4<u32>;

struct Values {
    a: FourValues,
    b: FourValues,
    c: FourValues,
    d: FourValues,
}

fn values_from(at: u32) -> Values {
    return Values();
}

fn state_of(pairs: Pairs, values: Values) -> Acc {
    if pairs.starts == 0u {
        return identity();
    }
    return begun(countOneBits(pairs.starts), pairs.at + firstLeadingBit(pairs.starts));
}

fn begun(count: u32, at: u32) -> Acc {
    return Acc(count, at);
}

fn with_value(state: Acc, value: Value, at: u32) -> Acc {
    return state;
}

// The result of the last run, which ends before a pair.
fn result_of(state: Acc, end: u32) -> Stored {
    return end - state.begin;
}
