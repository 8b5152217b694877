// The words of a workgroup's table of groups, and the window of its values: tables.wgsl explains both.
#import group/shared/io

// Groups of a slice, copies of a word, and the words of a plane: of all copies of all groups.
override SLICE: u32 = 1u;
override COPIES: u32 = 1u;
override PLANE: u32 = 1u;
// The first words of the planes with the keys of the least and the greatest values, and all words.
override LEAST_PLANE: u32 = 4u;
override MOST_PLANE: u32 = 4u;
override SLOTS: u32 = 4u;

// Exponents in the window, less one.
const SPAN: u32 = 24u;

var<workgroup> table: array<atomic<u32>, SLOTS>;

var<private> window: u32;
var<private> copy: u32;
// The first group of the slice, and the number of its groups.
var<private> first_group: u32;
var<private> mine: u32;

// True where the window has the value; it has all integers. Of floats it has no zeros.
fn in_window(bits: vec4<u32>) -> vec4<bool> {
#ifdef float
    return (bits << vec4<u32>(1u)) - vec4<u32>(window << 24u) < vec4<u32>((SPAN + 1u) << 24u);
#else
    return vec4<bool>(true);
#endif
}
