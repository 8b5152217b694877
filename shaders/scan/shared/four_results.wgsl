// The results of four elements, from what lies before them.
#import scan/shared/items
#import scan/after/*
#import scan/shared/results

struct Results {
    a: Stored,
    b: Stored,
    c: Stored,
    d: Stored,
}

fn results_of(four: FourItems, before: Acc) -> Results {
    let a = after(before, four.a, four.begins.x);
    let b = after(a, four.b, four.begins.y);
    let c = after(b, four.c, four.begins.z);
    let d = after(c, four.d, four.begins.w);
    return Results(
        result(before, a, four.columns.x),
        result(a, b, four.columns.y),
        result(b, c, four.columns.z),
        result(c, d, four.columns.w),
    );
}
