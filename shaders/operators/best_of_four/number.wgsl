// Four elements at once: finds their best rank, and then the first element that has it. This is cheaper than three comparisons of pairs.
#import <operator>

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let x = rank_of(v.x);
    let y = rank_of(v.y);
    let z = rank_of(v.z);
    let best = max(max(x, y), max(z, rank_of(v.w)));
    let place = select(select(select(3u, 2u, z == best), 1u, y == best), 0u, x == best);
    return Acc(best, index + place);
}
