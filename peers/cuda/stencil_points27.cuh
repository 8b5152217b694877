// The 27-point box from the nine cells of each of three planes, in two ways: the twin of points27.wgsl. Additions are in
// the same order.
#pragma once

#include "stencil_cells.cuh"

namespace stencil {

// The four coefficients by the distance they belong to.
struct Weights {
    float centre, face, edge, corner;
};

__device__ inline Weights weights(const Cells& cells) {
    return {cells.coefficients[0], cells.coefficients[1], cells.coefficients[2], cells.coefficients[3]};
}

struct Nine {
    float nw, n, ne, w, centre, e, sw, s, se;
};

// All 27 as the formula has them: sums over faces, edges and corners, each across the three planes.
__device__ inline float box(const Weights& k, const Nine& below, const Nine& here, const Nine& above) {
    const float faces = here.n + here.s + here.w + here.e + below.centre + above.centre;
    const float edges = here.nw + here.ne + here.sw + here.se + (below.n + below.s + below.w + below.e) +
                        (above.n + above.s + above.w + above.e);
    const float corners = (below.nw + below.ne + below.sw + below.se) + (above.nw + above.ne + above.sw + above.se);
    return k.centre * here.centre + k.face * faces + k.edge * edges + k.corner * corners;
}

// Contributions of one plane, whatever the weights: its centre, the sum of the four around it, and of the four diagonal.
struct Sums {
    float centre, around, diagonal;
};

__device__ inline Sums sums_of(const Nine& nine) {
    return {nine.centre, (nine.n + nine.s) + (nine.w + nine.e), (nine.nw + nine.ne) + (nine.sw + nine.se)};
}

__device__ inline float box_of_sums(const Weights& k, const Sums& below, const Sums& here, const Sums& above) {
    return k.centre * here.centre + k.face * (here.around + (below.centre + above.centre)) +
           k.edge * (here.diagonal + (below.around + above.around)) + k.corner * (below.diagonal + above.diagonal);
}

template <class S>
struct DirectGlobal3 : S {
    __device__ static Nine nine(const Cells& cells, int p, int r, int c) {
        return {cells.neighbour(p, r - 1, c - 1), cells.neighbour(p, r - 1, c), cells.neighbour(p, r - 1, c + 1),
                cells.neighbour(p, r, c - 1),     cells.neighbour(p, r, c),     cells.neighbour(p, r, c + 1),
                cells.neighbour(p, r + 1, c - 1), cells.neighbour(p, r + 1, c), cells.neighbour(p, r + 1, c + 1)};
    }

    __device__ static void run(const Cells& cells) {
        const Where block = block_3d(cells);
        const int r = block.down * int(S::ROWS) + int(threadIdx.y);
        const int c = block.across * int(S::COLS) + int(threadIdx.x);
        if (!cells.computes(r, c)) return;
        const Weights k = weights(cells);
        LoopBound bound;
        HALOFOLD_LOOP
        for (int p = block.begin; bound.holds() && p < block.end; p++) {
            const float value = box(k, nine(cells, p - 1, r, c), nine(cells, p, r, c), nine(cells, p + 1, r, c));
            cells.put(cells.index_of(p, r, c), value);
        }
    }
};

}  // namespace stencil
