// Walking through the planes with a tile in shared memory, UNROLL planes at a time: the twins of tile3d/direct,
// tile3d/overlapped, shared/halo_ring, outputs/each and outputs/common_sums in shaders/stencil/. The kernels in
// shaders/stencil/3d/ are combinations of these, and so they are here.
#pragma once

#include "stencil_points27.cuh"

namespace stencil {

// A thread's cell in every plane, the same in every layer of the tile, its index, and whether it computes.
struct Place3 {
    int r, c, y, x;
    unsigned lid;
    bool works;
};

template <unsigned LAYERS, unsigned HEIGHT, unsigned WIDTH>
struct Tile3 {
    static constexpr unsigned SLOTS = LAYERS * HEIGHT * WIDTH;
    float* slots;

    __device__ float& operator()(unsigned layer, int y, int x) const {
        return slots[slot<SLOTS>((layer * HEIGHT + unsigned(y)) * WIDTH + unsigned(x))];
    }

    __device__ Nine nine(const Place3& at, unsigned layer) const {
        const Tile3& tile = *this;
        return {tile(layer, at.y - 1, at.x - 1), tile(layer, at.y - 1, at.x), tile(layer, at.y - 1, at.x + 1),
                tile(layer, at.y, at.x - 1),     tile(layer, at.y, at.x),     tile(layer, at.y, at.x + 1),
                tile(layer, at.y + 1, at.x - 1), tile(layer, at.y + 1, at.x), tile(layer, at.y + 1, at.x + 1)};
    }
};

// ---- Halos of the direct mapping, corners included. `stage(down, right)` loads the cell that far from the thread's own.

// Eight branches: dir-smem.
struct Branches {
    template <class S, class Stage>
    __device__ static void load(const Place3& at, Stage stage) {
        constexpr int rows = S::ROWS, cols = S::COLS;
        if (at.y == 1) stage(-1, 0);
        if (at.y == rows) stage(1, 0);
        if (at.x == 1) stage(0, -1);
        if (at.x == cols) stage(0, 1);
        if (at.y == 1 && at.x == 1) stage(-1, -1);
        if (at.y == 1 && at.x == cols) stage(-1, 1);
        if (at.y == rows && at.x == 1) stage(1, -1);
        if (at.y == rows && at.x == cols) stage(1, 1);
    }
};

// Three: dir-fusion.
struct FusedBranches {
    template <class S, class Stage>
    __device__ static void load(const Place3& at, Stage stage) {
        const int down = at.y == 1 ? -1 : 1;
        const int right = at.x == 1 ? -1 : 1;
        const bool at_end = at.y == 1 || at.y == int(S::ROWS);
        if (at_end) stage(down, 0);
        if (at.x == 1 || at.x == int(S::COLS)) {
            stage(0, right);
            if (at_end) stage(down, right);
        }
    }
};

// One: the first threads of the block take the halo's cells in order. dir-fusion2 and dir-unroll.
struct Ring {
    template <class S, class Stage>
    __device__ static void cell(const Place3& at, unsigned k, Stage stage) {
        constexpr unsigned width = S::COLS + 2, ends = 2 * width;
        // Inside the columns: which row, and which side.
        const unsigned nth = k - ends;
        const bool in_row = k < ends;
        const bool lower = k >= width;
        const int y = in_row ? (lower ? int(S::ROWS) + 1 : 0) : int(nth >> 1) + 1;
        const int x = in_row ? int(lower ? k - width : k) : int((nth & 1) * (S::COLS + 1));
        stage(y - at.y, x - at.x);
    }

    template <class S, class Stage>
    __device__ static void load(const Place3& at, Stage stage) {
        constexpr unsigned ring = 2 * (S::COLS + 2) + 2 * S::ROWS, threads = S::ROWS * S::COLS;
        if (at.lid < ring) cell<S>(at, at.lid, stage);
        if constexpr (ring > threads) {
            LoopBound bound;
            HALOFOLD_LOOP
            for (unsigned k = at.lid + threads; bound.holds() && k < ring; k += threads) cell<S>(at, k, stage);
        }
    }
};

// ---- The two mappings

// One thread for every computed cell of a plane, and a halo around each layer.
template <class S, unsigned UNROLL_, class Halo>
struct Direct3 : S {
    static constexpr unsigned UNROLL = UNROLL_;
    using Tile = Tile3<UNROLL + 2, S::ROWS + 2, S::COLS + 2>;

