// The kernels for 5 points. Why each is as it is, is told by the essays in shaders/stencil/2d/, in files of the same
// names.
#pragma once

#include "stencil_packs.cuh"

namespace stencil {

__device__ inline float star(const Cells& cells, float centre, float north, float south, float west, float east) {
    return cells.coefficients[0] * (centre + (north + south) + (west + east));
}

template <class S>
struct DirectGlobal2 : S {
    __device__ static void run(const Cells& cells) {
        const Where block = block_2d(cells);
        const int r = block.down * int(S::ROWS) + int(threadIdx.y);
        const int c = block.across * int(S::COLS) + int(threadIdx.x);
        if (!cells.computes(r, c)) return;
        const float value = star(cells, cells.neighbour(r, c), cells.neighbour(r - 1, c), cells.neighbour(r + 1, c),
                                 cells.neighbour(r, c - 1), cells.neighbour(r, c + 1));
        cells.put(cells.index_of(r, c), value);
    }
};

// ---- A tile in shared memory

// A thread's cell in the grid, and the same cell in the tile.
struct Place2 {
    int r, c, y, x;
};

template <unsigned HEIGHT, unsigned WIDTH>
struct Tile2 {
    static constexpr unsigned SLOTS = HEIGHT * WIDTH;
    float* slots;

    __device__ float& operator()(int y, int x) const { return slots[slot<SLOTS>(unsigned(y) * WIDTH + unsigned(x))]; }

    // The new value of a cell; of the old ones, `own` is given and four are read from the tile.
    __device__ float star_around(const Cells& cells, const Place2& at, float own) const {
        return star(cells, own, (*this)(at.y - 1, at.x), (*this)(at.y + 1, at.x), (*this)(at.y, at.x - 1),
                    (*this)(at.y, at.x + 1));
    }
};

// The halo by four branches with one comparison each: dir-smem and dir-reg. (halo_sides.wgsl)
struct Sides {
    template <class S, class Stage>
    __device__ static void load(const Place2& at, Stage stage) {
        if (at.y == 1) stage(-1, 0);
        if (at.y == int(S::ROWS)) stage(1, 0);
        if (at.x == 1) stage(0, -1);
        if (at.x == int(S::COLS)) stage(0, 1);
    }
};

// By two, each with a richer condition: dir-fusion.
struct Fused {
    template <class S, class Stage>
    __device__ static void load(const Place2& at, Stage stage) {
        if (at.y == 1 || at.y == int(S::ROWS)) stage(at.y == 1 ? -1 : 1, 0);
        if (at.x == 1 || at.x == int(S::COLS)) stage(0, at.x == 1 ? -1 : 1);
    }
};

// By one, for the threads on the diagonal: dir-fusion-diag.
struct Diagonal {
    template <class S, class Stage>
    __device__ static void load(const Place2& at, Stage stage) {
        constexpr int rows = S::ROWS, cols = S::COLS;
        const int y = at.y - 1;
        const int x = at.x - 1;
        if (x % rows != y % cols) return;
        // If the block is longer than wide, several rows share a column, and the first of them loads its ends.
        if (rows <= cols || x == y) {
            stage(-at.y, 0);
            stage(rows - y, 0);
        }
        if (cols <= rows || x == y) {
            stage(0, -at.x);
            stage(0, cols - x);
        }
    }
};

// One thread for every computed cell, and a halo around the tile. With REGISTER a thread keeps its own cell as well.
template <class S, class Halo, bool REGISTER>
struct Direct2 : S {
    __device__ static void run(const Cells& cells) {
        using Tile = Tile2<S::ROWS + 2, S::COLS + 2>;
        __shared__ float slots[Tile::SLOTS];
        const Tile tile{slots};
        const Where block = block_2d(cells);
        const int y = int(threadIdx.y);
        const int x = int(threadIdx.x);
        const Place2 at{Cells::first_row() + block.down * int(S::ROWS) + y,
                        Cells::first_col() + block.across * int(S::COLS) + x, y + 1, x + 1};
        const float own = cells.load(at.r, at.c);
        tile(at.y, at.x) = own;
        Halo::template load<S>(at, [&](int down, int right) {
            tile(at.y + down, at.x + right) = cells.load(at.r + down, at.c + right);
        });
        __syncthreads();
        if (cells.computes(at.r, at.c)) {
            const float centre = REGISTER ? own : tile(at.y, at.x);
            cells.put(cells.index_of(at.r, at.c), tile.star_around(cells, at, centre));
        }
    }
};

// One thread for every cell of the tile; those on its rim compute nothing.
template <class S, bool REGISTER>
struct Overlapped2 : S {
    __device__ static void run(const Cells& cells) {
        using Tile = Tile2<S::ROWS, S::COLS>;
        constexpr int rows = S::ROWS, cols = S::COLS;
        __shared__ float slots[Tile::SLOTS];
        const Tile tile{slots};
        const Where block = block_2d(cells);
        const int y = int(threadIdx.y);
        const int x = int(threadIdx.x);
        const Place2 at{Cells::first_row() - 1 + block.down * (rows - 2) + y,
                        Cells::first_col() - 1 + block.across * (cols - 2) + x, y, x};
        const float own = cells.load(at.r, at.c);
        tile(at.y, at.x) = own;
        __syncthreads();
        const bool rim = y == 0 || y == rows - 1 || x == 0 || x == cols - 1;
        if (!rim && cells.computes(at.r, at.c)) {
            const float centre = REGISTER ? own : tile(at.y, at.x);
            cells.put(cells.index_of(at.r, at.c), tile.star_around(cells, at, centre));
        }
    }
};

// ---- No tile: packs of cells, and three rows of them in registers

template <class S, int LANES>
struct RegisterRows : S {
    __device__ static void run(const Cells& cells) {
        using P = Packs<LANES>;
        using Pack = typename P::Pack;
        constexpr int each = ROWS_PER_INVOCATION;
        const Where block = block_2d(cells);
        const int c = (block.across * int(S::COLS) + int(threadIdx.x)) * LANES;
        const int top = (block.down * int(S::ROWS) + int(threadIdx.y)) * each;
        const int begin = max(top, Cells::first_row());
        const int end = min(top + each, cells.end_row());
        if (c >= int(cells.params.cols) || begin >= end) return;

        const float weight = cells.coefficients[0];
        const unsigned west_col = cells.col_at(c - 1);
        const unsigned east_col = cells.col_at(c + LANES);
        Pack north = P::load(cells, cells.index_of(begin - 1, c));
        Pack centre = P::load(cells, cells.index_of(begin, c));
        LoopBound bound;
        HALOFOLD_LOOP
        for (int r = begin; bound.holds() && r < end; r++) {
            const unsigned row = unsigned(r) * cells.params.cols;
            const Pack south = P::load(cells, cells.index_of(r + 1, c));
            const Pack west = P::from_west(cells.source[row + west_col], centre);
            const Pack east = P::from_east(centre, cells.source[row + east_col]);
            P::put(cells, row + unsigned(c), c, weight * (centre + (north + south) + (west + east)));
            north = centre;
            centre = south;
        }
    }
};

}  // namespace stencil
