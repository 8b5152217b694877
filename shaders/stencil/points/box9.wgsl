// 9 points: the cell and all eight around it, each read where it lies.
//
//     nw  n  ne        The four beside the centre have one weight, the four diagonal ones another: what it takes for
//      w  #  e         a Laplacian that looks the same in all directions (4 and 1 to 20), or for a blur.
//     sw  s  se
#import box9

fn update(k: Weights, r: i32, c: i32) -> Elem {
    let sides = (neighbour(r - 1, c) + neighbour(r + 1, c)) + (neighbour(r, c - 1) + neighbour(r, c + 1));
    let diagonals = (neighbour(r - 1, c - 1) + neighbour(r - 1, c + 1))
        + (neighbour(r + 1, c - 1) + neighbour(r + 1, c + 1));
    return box(k, neighbour(r, c), sides, diagonals);
}
