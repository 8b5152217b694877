// Lists of tiles and groups, for kernels that only read them: so control flow that depends on them is uniform.
//
//   tiles  of each tile: the runs that begin before it in its group, the pair at which its first run begins, the pair at which the run
//          begins that reaches into it, and the runs that begin in it; until tiles are joined its own runs, and where the last of them begins;
//          of each group of tiles the same, without the second, and once more behind them, of all pairs;
//          of each group the number of its crowded tiles, and in as many entries as a group has tiles which they are.
//   ends   of each tile the accumulators of what lies before its first run, and of the run that reaches into it;
//          of each group the latter.
#import <operator>

@group(0) @binding(4) var<storage, read> tiles: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> ends: array<Acc>;
