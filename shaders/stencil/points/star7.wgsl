// 7 points: the cell and the six that share a face with it, all read from storage. This is the discrete Laplacian in 3D.
//
//        n            The centre has its own weight. If it equals that of the faces, one multiplication is
//     w  #  e         enough (star7/). The other two cells are below and above, in the neighbouring planes.
//        s
#import stencil/shared/grid3d
#import stencil/star7/*

fn update(k: Weights, p: i32, r: i32, c: i32) -> Elem {
    let around = (neighbour(p, r - 1, c) + neighbour(p, r + 1, c)) + (neighbour(p, r, c - 1) + neighbour(p, r, c + 1));
    let faces = around + (neighbour(p - 1, r, c) + neighbour(p + 1, r, c));
    return star(k, neighbour(p, r, c), faces);
}
