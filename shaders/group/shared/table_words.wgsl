// Layout of a workgroup's table of groups, and its window of float exponents: group/tables.wgsl explains both.
#import group/shared/io

// Groups of a slice; copies of each word; words of a plane, SLICE * COPIES.
override SLICE: u32 = 1u;
override COPIES: u32 = 1u;
override PLANE: u32 = 1u;
// Words of a plane of digits, and of all other planes: 1 if no result needs them. The first words of greatest keys, and of squares, among the latter.
override SUM_PLANE: u32 = 1u;
override OTHER_PLANES: u32 = 1u;
override MOST_PLANE: u32 = 0u;
override SQUARE_PLANE: u32 = 0u;
// True if zero digits are not added.
override SKIPS_ZEROS: bool = false;

// The window's last exponent minus its first: it covers SPAN + 1 exponents.
const SPAN: u32 = 24u;

// Planes that are arrays of their own: one check of an index is enough for all. Then those of least keys, inverted, of greatest keys, and of squares.
var<workgroup> tallies: array<atomic<u32>, PLANE>;
var<workgroup> low_digits: array<atomic<u32>, SUM_PLANE>;
var<workgroup> middle_digits: array<atomic<u32>, SUM_PLANE>;
var<workgroup> high_digits: array<atomic<u32>, SUM_PLANE>;
var<workgroup> others: array<atomic<u32>, OTHER_PLANES>;

// What a workgroup's table holds: the slice's first group, its number of groups (fewer than SLICE at the end), and the window's first exponent.
// Each invocation adds to one copy.
struct Slice {
    #for word in first groups window copy: $word: u32,
}

// True for values in the window. Integers always are; zeros, subnormals, infinities and NaNs never are.
fn in_window(bits: vec4<u32>, window: u32) -> vec4<bool> {
#ifdef float
    return (bits << vec4<u32>(1u)) - vec4<u32>(window << 24u) < vec4<u32>((SPAN + 1u) << 24u);
#else
    return vec4<bool>(true);
#endif
}
