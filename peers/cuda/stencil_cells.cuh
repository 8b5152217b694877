// Parts that every stencil kernel shares: the twins of params, border_fixed, cells, grid2d and grid3d in
// shaders/stencil/shared/.
//
// WGSL does not let a shader write what another binding of it reads, so `source` never aliases `result`, and the pointers
// say so.
#pragma once

#include <cuda_runtime.h>

#include "compiler.cuh"
#include "stencil_plan.hpp"

namespace stencil {

// The threads of a block, known to the compiler.
template <unsigned ROWS_, unsigned COLS_>
struct Shape {
    static constexpr unsigned ROWS = ROWS_, COLS = COLS_;
};

struct Cells {
    const float* __restrict__ source;
    float* __restrict__ result;
    // 5 points: C0 comes first. 27 points: alpha, beta, gamma, delta.
    const float* __restrict__ coefficients;
    Params params;

    // The cells from the first up to, not including, the end are computed; around them lies a border of constants.
    __device__ static int first_row() { return 1; }
    __device__ static int first_col() { return 1; }
    __device__ static int first_plane() { return 1; }
    __device__ int end_row() const { return int(params.rows) - 1; }
    __device__ int end_col() const { return int(params.cols) - 1; }
    __device__ int end_plane() const { return int(params.planes) - 1; }

    __device__ bool computes(int r, int c) const {
        return first_row() <= r && r < end_row() && first_col() <= c && c < end_col();
    }

    // Blocks may stick out of the grid, and must not read there.
    __device__ static unsigned inside(int i, unsigned count) { return unsigned(min(max(i, 0), int(count) - 1)); }
    __device__ unsigned row_at(int r) const { return inside(r, params.rows); }
    __device__ unsigned col_at(int c) const { return inside(c, params.cols); }
    __device__ unsigned plane_at(int p) const { return inside(p, params.planes); }

    __device__ unsigned index_of(int r, int c) const { return unsigned(r) * params.cols + unsigned(c); }
    __device__ unsigned index_of(int p, int r, int c) const {
        return (unsigned(p) * params.rows + unsigned(r)) * params.cols + unsigned(c);
    }

    // The cell at a place, wherever that is.
    __device__ float load(int r, int c) const { return source[row_at(r) * params.cols + col_at(c)]; }
    __device__ float load(int p, int r, int c) const {
        return source[(plane_at(p) * params.rows + row_at(r)) * params.cols + col_at(c)];
    }

    // The same for a computed cell and its neighbours only, which need no checks.
    __device__ float neighbour(int r, int c) const { return source[index_of(r, c)]; }
    __device__ float neighbour(int p, int r, int c) const { return source[index_of(p, r, c)]; }

    __device__ void put(unsigned i, float value) const { result[i] = value; }
};

// Position of a block, counted in blocks, and in 3D the planes it walks through: `begin` up to, not including, `end`.
struct Where {
    int across, down, begin, end;
};

__device__ inline Where block_2d(const Cells& cells) {
    const unsigned down = blockIdx.x / cells.params.blocks_across;
    return {int(blockIdx.x - down * cells.params.blocks_across), int(down), 0, 1};
}

__device__ inline Where block_3d(const Cells& cells) {
    const Params& params = cells.params;
    const unsigned line = blockIdx.x / params.blocks_across;
    const unsigned layer = line / params.blocks_down;
    const int begin = Cells::first_plane() + int(layer * params.planes_per_group);
    return {int(blockIdx.x - line * params.blocks_across), int(line - layer * params.blocks_down), begin,
            min(begin + int(params.planes_per_group), cells.end_plane())};
}

// One step: a kernel is a type that has a shape and knows what a thread does.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::ROWS* Kernel::COLS)
    step(const float* __restrict__ source, float* __restrict__ result, const float* __restrict__ coefficients,
         const Params params) {
    Kernel::run(Cells{source, result, coefficients, params});
}

}  // namespace stencil
