// Passes the bin of every key of a dispatch to the kernel's `count`, four vectors at a time, with its `Counter`.
//
// Loads are those of shared/fold_vectors.wgsl: 16 bytes per instruction, four in flight. Keys are read as bits, as a load of f32 may flush a
// denormal. Up to three keys before the first aligned vector and up to three after the last are counted one by one.
#import histogram/shared/io
#import <kernel>
#import histogram/bins/*

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> keys4: array<vec4<u32>>;

// True: four equal keys of a vector are counted at once.
override MERGE: bool = false;

fn count4(words: vec4<u32>, counter: ptr<function, Counter>) {
    let bins = vec4<u32>(guess(words.x), guess(words.y), guess(words.z), guess(words.w));
    if MERGE && all(words.xyz == words.yzw) {
        count(bins.x, 4u, counter);
    } else {
        #for c in x y z w: count(bins.$c, 1u, counter);
    }
    if GUESSES && any(bins == vec4<u32>(UNSURE)) {
        count_unsure(words, counter);
    }
}

// Counts the keys among four whose guess is unsure. The loop keeps compilers from unrolling: it is inlined four times and rarely runs.
fn count_unsure(words: vec4<u32>, counter: ptr<function, Counter>) {
    var rest = words;
    for (var turn = 0u; turn < 4u + (params.groups >> 31u); turn++) {
        if guess(rest.x) == UNSURE {
            count(found(rest.x), 1u, counter);
        }
        rest = rest.yzwx;
    }
}

// The share of invocation `own` of `grid` invocations.
fn walk(own: u32, grid: u32, counter: ptr<function, Counter>) {
    let stop = params.first + params.len;
    let begin4 = (params.first + 3u) >> 2u;
    let end4 = max(begin4, stop >> 2u);

    var i = begin4 + own;
    for (; i + 3u * grid < end4; i += 4u * grid) {
        let a = keys4[i];
        let b = keys4[i + grid];
        let c = keys4[i + 2u * grid];
        let d = keys4[i + 3u * grid];
        #for p in a b c d: count4($p, counter);
    }
    for (; i < end4; i += grid) {
        count4(keys4[i], counter);
    }

    let head = min(4u * begin4, stop) - params.first;
    let tail = max(stop, 4u * end4) - 4u * end4;
    if own < head + tail {
        let key = keys[select(4u * end4 + own - head, params.first + own, own < head)];
        count(found(key), 1u, counter);
    }
}
