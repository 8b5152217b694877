// The results of four elements, from what lies before them.
#import io
#import rows
#import items
#import operator

// True if an element's result leaves the element out.
override EXCLUSIVE: bool = false;

struct Results {
    a: Stored,
    b: Stored,
    c: Stored,
    d: Stored,
}

fn result(before: Acc, own: Acc, begins: bool, place: u32) -> Stored {
    if !EXCLUSIVE {
        return finish(after(before, own, begins), place + 1u);
    }
    if ROWS && begins {
        return finish(identity(), 0u);
    }
    return finish(before, place);
}

fn results_of(four: FourItems, before: Acc) -> Results {
    let a = after(before, four.a, four.begins.x);
    let b = after(a, four.b, four.begins.y);
    let c = after(b, four.c, four.begins.z);
    return Results(
        result(before, four.a, four.begins.x, four.columns.x),
        result(a, four.b, four.begins.y, four.columns.y),
        result(b, four.c, four.begins.z, four.columns.z),
        result(c, four.d, four.begins.w, four.columns.w),
    );
}
