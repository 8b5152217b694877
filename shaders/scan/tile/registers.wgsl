// A tile in registers: a subgroup has a part of it in a row, and its lanes exchange totals by shuffles.
//
// A lane loads eight vectors of four items; its neighbours have those beside them, and the next eight vectors lie behind those of all lanes. The sum of the
// tile is needed before its prefixes, so it is added up in another order than these: this is for operators that commute, without rows.
#import scan/shared/io
#import lib/grid/entry
#import scan/shared/loaded
#import scan/shared/sums
#import scan/shared/across
#import lib/subgroup/reduce
#import lib/subgroup/shuffle/*
#import lib/workgroup/through/*

// Items between the vectors of an invocation.
fn apart_by(wg: Workgroup) -> u32 { return 4u * min(wg.width, WG); }

fn load_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    let apart = apart_by(wg);
    return load_apart(item + at.subgroup * 8u * apart + 4u * at.lane, apart);
}

fn sums_of(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> Sums {
    let own = totals_of(loaded, apart_by(wg));
    let low = combine(combine(own.p0, own.p1), combine(own.p2, own.p3));
    let high = combine(combine(own.p4, own.p5), combine(own.p6, own.p7));
    let sum = subgroup_reduce(combine(low, high), at, wg);
    return across(sum, at, wg);
}

// What lies before the four items of each lane, from what lies before them all, and then what lies behind them.
fn exclusive(own: Acc, ahead: Acc, at: Place, wg: Workgroup) -> vec2<Acc> {
    let lanes = min(wg.width, WG);
    var sum = own;
    for (var d = 1u; d < lanes; d <<= 1u) {
        let other = shuffle_up(sum, d);
        if at.lane >= d {
            sum = combine(other, sum);
        }
    }
    let other = shuffle_up(sum, 1u);
    let last = shuffle_from(sum, lanes - 1u);
    var prefix = ahead;
    if at.lane > 0u {
        prefix = combine(ahead, other);
    }
    return vec2<Acc>(prefix, combine(ahead, last));
}

fn prefixes_of(loaded: LoadedItems, sums: Sums, item: u32, at: Place, wg: Workgroup) -> Prefixes {
    let own = totals_of(loaded, apart_by(wg));
    let p0 = exclusive(own.p0, sums.own, at, wg);
    #for k in 1..8: let p$k = exclusive(own.p$k, p$(k - 1).y, at, wg);
    return Prefixes(
        #for k in 0..8: p$k.x,
    );
}
