// 27 points: nine cells in each of three planes, all read from storage; shared/points27.wgsl has the sum.
#import stencil/shared/grid3d
#import stencil/shared/points27

fn nine(p: i32, r: i32, c: i32) -> Nine {
    return Nine(
        neighbour(p, r - 1, c - 1),
        neighbour(p, r - 1, c),
        neighbour(p, r - 1, c + 1),
        neighbour(p, r, c - 1),
        neighbour(p, r, c),
        neighbour(p, r, c + 1),
        neighbour(p, r + 1, c - 1),
        neighbour(p, r + 1, c),
        neighbour(p, r + 1, c + 1),
    );
}

fn update(k: Weights, p: i32, r: i32, c: i32) -> Elem { return box(k, nine(p - 1, r, c), nine(p, r, c), nine(p + 1, r, c)); }
