// Elements of a full tile as accumulators.
#import io

fn mapped(elem: Elem, i: u32, place: u32) -> Acc {
    return map(elem, place);
}
