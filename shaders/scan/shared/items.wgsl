// Items, four neighbours at a time: elements of the input, in tiles that are full.
#import scan/shared/io
#import scan/columns/*
#import scan/shared/input
#import scan/after/*
#import <operator>

// Four neighbours as accumulators; where a row begins; and the columns of elements.
struct FourItems {
    #for p in a b c d: $p: Acc,
    is_row_start: vec4<bool>,
    columns: vec4<u32>,
}

alias Items = vec4<Elem>;

// The vectors of the input are aligned, unless it starts between two of them: then elements are loaded one by one.
@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;

fn load_items(i: u32) -> Items {
    let p = params.first + i;
    if (params.first & 3u) == 0u {
        return input4[p >> 2u];
    }
    return Items(input[p], input[p + 1u], input[p + 2u], input[p + 3u]);
}

fn four_of(items: Items, i: u32) -> FourItems {
    let columns = four_columns(params.index + i);
    return FourItems(
        #for c in x y z w: map(items.$c, columns.$c),
        columns == vec4<u32>(),
        columns,
    );
}
// Combines four items, or those of them since a row began.
fn total(four: FourItems) -> Acc {
    let two = after(four.a, four.b, four.is_row_start.y);
    return after(after(two, four.c, four.is_row_start.z), four.d, four.is_row_start.w);
}
