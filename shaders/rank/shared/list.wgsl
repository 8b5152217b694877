// The requested ranks.
#import rank/shared/io

// For each rank: the rank of the element, from 0 for the smallest; how far the result lies on the way to the next one, as bits of a
// float, or 0; and the ranks in the sample of the two ends of its bracket.
// Of segments that have a workgroup each, every result has an entry of its own: `row` explains it.
@group(0) @binding(5) var<storage, read> list: array<vec4<u32>>;

fn asked_for(rank: u32) -> vec4<u32> { return list[params.list + rank % RANKS]; }
