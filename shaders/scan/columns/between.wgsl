// Columns of elements in rows between offsets, by a search among these. Four neighbours take one search: no two offsets are equal.
#import scan/shared/io

// The first elements of rows: 0 first, and behind the last of them a number that no element has.
@group(0) @binding(7) var<storage, read> offsets: array<u32>;

// The number of an element's row.
fn row_of(element: u32) -> u32 {
    var row = 0u;
    var end = params.row;
    while end - row > 1u {
        let middle = row + (end - row) / 2u;
        if offsets[middle] <= element {
            row = middle;
        } else {
            end = middle;
        }
    }
    return row;
}

// The place of an element in its row.
fn column(element: u32) -> u32 { return element - offsets[row_of(element)]; }

// The columns of four elements, from one on.
fn four_columns(element: u32) -> vec4<u32> {
    let x = row_of(element);
    let y = x + select(0u, 1u, offsets[x + 1u] == element + 1u);
    let z = y + select(0u, 1u, offsets[y + 1u] == element + 2u);
    let w = z + select(0u, 1u, offsets[z + 1u] == element + 3u);
    let row_starts = vec4<u32>(offsets[x], offsets[y], offsets[z], offsets[w]);
    return vec4<u32>(element, element + 1u, element + 2u, element + 3u) - row_starts;
}
