// Elements of a tile as counts. A count on the GPU may end the input in any tile.
#import io

fn mapped(elem: Elem, i: u32, place: u32) -> Acc {
    return select(identity(), map(elem, place), i < params.len);
}
