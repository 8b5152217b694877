// The two buffers, one cell at a time, and the right-hand side (`rhs`), which is added to each new cell.
#import <element>

@group(0) @binding(0) var<storage, read> source: array<Elem>;
@group(0) @binding(1) var<storage, read_write> result: array<Elem>;

#ifdef rhs
@group(0) @binding(5) var<storage, read> right_hand_side: array<Elem>;
#endif

// The cells that an invocation computes at once. Packs of four are in lanes/four.wgsl.
alias Pack = Elem;

fn cell(i: u32) -> Elem { return source[i]; }

// Writes a new cell, given its weighted sum.
fn put(i: u32, sum: Elem) {
#ifdef rhs
    result[i] = sum + right_hand_side[i];
#else
    result[i] = sum;
#endif
}
