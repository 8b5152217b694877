// 9 points: the cell and all eight around it, all read from storage.
//
//     nw  n  ne        The four beside the centre have one weight, the four diagonal ones another, as needed for an
//      w  #  e         isotropic Laplacian (4 and 1 to 20) or for a blur.
//     sw  s  se
#import stencil/shared/box9
#import stencil/shared/grid2d

fn update(k: Weights, r: i32, c: i32) -> Elem {
    let sides = (neighbour(r - 1, c) + neighbour(r + 1, c)) + (neighbour(r, c - 1) + neighbour(r, c + 1));
    let diagonals = (neighbour(r - 1, c - 1) + neighbour(r - 1, c + 1))
        + (neighbour(r + 1, c - 1) + neighbour(r + 1, c + 1));
    return box(k, neighbour(r, c), sides, diagonals);
}
