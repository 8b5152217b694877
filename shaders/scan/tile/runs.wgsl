// A tile of runs: sixteen neighbouring keys for each invocation, and their values if there are some.
//
//     keys       a a a b | b b b b | b c c d       of three invocations
//     begin      1     1 |         |   1   1
//     states     2, b: 1 | 0, 4    | 2, d: 1       runs that begin, and the last one: its values are combined
//     ahead      0       | 2, b: 1 | 2, b: 5       what lies before an invocation in its tile, by the operator of states
//
// The number of runs ahead is the place of the next one. Where a run begins, its key is stored, and the result of the run before it. Both wait in
// workgroup memory in the order of the output, so stores coalesce.
#import scan/shared/io
#import shared/entry
#import shared/order
#import scan/shared/sums
#import scan/through/*
#import scan/shared/shifted
#import by_key/pairs
#import by_key/state/*
#import lib/grid/chain

@group(0) @binding(1) var<storage, read_write> run_keys: array<RunKey>;
@group(0) @binding(11) var<storage, read_write> results: array<Stored>;
@group(0) @binding(12) var<storage, read_write> number_of_runs: array<u32>;

// Runs that wait at a time.
override STAGE: u32 = 1024u;

var<workgroup> staged_keys: array<RunKey, STAGE>;
var<workgroup> staged_results: array<Stored, STAGE>;
var<workgroup> runs_of_tile: u32;

struct LoadedItems {
    pairs: Pairs,
    values: Values,
}

// What lies before the invocation in the tile; and, in the last invocation, all of the tile.
struct Prefixes {
    ahead: Acc,
    all: Acc,
}

fn load_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    let pairs = pairs_from(item + OWN * order_in_group(at, wg));
    return LoadedItems(pairs, values_from(pairs.at));
}

fn sums_of(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> Sums {
    let sum = through(state_of(loaded.pairs, loaded.values), order_in_group(at, wg) + 1u, at, wg);
    return Sums(sum, sum);
}

fn prefixes_of(loaded: LoadedItems, sums: Sums, item: u32, at: Place, wg: Workgroup) -> Prefixes {
    return Prefixes(shifted(sums.own, order_in_group(at, wg)), sums.all);
}

fn put_tile(loaded: LoadedItems, inside: Prefixes, item: u32, at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    if lid == WG - 1u {
        runs_of_tile = inside.all.count;
        put_end(combine(before, inside.all), item);
    }
    let runs = workgroupUniformLoad(&runs_of_tile);
    let ahead = combine(before, inside.ahead);
    for (var first = 0u; first < runs; first += STAGE) {
        if loaded.pairs.starts != 0u && inside.ahead.count < first + STAGE {
            stage_runs(loaded, ahead, before.count + first);
        }
        workgroupBarrier();
        for (var nth = lid; nth < min(runs - first, STAGE); nth += WG) {
            let place = before.count + first + nth;
            run_keys[place] = staged_keys[nth];
            if place > 0u {
                results[place - 1u] = staged_results[nth];
            }
        }
        workgroupBarrier();
    }
}

// Walks over the pairs of an invocation, up to the last run that begins there.
fn stage_runs(loaded: LoadedItems, ahead: Acc, first: u32) {
    let pairs = loaded.pairs;
    let a = over_four(ahead, pairs.a, loaded.values.a, pairs.at, pairs.starts, first);
    let b = over_four(a, pairs.b, loaded.values.b, pairs.at + 4u, pairs.starts >> 4u, first);
    let c = over_four(b, pairs.c, loaded.values.c, pairs.at + 8u, pairs.starts >> 8u, first);
    over_four(c, pairs.d, loaded.values.d, pairs.at + 12u, pairs.starts >> 12u, first);
}

fn over_four(state: Acc, keys: FourRunKeys, values: FourValues, at: u32, starts: u32, first: u32) -> Acc {
    if starts == 0u {
        return state;
    }
    let a = over_pair(state, keys.x, values.x, at, (starts & 1u) != 0u, first);
    let b = over_pair(a, keys.y, values.y, at + 1u, (starts & 2u) != 0u, first);
    let c = over_pair(b, keys.z, values.z, at + 2u, (starts & 4u) != 0u, first);
    return over_pair(c, keys.w, values.w, at + 3u, (starts & 8u) != 0u, first);
}

fn over_pair(state: Acc, key: RunKey, value: Value, at: u32, is_start: bool, first: u32) -> Acc {
    if !is_start {
        return with_value(state, value, at);
    }
    let nth = state.count - first;
    if nth < STAGE {
        staged_keys[nth] = key;
        staged_results[nth] = result_of(state, at);
    }
    return with_value(begun(state.count + 1u, at), value, at);
}

// The last planned tile ends the last run, and stores the number of all.
fn put_end(all: Acc, item: u32) {
    if params.skipped + item / (OWN * WG) == (params.row - 1u) / (OWN * WG) {
        number_of_runs[params.count_at] = all.count;
        if all.count > 0u {
            results[all.count - 1u] = result_of(all, params.count);
        }
    }
}
