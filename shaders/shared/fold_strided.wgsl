// Each invocation folds elements that are `params.own.stride` apart, four at a time.
//
// With a stride of eight floats or more, every element costs a complete sector of 32 bytes. Four independent
// loads keep four sectors in flight; vectors would gain nothing.
#import entry
#import load

fn item(i: u32) -> Acc {
    let p = params.first + i * params.own.stride;
    return load_at(p, p - (params.index + i));
}

fn fold(at: Place, wg: Workgroup) -> Acc {
    let grid = params.groups * WG;
    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    var i = wg.index * WG + at.lid;
    for (; i + 3u * grid < params.len; i += 4u * grid) {
        let va = item(i);
        let vb = item(i + grid);
        let vc = item(i + 2u * grid);
        let vd = item(i + 3u * grid);
        a = combine(a, va);
        b = combine(b, vb);
        c = combine(c, vc);
        d = combine(d, vd);
    }
    for (; i < params.len; i += grid) {
        a = combine(a, item(i));
    }
    return combine(combine(a, b), combine(c, d));
}
