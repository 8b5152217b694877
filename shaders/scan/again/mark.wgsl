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
    var again = loaded;
    for (var row = 0u; row < OWN; row += 1u) {
        let i = item + (at.subgroup * OWN + row) * lanes + at.lane;
        let mark = kept(element_or_zero(i), i, false);
        let last = vec4(again.a.marks.yzw, mark);
        again.a.marks = (again.a.marks >> vec4(8u)) | (last << vec4(24u));
    }
    return again;
}
