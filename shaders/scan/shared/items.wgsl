// Items, four neighbours at a time: elements of the input, or states.
#import io
#import columns
#import rows
#import operator

// Four neighbours as accumulators; where a row begins; and the columns of elements.
struct FourItems {
    a: Acc,
    b: Acc,
    c: Acc,
    d: Acc,
    begins: vec4<bool>,
    columns: vec4<u32>,
}

#ifdef reads_partials
struct Items {
    x: Acc,
    y: Acc,
    z: Acc,
    w: Acc,
}

fn state_or_identity(i: u32) -> Acc {
    if i < params.len {
        return states[params.first + i];
    }
    return identity();
}

fn load_items(i: u32) -> Items {
    return Items(
        state_or_identity(i),
        state_or_identity(i + 1u),
        state_or_identity(i + 2u),
        state_or_identity(i + 3u),
    );
}

fn four_of(items: Items, i: u32) -> FourItems {
    let begins = vec4<bool>(begins_in(i, 1u), begins_in(i + 1u, 1u), begins_in(i + 2u, 1u), begins_in(i + 3u, 1u));
    return FourItems(items.x, items.y, items.z, items.w, begins, vec4<u32>());
}
#else
@group(0) @binding(0) var<storage, read> input: array<Elem>;

#ifdef vectors
#import mapped
alias Items = vec4<Elem>;

// Every tile is full. The vectors of the input are aligned, unless it starts between two of them: then elements are loaded one by one.
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
        mapped(items.x, i, columns.x),
        mapped(items.y, i + 1u, columns.y),
        mapped(items.z, i + 2u, columns.z),
        mapped(items.w, i + 3u, columns.w),
        columns == vec4<u32>(),
        columns,
    );
}
#else
struct Items {
    x: Elem,
    y: Elem,
    z: Elem,
    w: Elem,
}

fn element_or_zero(i: u32) -> Elem {
    if i < params.len {
        return input[params.first + i];
    }
    return Elem();
}

fn load_items(i: u32) -> Items {
    return Items(element_or_zero(i), element_or_zero(i + 1u), element_or_zero(i + 2u), element_or_zero(i + 3u));
}

fn mapped_or_identity(elem: Elem, i: u32, place: u32) -> Acc {
    if i < params.len {
        return map(elem, place);
    }
    return identity();
}

fn four_of(items: Items, i: u32) -> FourItems {
    let columns = four_columns(params.index + i);
    return FourItems(
        mapped_or_identity(items.x, i, columns.x),
        mapped_or_identity(items.y, i + 1u, columns.y),
        mapped_or_identity(items.z, i + 2u, columns.z),
        mapped_or_identity(items.w, i + 3u, columns.w),
        columns == vec4<u32>(),
        columns,
    );
}
#endif
#endif

// Combines one more item with earlier ones of its row.
fn after(before: Acc, own: Acc, begins: bool) -> Acc {
    if ROWS && begins {
        return own;
    }
    return combine(before, own);
}

// Combines four items, or those of them since a row began.
fn total(four: FourItems) -> Acc {
    let two = after(four.a, four.b, four.begins.y);
    return after(after(two, four.c, four.begins.z), four.d, four.begins.w);
}
