// Layout of a workgroup's table of groups, and its window of float exponents: group/tables.wgsl explains both.
#import group/shared/io

// Groups of a slice; copies of each word; words of a plane, SLICE * COPIES.
override SLICE: u32 = 1u;
override COPIES: u32 = 1u;
override PLANE: u32 = 1u;
// First words of the planes of minimum keys and of maximum keys; words of the whole table.
override LEAST_PLANE: u32 = 4u;
override MOST_PLANE: u32 = 4u;
override TABLE_WORDS: u32 = 4u;

// The window's last exponent minus its first: it covers SPAN + 1 exponents.
const SPAN: u32 = 24u;

var<workgroup> table: array<atomic<u32>, TABLE_WORDS>;

// What a workgroup's table holds: the slice's first group, its number of groups (fewer than SLICE at the end), and the window's first exponent.
// Each invocation adds to one copy.
struct Slice {
    first: u32,
    groups: u32,
    window: u32,
    copy: u32,
}

// True for values in the window. Integers always are; zeros, subnormals, infinities and NaNs never are.
fn in_window(bits: vec4<u32>, window: u32) -> vec4<bool> {
#ifdef float
    return (bits << vec4<u32>(1u)) - vec4<u32>(window << 24u) < vec4<u32>((SPAN + 1u) << 24u);
#else
    return vec4<bool>(true);
#endif
}
