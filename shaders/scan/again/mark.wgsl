// Marks sixteen rows of the next tile: the workgroup's own, whose elements stay in registers, or one of another workgroup, which is only counted.
//
// A loop shifts the marks of a row into their place: SwiftShader takes minutes to compile many branches inside the loop of the kernel.
#import scan/shared/io
#import lib/grid/entry
#import select/shared/elements
#import select/kept/*
#import scan/tile/*

fn load_again(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    let lanes = min(wg.width, WG);
    var marked = loaded;
    for (var row = 0u; row < ITEMS_PER_LANE; row += 1u) {
        let i = item + (at.subgroup * ITEMS_PER_LANE + row) * lanes + at.lane;
        let mark = kept(element_or_zero(i), i, false);
        let last = vec4(marked.a.marks.yzw, mark);
        marked.a.marks = (marked.a.marks >> vec4(8u)) | (last << vec4(24u));
    }
    return marked;
}
