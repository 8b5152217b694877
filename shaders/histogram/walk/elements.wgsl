// Passes the bins of every element of a dispatch to the kernel's `count`, with its `Counter`: with a map, with several channels, or of every stride-th element.
//
// Four elements are loaded before the first is used, as in words.wgsl. `visit` is generated: it maps an element to its keys, one for each
// channel. Bins of one channel come after those of another:
//
//     counter   0   1   2   3   4   5   6   7   8
//     channel   0   0   0   1   1   1   2   2   2          BINS = 3, three channels
//     bin       0   1   2   0   1   2   0   1   2
//
// A stride of k elements saves hardly any memory traffic while k elements fit one sector of the cache, 32 bytes on most GPUs.
#import histogram/shared/io
#import <kernel>
#import histogram/bins/*
#import shared/cursor
#import <map>

#ifdef texels
#import shared/texels
#else
@group(0) @binding(0) var<storage, read> elements: array<Elem>;

fn element_of(place: u32) -> Elem { return elements[place]; }
#endif

// Counts a key of a channel.
fn count_in(channel: u32, word: Word, counter: ptr<function, Counter>) {
    var bin = guess(word);
    if GUESSES & (bin == UNSURE) {
        bin = found(word);
    }
    if bin < BINS {
        count(channel * BINS + bin, 1u, counter);
    }
}

// The share of invocation `own` of `grid` invocations.
fn walk(own: u32, grid: u32, counter: ptr<function, Counter>) {
    let stride = params.stride;
    var i = own;
    var first = cursor_at(params.first + i * stride, grid * stride);
    for (; i + 3u * grid < params.len; i += 4u * grid) {
        let four = four_places(first);
        #for p in a b c d: let $p = element_of(four.$p);
        visit(a, params.index + i * stride, counter);
        visit(b, params.index + (i + grid) * stride, counter);
        visit(c, params.index + (i + 2u * grid) * stride, counter);
        visit(d, params.index + (i + 3u * grid) * stride, counter);
        first = four.next;
    }
    for (; i < params.len; i += grid) {
        visit(element_of(place_under(first)), params.index + i * stride, counter);
        first = advanced(first);
    }
}
