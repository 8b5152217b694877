// The layers that stream through a time-blocked kernel (rows in 2D, planes in 3D), and those of one workgroup.
#import stencil/streams/*

// The layers that a workgroup writes, and the first one that it loads.
struct LayerRange {
    begin: i32,
    end: i32,
    top: i32,
}

fn layer_range(nth: u32) -> LayerRange {
    let begin = params.begin + nth * params.layers_per_group;
    let end = min(begin + params.layers_per_group, params.end);
    let lead = i32(begin) - i32(params.steps);
    // Beyond a fixed side or a mirror there is nothing to load.
    let starts_at_side = side_before() == FIXED || side_before() == REFLECT;
    return LayerRange(i32(begin), i32(end), select(lead, max(lead, 0), starts_at_side));
}

fn is_fixed_layer(l: i32) -> bool { return (l == 0 && side_before() == FIXED) || (l == layer_count() - 1 && side_behind() == FIXED); }

// The turns in which no level has a layer at a side: from `begin` up to, not including, `end`. `entering` layers
// come in one turn, the first ones in turn 0; the last level lags `behind` layers.
struct Plain {
    begin: i32,
    end: i32,
}

fn plain_turns(layers: LayerRange, turns: i32, entering: i32, behind: i32) -> Plain {
    let has_before = side_before() == FIXED || side_before() == REFLECT;
    let has_behind = side_behind() == FIXED || side_behind() == REFLECT;
    let past_side = (behind + 1 - layers.top) / entering + 1;
    let up_to_side = max(layer_count() - 1 - layers.top, 0) / entering;
    let begin = select(0, clamp(past_side, 0, turns), has_before && layers.top <= 1);
    return Plain(begin, select(turns, clamp(up_to_side, begin, turns), has_behind));
}
