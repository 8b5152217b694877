// Keys of one word: equal if their bits are.
#import io

alias RunKey = u32;
alias FourRunKeys = vec4<u32>;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;

// The bits of keys that tell them from others.
fn told(keys: vec4<u32>) -> vec4<u32> {
#ifdef float
    // Zeros are one key, and NaNs are one.
    let size = keys & vec4(0x7fffffffu);
    let number = select(keys, vec4(0u), size == vec4(0u));
    return select(number, vec4(0x7fc00000u), size > vec4(0x7f800000u));
#else
    return keys;
#endif
}

// The key of a pair; of the last one, if there are not so many.
fn key(at: u32) -> RunKey {
    return keys[params.first_key + min(at, params.count - 1u)];
}

// The keys of sixteen pairs.
struct RunKeys {
    a: FourRunKeys,
    b: FourRunKeys,
    c: FourRunKeys,
    d: FourRunKeys,
}

fn four_keys(at: u32) -> FourRunKeys {
    return vec4(key(at), key(at + 1u), key(at + 2u), key(at + 3u));
}

fn own_keys(at: u32) -> RunKeys {
    let first = params.first_key + at;
    if (first % 4u == 0u) & (at + 16u <= params.count) {
        // Four loads are in flight at once.
        let vector = first / 4u;
        return RunKeys(key_vectors[vector], key_vectors[vector + 1u], key_vectors[vector + 2u], key_vectors[vector + 3u]);
    }
    return RunKeys(four_keys(at), four_keys(at + 4u), four_keys(at + 8u), four_keys(at + 12u));
}

// A bit for each of sixteen pairs at which a run begins.
fn starts_of(keys: RunKeys, at: u32) -> u32 {
    let last = told(vec4(key(max(at, 1u) - 1u))).x;
    let a = told(keys.a);
    let b = told(keys.b);
    let c = told(keys.c);
    let d = told(keys.d);
    return changes(a, last)
        | (changes(b, a.w) << 4u)
        | (changes(c, b.w) << 8u)
        | (changes(d, c.w) << 12u)
        | u32(at == 0u);
}

fn changes(own: vec4<u32>, last: u32) -> u32 {
    let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), own != vec4(last, own.xyz));
    return bits.x | bits.y | bits.z | bits.w;
}
