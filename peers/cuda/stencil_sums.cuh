// plane-sums, the twin of plane_sums.wgsl with a strip of STRIP rows: a thread walks through the planes and keeps, for
// each of its packs, a sum in progress and what the newest plane will give to the next.
#pragma once

#include "stencil_packs.cuh"
#include "stencil_points27.cuh"

namespace stencil {

template <class S, int LANES>
struct PlaneSums : S {
    using P = Packs<LANES>;
    using Pack = typename P::Pack;

    // The columns of a thread: of its pack's first cell, and of the cells before and behind the pack.
    struct Columns {
        int own;
        unsigned west, east;
    };

    // A pack of cells, and for each the sum of its neighbours to the west and to the east.
    struct Row {
        Pack own, sides;
    };

    // A plane's contributions to its own outputs, and to those below and above. Or, for outputs in progress: the sum so far,
    // and the newest plane's contribution to the next.
    struct Shares {
        Pack here, beside;
    };

    struct Strip {
        Shares row[STRIP];
    };

    __device__ static Row row_of(const Cells& cells, unsigned plane, int r, const Columns& columns) {
        const unsigned row = (plane * cells.params.rows + cells.row_at(r)) * cells.params.cols;
        const Pack own = P::load(cells, row + unsigned(columns.own));
        const Pack west = P::from_west(cells.source[row + columns.west], own);
        const Pack east = P::from_east(own, cells.source[row + columns.east]);
        return {own, west + east};
    }

    __device__ static Shares shares_of(const Weights& k, const Row& north, const Row& row, const Row& south) {
        const Pack around = (north.own + south.own) + row.sides;
        const Pack diagonal = north.sides + south.sides;
        return {k.centre * row.own + k.face * around + k.edge * diagonal,
                k.face * row.own + k.edge * around + k.corner * diagonal};
    }

    __device__ static Strip strip_of(const Cells& cells, const Weights& k, unsigned plane, int r,
                                     const Columns& columns) {
        Row rows[STRIP + 2];
#pragma unroll
        for (int i = 0; i < int(STRIP) + 2; i++) rows[i] = row_of(cells, plane, r - 1 + i, columns);
        Strip strip;
#pragma unroll
        for (unsigned i = 0; i < STRIP; i++) strip.row[i] = shares_of(k, rows[i], rows[i + 1], rows[i + 2]);
        return strip;
    }

    __device__ static void advance(Strip& sum, const Strip& next) {
#pragma unroll
        for (unsigned i = 0; i < STRIP; i++) sum.row[i] = {sum.row[i].beside + next.row[i].here, next.row[i].beside};
    }

    __device__ static void put(const Cells& cells, int p, int r, const Columns& columns, const Strip& sum,
                               const Strip& above) {
#pragma unroll
        for (int i = 0; i < int(STRIP); i++) {
            if (r + i < Cells::first_row() || r + i >= cells.end_row()) continue;
            P::put(cells, cells.index_of(p, r + i, columns.own), columns.own, sum.row[i].here + above.row[i].beside);
        }
    }

    __device__ static void run(const Cells& cells) {
        const Where block = block_3d(cells);
        const int c = (block.across * int(S::COLS) + int(threadIdx.x)) * LANES;
        const int r = (block.down * int(S::ROWS) + int(threadIdx.y)) * int(STRIP);
        if (c >= int(cells.params.cols) || r >= cells.end_row() || block.begin >= block.end) return;

        const Weights k = weights(cells);
        const Columns columns{c, cells.col_at(c - 1), cells.col_at(c + LANES)};
        // The first plane's `here` belongs to an output that is not computed here, and is dropped at once.
        Strip sum = strip_of(cells, k, unsigned(block.begin - 1), r, columns);
        advance(sum, strip_of(cells, k, unsigned(block.begin), r, columns));
        LoopBound bound;
        HALOFOLD_LOOP
        for (int p = block.begin; bound.holds() && p < block.end; p++) {
            const Strip above = strip_of(cells, k, unsigned(p + 1), r, columns);
            put(cells, p, r, columns, sum, above);
            advance(sum, above);
        }
    }
};

}  // namespace stencil