    __device__ static Place3 place(const Cells& cells, const Where& block, int y, int x, unsigned lid) {
        const int r = Cells::first_row() + block.down * int(S::ROWS) + y;
        const int c = Cells::first_col() + block.across * int(S::COLS) + x;
        return {r, c, y + 1, x + 1, lid, cells.computes(r, c)};
    }

    __device__ static void stage(const Cells& cells, const Tile& tile, const Place3& at, int p, unsigned layer) {
        auto cell = [&](int down, int right) {
            tile(layer, at.y + down, at.x + right) = cells.load(p, at.r + down, at.c + right);
        };
        cell(0, 0);
        Halo::template load<S>(at, cell);
    }
};

// One thread for every cell of a layer; those on its rim compute nothing.
template <class S, unsigned UNROLL_>
struct Overlapped3 : S {
    static constexpr unsigned UNROLL = UNROLL_;
    using Tile = Tile3<UNROLL + 2, S::ROWS, S::COLS>;

    __device__ static Place3 place(const Cells& cells, const Where& block, int y, int x, unsigned lid) {
        constexpr int rows = S::ROWS, cols = S::COLS;
        const int r = Cells::first_row() - 1 + block.down * (rows - 2) + y;
        const int c = Cells::first_col() - 1 + block.across * (cols - 2) + x;
        const bool rim = y == 0 || y == rows - 1 || x == 0 || x == cols - 1;
        return {r, c, y, x, lid, !rim && cells.computes(r, c)};
    }

    __device__ static void stage(const Cells& cells, const Tile& tile, const Place3& at, int p, unsigned layer) {
        tile(layer, at.y, at.x) = cells.load(p, at.r, at.c);
    }
};

// ---- The walk

// With SHARES every layer is read and summed once a round, and its sums serve up to three outputs; without, each output
// reads all its 27 cells.
template <class Mapped, bool SHARES>
struct Walk : Mapped {
    static constexpr unsigned UNROLL = Mapped::UNROLL, LAYERS = UNROLL + 2;
    using Tile = typename Mapped::Tile;

    // The k-th layer of the ring that begins at `low`.
    __device__ static unsigned layer_at(unsigned low, unsigned k) {
        const unsigned i = low + k;
        return i >= LAYERS ? i - LAYERS : i;
    }

    __device__ static void store(const Cells& cells, const Place3& at, int p, int end, float value) {
        if (p < end) cells.put(cells.index_of(p, at.r, at.c), value);
    }

    __device__ static void outputs(const Cells& cells, const Tile& tile, const Place3& at, const Weights& k,
                                   unsigned low, int p, int end) {
        auto nine = [&](unsigned i) { return tile.nine(at, layer_at(low, i)); };
        if constexpr (SHARES) {
            Sums below = sums_of(nine(0));
            Sums here = sums_of(nine(1));
#pragma unroll
            for (unsigned i = 0; i < UNROLL; i++) {
                const Sums above = sums_of(nine(i + 2));
                store(cells, at, p + int(i), end, box_of_sums(k, below, here, above));
                below = here;
                here = above;
            }
        } else {
#pragma unroll
            for (unsigned i = 0; i < UNROLL; i++) {
                store(cells, at, p + int(i), end, box(k, nine(i), nine(i + 1), nine(i + 2)));
            }
        }
    }

    __device__ static void run(const Cells& cells) {
        __shared__ float slots[Tile::SLOTS];
        const Tile tile{slots};
        const Where block = block_3d(cells);
        const unsigned lid = threadIdx.y * Mapped::COLS + threadIdx.x;
        const Place3 at = Mapped::place(cells, block, int(threadIdx.y), int(threadIdx.x), lid);
        const Weights k = weights(cells);
        unsigned low = 0;
        Mapped::stage(cells, tile, at, block.begin - 1, 0);
        Mapped::stage(cells, tile, at, block.begin, 1);
        LoopBound bound;
        HALOFOLD_LOOP
        for (int p = block.begin; bound.holds() && p < block.end; p += int(UNROLL)) {
#pragma unroll
            for (unsigned i = 1; i <= UNROLL; i++) {
                Mapped::stage(cells, tile, at, p + int(i), layer_at(low, i + 1));
            }
            __syncthreads();
            if (at.works) outputs(cells, tile, at, k, low, p, block.end);
            __syncthreads();
            low = layer_at(low, UNROLL);
        }
    }
};

}  // namespace stencil
