// Parts that several kernels share, the twins of shaders/shared/: loads, folds, and the ways from one value per thread to one
// value per block.
//
// Step by step these do what the WGSL does, barriers included, so that a difference in time is the toolchain's. They
// make use of one thing WGSL does not know: a warp has 32 lanes.
#pragma once

#include "compiler.cuh"

constexpr unsigned WARP = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

template <class T, class Op>
__device__ T load_or_identity(const T* items, unsigned len, unsigned i) {
    return i < len ? items[i] : Op::template identity<T>();
}

// ---- Many items to one per thread

// Items `i`, `i + grid`, `i + 2 grid` …: neighbouring threads always read neighbouring items.
template <class T, class Op, unsigned WG>
__device__ T fold(const T* items, unsigned len) {
    const unsigned grid = gridDim.x * WG;
    T acc = Op::template identity<T>();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned i = blockIdx.x * WG + threadIdx.x; bound.holds() && i < len; i += grid) {
        acc = Op::combine(acc, items[i]);
    }
    return acc;
}

template <class T>
struct alignas(16) Vec4 {
    T x, y, z, w;
};

template <class T, class Op>
__device__ T across(const Vec4<T>& v) {
    return Op::combine(Op::combine(v.x, v.y), Op::combine(v.z, v.w));
}

// Vectors of four items, four of them on their way at once, into four accumulators that wait for nothing. The one to
// three items behind the last whole vector come one by one. (The WGSL can also start at an offset; here it is zero.)
template <class T, class Op, unsigned WG>
__device__ T fold_vectors(const T* items, unsigned len) {
    const auto* vectors = reinterpret_cast<const Vec4<T>*>(items);
    const unsigned end = len / 4;
    const unsigned grid = gridDim.x * WG;
    const unsigned own = blockIdx.x * WG + threadIdx.x;
    T a = Op::template identity<T>(), b = a, c = a, d = a;
    unsigned i = own;
    LoopBound bound;
    HALOFOLD_LOOP
    for (; bound.holds() && i + 3 * grid < end; i += 4 * grid) {
        const Vec4<T> va = vectors[i];
        const Vec4<T> vb = vectors[i + grid];
        const Vec4<T> vc = vectors[i + 2 * grid];
        const Vec4<T> vd = vectors[i + 3 * grid];
        a = Op::combine(a, across<T, Op>(va));
        b = Op::combine(b, across<T, Op>(vb));
        c = Op::combine(c, across<T, Op>(vc));
        d = Op::combine(d, across<T, Op>(vd));
    }
    LoopBound rest;
    HALOFOLD_LOOP
    for (; rest.holds() && i < end; i += grid) {
        a = Op::combine(a, across<T, Op>(vectors[i]));
    }
    if (own < len - 4 * end) {
        b = Op::combine(b, items[4 * end + own]);
    }
    return Op::combine(Op::combine(a, b), Op::combine(c, d));
}

// ---- One per thread to one per warp

struct ShuffleDown {
    template <class T, class Op>
    __device__ static T reduce(T acc) {
        LoopBound bound;
        HALOFOLD_LOOP
        for (unsigned d = warp_width() / 2; bound.holds() && d > 0; d /= 2) {
            // A lane past the end gets its own value back; only lane 0 has the warp's result.
            acc = Op::combine(acc, __shfl_down_sync(ALL_LANES, acc, d));
        }
        return acc;
    }
};

struct ShuffleXor {
    template <class T, class Op>
    __device__ static T reduce(T acc) {
        LoopBound bound;
        HALOFOLD_LOOP
        for (unsigned d = 1; bound.holds() && d < warp_width(); d *= 2) {
            acc = Op::combine(acc, __shfl_xor_sync(ALL_LANES, acc, d));
        }
        return acc;
    }
};

// CUDA's own: one instruction for integers of 32 bits, shuffles for the rest.
struct BuiltIn {
    template <class T, class Op>
    __device__ static T reduce(T acc) {
        return Op::across_warp(acc);
    }
};

// ---- One per thread to one per block

// Warp by warp in registers, the warps' results through shared memory, one barrier. Thread 0 has the total. Between two
// calls there must be a barrier.
template <class T, class Op, unsigned WG, class Lanes>
__device__ T block_reduce(T value) {
    constexpr unsigned WARPS = WG / WARP;
    __shared__ T slots[WARPS];
    const unsigned lane = threadIdx.x % WARP;
    const T own = Lanes::template reduce<T, Op>(value);
    if (lane == 0) slots[slot<WARPS>(threadIdx.x / WARP)] = own;
    __syncthreads();
    T acc = Op::template identity<T>();
    if constexpr (WIDTH_IS_KNOWN) {
        if (lane < WARPS) acc = slots[lane];
    } else {
        // There may be more results than lanes.
        LoopBound bound;
        HALOFOLD_LOOP
        for (unsigned i = lane; bound.holds() && i < WG / warp_width(); i += warp_width()) {
            acc = Op::combine(acc, slots[slot<WARPS>(i)]);
        }
    }
    return Lanes::template reduce<T, Op>(acc);
}

// The last six steps of a tree. The first 64 threads bring a value each, what the others bring is ignored.
template <class T, class Op, unsigned WG>
__device__ T last_steps(T value) {
    return block_reduce<T, Op, WG, BuiltIn>(threadIdx.x < 64 ? value : Op::template identity<T>());
}

// One step of a tree for one thread: the slot `s` further up is added onto its own.
template <class T, class Op, unsigned SLOTS>
__device__ void tile_add(T* tile, unsigned i, unsigned s) {
    tile[slot<SLOTS>(i)] = Op::combine(tile[slot<SLOTS>(i)], tile[slot<SLOTS>(i + s)]);
}

// A tree in shared memory from `LEFT` slots down to one, every step written out. No barrier after the last step: its
// result is for thread 0, which made it.
template <class T, class Op, unsigned SLOTS, unsigned LEFT>
__device__ void unrolled_steps(T* tile) {
    if constexpr (LEFT >= 2) {
        constexpr unsigned half = LEFT / 2;
        if (threadIdx.x < half) tile_add<T, Op, SLOTS>(tile, threadIdx.x, half);
        if constexpr (half > 1) {
            __syncthreads();
            unrolled_steps<T, Op, SLOTS, half>(tile);
        }
    }
}

template <class T, class Op, unsigned WG>
__device__ T unrolled_tree(T value) {
    __shared__ T tile[WG];
    tile[threadIdx.x] = value;
    __syncthreads();
    unrolled_steps<T, Op, WG, WG>(tile);
    return tile[threadIdx.x];
}
