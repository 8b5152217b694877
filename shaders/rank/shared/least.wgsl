// The lowest of all keys that the workgroups of a rank have met. `state` keeps its complement, so that memory of zeros is higher than all.
//
// No atomic operation takes a key of two words: each workgroup then has a place of its own, in the bins, which are clear by then.
#import rank/shared/io
#import rank/order/*
#ifdef bits_64

@group(0) @binding(8) var<storage, read_write> bins: array<atomic<u32>>;
const BINS: u32 = 2048u;

var<workgroup> least_high: atomic<u32>;
var<workgroup> least_low: atomic<u32>;

fn least_of(key: Key, lid: u32) -> Key {
    if lid == 0u {
        atomicStore(&least_high, 0xffffffffu);
        atomicStore(&least_low, 0xffffffffu);
    }
    workgroupBarrier();
    atomicMin(&least_high, key.x);
    workgroupBarrier();
    if key.x == atomicLoad(&least_high) {
        atomicMin(&least_low, key.y);
    }
    workgroupBarrier();
    return Key(atomicLoad(&least_high), atomicLoad(&least_low));
}

fn kept(place: u32) -> Key { return Key(~atomicLoad(&bins[place]), ~atomicLoad(&bins[place + 1u])); }

fn keep_least(key: Key, rank: u32, group: u32, lid: u32) {
    let place = rank * BINS + 2u * group;
    let least = least_of(key, lid);
    if lid == 0u {
        let lowest_yet = lower(least, kept(place));
        atomicStore(&bins[place], ~lowest_yet.x);
        atomicStore(&bins[place + 1u], ~lowest_yet.y);
    }
}

fn kept_least(rank: u32, lid: u32) -> Key {
    var least = Key(0xffffffffu, 0xffffffffu);
    for (var place = 2u * lid; place < BINS; place += 2u * WG) {
        least = lower(least, kept(rank * BINS + place));
    }
    return least_of(least, lid);
}
#else

var<workgroup> least: atomic<u32>;

fn keep_least(key: Key, rank: u32, group: u32, lid: u32) {
    if lid == 0u {
        atomicStore(&least, 0xffffffffu);
    }
    workgroupBarrier();
    atomicMin(&least, key);
    workgroupBarrier();
    if lid == 0u {
        atomicMax(&state[rank * STATE + NEXT], ~atomicLoad(&least));
    }
}

fn kept_least(rank: u32, lid: u32) -> Key { return ~known(rank, NEXT); }
#endif
