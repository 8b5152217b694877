// Columns of elements in rows of one length, by arithmetic alone.
#import scan/shared/io

// The place of an element in its row.
fn column(element: u32) -> u32 {
    if ROWS {
        return element % params.row;
    }
    return element;
}

fn next_column(before: u32) -> u32 {
    if ROWS {
        return select(before + 1u, 0u, before + 1u == params.row);
    }
    return before + 1u;
}

// The columns of four elements, from one on.
fn four_columns(element: u32) -> vec4<u32> {
    let x = column(element);
    let y = next_column(x);
    let z = next_column(y);
    return vec4<u32>(x, y, z, next_column(z));
}
