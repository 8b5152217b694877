// Marks sixteen rows of the next tile: the workgroup's own, whose elements stay in registers, or one of another workgroup, which is only counted.
//
// A loop shifts the marks of a row into their place: SwiftShader takes minutes to compile many branches inside the loop of the kernel.
#import scan/shared/io
#import lib/grid/entry
#import select/shared/elements
#import select/kept/*
#import scan/tile/*

fn first_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems { return load_tile(item, at, wg); }

fn next_tile(loaded: LoadedItems, is_first: bool, item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    if is_first {
        return loaded;
    }
    let lanes = min(wg.width, WG);
    var marked = loaded;
    for (var row = 0u; row < ITEMS_PER_LANE; row += 1u) {
        let i = first_of_lane(item, at, wg) + row * lanes;
        let mark = kept(element_or_zero(i), i, false);
        let last = vec4(marked.a.marks.yzw, mark);
        marked.a.marks = (marked.a.marks >> vec4(8u)) | (last << vec4(24u));
    }
    return marked;
}
