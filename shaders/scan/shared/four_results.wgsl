// Returns the results of four elements, given the accumulator of all elements before them.
#import scan/shared/items
#import scan/after/*
#import scan/shared/results

struct Results {
    #for p in a b c d: $p: Stored,
}

fn results_of(four: FourItems, before: Acc) -> Results {
    let a = after(before, four.a, four.is_row_start.x);
    let b = after(a, four.b, four.is_row_start.y);
    let c = after(b, four.c, four.is_row_start.z);
    let d = after(c, four.d, four.is_row_start.w);
    return Results(result(before, a, four.columns.x), result(a, b, four.columns.y), result(b, c, four.columns.z), result(c, d, four.columns.w));
}
