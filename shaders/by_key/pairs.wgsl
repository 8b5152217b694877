// Sixteen neighbouring keys of an invocation, and where runs begin among them.
#import scan/shared/io
#import shared/run_keys

@group(0) @binding(0) var<storage, read> keys: array<RunKey>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;

struct Pairs {
    a: FourRunKeys,
    b: FourRunKeys,
    c: FourRunKeys,
    d: FourRunKeys,
    // The first pair, and how many there are.
    at: u32,
    len: u32,
    // A bit for each at which a run begins, the lowest for the first.
    starts: u32,
}

// The key of a pair, or of the last pair beyond the end.
fn key(at: u32) -> RunKey {
    return keys[params.first + min(at, params.count - 1u)];
}

fn four_keys(at: u32) -> FourRunKeys {
    return FourRunKeys(key(at), key(at + 1u), key(at + 2u), key(at + 3u));
}

#ifdef bits_64
const KEYS_IN_VECTOR: u32 = 2u;

// Four keys from a vector on.
fn keys_from(vector: u32) -> FourRunKeys {
    let a = key_vectors[vector];
    let b = key_vectors[vector + 1u];
    return FourRunKeys(a.xy, a.zw, b.xy, b.zw);
}
#else
const KEYS_IN_VECTOR: u32 = 4u;

fn keys_from(vector: u32) -> FourRunKeys {
    return key_vectors[vector];
}
#endif

fn pairs_from(at: u32) -> Pairs {
    let first = params.first + at;
    let len = min(params.count - min(at, params.count), 16u);
    if first % KEYS_IN_VECTOR == 0u && len == 16u {
        // All loads are in flight at once.
        let vector = first / KEYS_IN_VECTOR;
        let step = 4u / KEYS_IN_VECTOR;
        let a = keys_from(vector);
        return marked(a, keys_from(vector + step), keys_from(vector + 2u * step), keys_from(vector + 3u * step), at, len);
    }
    return marked(four_keys(at), four_keys(at + 4u), four_keys(at + 8u), four_keys(at + 12u), at, len);
}

fn marked(a: FourRunKeys, b: FourRunKeys, c: FourRunKeys, d: FourRunKeys, at: u32, len: u32) -> Pairs {
    let starts = changes(a, key(max(at, 1u) - 1u))
        | (changes(b, a.w) << 4u)
        | (changes(c, b.w) << 8u)
        | (changes(d, c.w) << 12u)
        | u32(at == 0u);
    return Pairs(a, b, c, d, at, len, starts & ((1u << len) - 1u));
}
