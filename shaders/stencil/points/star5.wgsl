// 5 points: the cell and the four beside it, all read from storage.
//
//        n
//     w  #  e
//        s
#import stencil/star5/*
#import stencil/shared/grid2d

fn update(k: Weights, r: i32, c: i32) -> Elem {
    let column = neighbour(r - 1, c) + neighbour(r + 1, c);
    let row = neighbour(r, c - 1) + neighbour(r, c + 1);
    return star(k, neighbour(r, c), column, row);
}
