// The rungs that are a tree in global or shared memory, one element or two a thread. Why each of them is slow, and what
// the next one does about it, is told by the essays in shaders/ladder/, in files of the same names.
#pragma once

#include "blocks.cuh"

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) global_adjacent(const T* in, T* out, unsigned len, unsigned results) {
    const unsigned i = blockIdx.x * WG + threadIdx.x;
    const T sum = Op::combine(load_or_identity<T, Op>(in, len, 2 * i), load_or_identity<T, Op>(in, len, 2 * i + 1));
    if (i < results) out[i] = sum;
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) global_halves(const T* in, T* out, unsigned len, unsigned results) {
    const unsigned i = blockIdx.x * WG + threadIdx.x;
    const T sum = Op::combine(load_or_identity<T, Op>(in, len, i), load_or_identity<T, Op>(in, len, i + results));
    if (i < results) out[i] = sum;
}

// nvcc unrolls this loop, knows `2 * s` in every copy, and the remainder becomes a mask: the rung loses its point, and
// is fast. With -DHALOFOLD_ROLLED it keeps both, which is what the WGSL runs as on NVIDIA's Vulkan driver.
template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) interleaved_modulo(const T* in, T* out, unsigned len) {
    __shared__ T tile[WG];
    const unsigned lid = threadIdx.x;
    tile[lid] = load_or_identity<T, Op>(in, len, blockIdx.x * WG + lid);
    __syncthreads();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = 1; bound.holds() && s < WG; s *= 2) {
        if (lid % (2 * s) == 0) tile_add<T, Op, WG>(tile, lid, s);
        __syncthreads();
    }
    if (lid == 0) out[blockIdx.x] = tile[0];
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) interleaved_modulo_pair(const T* in, T* out, unsigned len) {
    __shared__ T tile[2 * WG];
    const unsigned lid = threadIdx.x;
    const unsigned i = blockIdx.x * 2 * WG + 2 * lid;
    tile[2 * lid] = load_or_identity<T, Op>(in, len, i);
    tile[2 * lid + 1] = load_or_identity<T, Op>(in, len, i + 1);
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = 1; bound.holds() && s <= WG; s *= 2) {
        __syncthreads();
        if (lid % s == 0) tile_add<T, Op, 2 * WG>(tile, 2 * lid, s);
    }
    if (lid == 0) out[blockIdx.x] = tile[0];
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) interleaved_strided(const T* in, T* out, unsigned len) {
    __shared__ T tile[WG];
    const unsigned lid = threadIdx.x;
    tile[lid] = load_or_identity<T, Op>(in, len, blockIdx.x * WG + lid);
    __syncthreads();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = 1; bound.holds() && s < WG; s *= 2) {
        const unsigned own = 2 * s * lid;
        if (own < WG) tile_add<T, Op, WG>(tile, own, s);
        __syncthreads();
    }
    if (lid == 0) out[blockIdx.x] = tile[0];
}

// The loop of `sequential` and `first_add`: the upper half is added onto the lower half.
template <class T, class Op, unsigned WG>
__device__ void halving_loop(T* tile) {
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = WG / 2; bound.holds() && s > 0; s /= 2) {
        if (threadIdx.x < s) tile_add<T, Op, WG>(tile, threadIdx.x, s);
        __syncthreads();
    }
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) sequential(const T* in, T* out, unsigned len) {
    __shared__ T tile[WG];
    const unsigned lid = threadIdx.x;
    tile[lid] = load_or_identity<T, Op>(in, len, blockIdx.x * WG + lid);
    __syncthreads();
    halving_loop<T, Op, WG>(tile);
    if (lid == 0) out[blockIdx.x] = tile[0];
}

// Two loads and the first addition, as the rungs from here on begin.
template <class T, class Op, unsigned WG>
__device__ T load_pair(const T* in, unsigned len) {
    const unsigned i = blockIdx.x * 2 * WG + threadIdx.x;
    return Op::combine(load_or_identity<T, Op>(in, len, i), load_or_identity<T, Op>(in, len, i + WG));
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) first_add(const T* in, T* out, unsigned len) {
    __shared__ T tile[WG];
    tile[threadIdx.x] = load_pair<T, Op, WG>(in, len);
    __syncthreads();
    halving_loop<T, Op, WG>(tile);
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) unrolled_last(const T* in, T* out, unsigned len) {
    __shared__ T tile[WG];
    const unsigned lid = threadIdx.x;
    tile[lid] = load_pair<T, Op, WG>(in, len);
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = WG / 2; bound.holds() && s > 32; s /= 2) {
        __syncthreads();
        if (lid < s) tile_add<T, Op, WG>(tile, lid, s);
    }
    const T sum = last_steps<T, Op, WG>(tile[lid]);
    if (lid == 0) out[blockIdx.x] = sum;
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) unrolled_full(const T* in, T* out, unsigned len) {
    const T sum = unrolled_tree<T, Op, WG>(load_pair<T, Op, WG>(in, len));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) radix_4(const T* in, T* out, unsigned len) {
    __shared__ T tile[WG];
    const unsigned lid = threadIdx.x;
    tile[lid] = load_or_identity<T, Op>(in, len, blockIdx.x * WG + lid);
    __syncthreads();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned s = WG / 4; bound.holds() && s > 0; s /= 4) {
        if (lid < s) {
            const T low = Op::combine(tile[slot<WG>(lid)], tile[slot<WG>(lid + s)]);
            const T high = Op::combine(tile[slot<WG>(lid + 2 * s)], tile[slot<WG>(lid + 3 * s)]);
            tile[slot<WG>(lid)] = Op::combine(low, high);
        }
        __syncthreads();
    }
    if (lid == 0) {
        T sum = tile[0];
        // A size that is no power of four leaves two values.
        if constexpr ((WG & 0xaaaaaaaau) != 0) sum = Op::combine(sum, tile[1]);
        out[blockIdx.x] = sum;
    }
}
