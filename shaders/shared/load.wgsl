// Loads of a dispatch's items. A kernel always calls `load`; the defines select what it reads:
//
//   (none)            the caller's elements: each goes through the operator's `map`
//   pair              `map` takes one element of each of two inputs
//   adjoining         the caller's elements, from two bindings; the second starts where the first one ends
//   texels            texels of a texture (texels.wgsl), in the place of elements
//   reads_partials    accumulators that an earlier dispatch has written, already mapped
//
// Adjoining: no binding is larger than 2 GiB (on many devices 128 MiB). A dispatch per binding would wait for the previous one, since both
// publish to the same partials buffer: on a large GPU as long as reading forty megabytes takes.
#import shared/io

#ifdef reads_partials
@group(0) @binding(0) var<storage, read> input: array<Acc>;

fn load_at(p: u32, origin: u32) -> Acc { return input[p]; }
#else
#ifdef texels
#import shared/texels

// The element at a place; its index, row by row, counts from `origin`.
fn load_from(at: vec2<u32>, origin: u32) -> Acc { return map(element_of(at), row_by_row(at) - origin); }
fn load_at(p: u32, origin: u32) -> Acc { return load_from(place_of_texel(p), origin); }
#else
@group(0) @binding(0) var<storage, read> input: array<Elem>;
#ifdef adjoining
@group(0) @binding(5) var<storage, read> beyond: array<Elem>;

// The element at position `p` of the two bindings together; its index counts from `origin`. The first binding has `held` elements.
fn load_at(p: u32, origin: u32) -> Acc {
    var elem: Elem;
    if p < params.held {
        elem = input[p];
    } else {
        elem = beyond[p - params.held];
    }
    return map(elem, p - origin);
}
#else
#ifdef pair
@group(0) @binding(5) var<storage, read> second: array<Elem>;

// The pair whose first element is at position `p` of the binding; its index counts from `origin`.
fn load_at(p: u32, origin: u32) -> Acc { return map(input[p], second[p + params.second], p - origin); }
#else
// The element at position `p` of the binding; its index counts from `origin`.
fn load_at(p: u32, origin: u32) -> Acc { return map(input[p], p - origin); }
#endif
#endif
#endif
#endif

// The dispatch's `i`-th item.
fn load(i: u32) -> Acc { return load_at(params.first + i, params.first - params.index); }

fn load_or_identity(i: u32) -> Acc {
    if i < params.len {
        return load(i);
    }
    return identity();
}
