// The OpenCL tutorial's rungs: few threads reduce a tile in shared memory that has more slots than they are.
#pragma once

#include "blocks.cuh"

template <class T, class Op, unsigned WG, unsigned TILE>
__global__ void __launch_bounds__(WG) tile_one_load(const T* in, T* out, unsigned len) {
    __shared__ T tile[TILE];
    const unsigned lid = threadIdx.x;
    LoopBound filling;
    HALOFOLD_LOOP
    for (unsigned k = lid; filling.holds() && k < TILE; k += WG) {
        tile[slot<TILE>(k)] = load_or_identity<T, Op>(in, len, blockIdx.x * TILE + k);
    }
    __syncthreads();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = TILE / 2; bound.holds() && s > 0; s /= 2) {
        LoopBound inner;
        HALOFOLD_LOOP
        for (unsigned k = 0; inner.holds() && k < s; k += WG) {
            if (k + lid < s) tile_add<T, Op, TILE>(tile, k + lid, s);
        }
        __syncthreads();
    }
    if (lid == 0) out[blockIdx.x] = tile[0];
}

// Item `i` and its partner half the input away.
template <class T, class Op, unsigned TILE>
__device__ T two_loads(const T* in, unsigned len, unsigned i) {
    const unsigned half = gridDim.x * TILE;
    return Op::combine(load_or_identity<T, Op>(in, len, i), load_or_identity<T, Op>(in, len, i + half));
}

template <class T, class Op, unsigned WG, unsigned TILE>
__global__ void __launch_bounds__(WG) tile_two_loads(const T* in, T* out, unsigned len) {
    static_assert(TILE >= 2 * WG && WG >= 64);
    __shared__ T tile[TILE];
    const unsigned lid = threadIdx.x;
    LoopBound filling;
    HALOFOLD_LOOP
    for (unsigned k = lid; filling.holds() && k < TILE; k += WG) {
        tile[slot<TILE>(k)] = two_loads<T, Op, TILE>(in, len, blockIdx.x * TILE + k);
    }
    // The full steps. No barrier before the first: until here each thread reads what it wrote itself.
    LoopBound full;
    HALOFOLD_LOOP
    for (unsigned s = TILE / 2; full.holds() && s >= WG; s /= 2) {
        LoopBound inner;
        HALOFOLD_LOOP
        for (unsigned k = 0; inner.holds() && k < s; k += WG) {
            tile_add<T, Op, TILE>(tile, k + lid, s);
        }
        __syncthreads();
    }
    LoopBound half;
    HALOFOLD_LOOP
    for (unsigned s = WG / 2; half.holds() && s > 32; s /= 2) {
        if (lid < s) tile_add<T, Op, TILE>(tile, lid, s);
        __syncthreads();
    }
    unrolled_steps<T, Op, TILE, 64>(tile);
    if (lid == 0) out[blockIdx.x] = tile[0];
}

template <class T, class Op, unsigned WG, unsigned TILE>
__global__ void __launch_bounds__(WG) tile_unrolled(const T* in, T* out, unsigned len) {
    static_assert(TILE >= 2 * WG);
    __shared__ T tile[TILE];
    const unsigned lid = threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < TILE; k += WG) {
        tile[slot<TILE>(lid + k)] = two_loads<T, Op, TILE>(in, len, blockIdx.x * TILE + lid + k);
    }
#pragma unroll
    for (unsigned s = TILE / 2; s >= WG; s /= 2) {
#pragma unroll
        for (unsigned k = 0; k < s; k += WG) {
            tile_add<T, Op, TILE>(tile, lid + k, s);
        }
        __syncthreads();
    }
    unrolled_steps<T, Op, TILE, WG>(tile);
    if (lid == 0) out[blockIdx.x] = tile[0];
}
