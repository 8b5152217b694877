// The rungs with a fixed grid that walks over the whole input, and their ways to become one value.
#pragma once

#include "blocks.cuh"

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) grid_stride(const T* in, T* out, unsigned len) {
    const unsigned grid = gridDim.x * 2 * WG;
    T acc = Op::template identity<T>();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned i = blockIdx.x * 2 * WG + threadIdx.x; bound.holds() && i < len; i += grid) {
        acc = Op::combine(acc, Op::combine(in[i], load_or_identity<T, Op>(in, len, i + WG)));
    }
    const T sum = unrolled_tree<T, Op, WG>(acc);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// `subgroup-shuffle`, `-butterfly` and `-add`, by what `Lanes` does inside a warp. With BuiltIn also the second dispatch
// of `vectorized`, which reads partial results one by one.
template <class T, class Op, unsigned WG, class Lanes>
__global__ void __launch_bounds__(WG) warp_reduce(const T* in, T* out, unsigned len) {
    const T sum = block_reduce<T, Op, WG, Lanes>(fold<T, Op, WG>(in, len));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) vectorized(const T* in, T* out, unsigned len) {
    const T sum = block_reduce<T, Op, WG, BuiltIn>(fold_vectors<T, Op, WG>(in, len));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Initial value of an atomic rung's total: a dispatch of its own, as in the ladder.
template <class T, class Op>
__global__ void seed(T* total) {
    *total = Op::template identity<T>();
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) subgroup_atomic(const T* in, T* total, unsigned len) {
    const T sum = BuiltIn::reduce<T, Op>(fold<T, Op, WG>(in, len));
    if (threadIdx.x % WARP == 0) Op::add_to(total, sum);
}

template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) workgroup_atomic(const T* in, T* total, unsigned len) {
    const T sum = block_reduce<T, Op, WG, BuiltIn>(fold<T, Op, WG>(in, len));
    if (threadIdx.x == 0) Op::add_to(total, sum);
}

// One dispatch: the block that draws the last ticket adds everyone's partial results.
//
// The WGSL posts and fetches partials by atomics, because nothing else is seen by other workgroups in time. CUDA has
// the fence for it: a partial is out before its ticket is drawn, and fetched after the last one was.
template <class T, class Op, unsigned WG>
__global__ void __launch_bounds__(WG) single_pass(const T* in, T* out, T* partials, unsigned* tickets, unsigned len) {
    __shared__ bool is_last;
    const T partial = block_reduce<T, Op, WG, BuiltIn>(fold_vectors<T, Op, WG>(in, len));
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *out = partial;
        return;
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = partial;
        __threadfence();
        is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();

    T acc = Op::template identity<T>();
    LoopBound bound;
    HALOFOLD_LOOP
    for (unsigned i = threadIdx.x; bound.holds() && i < gridDim.x; i += WG) {
        // From the L2 cache: a line of the L1 may be older than the partial.
        acc = Op::combine(acc, __ldcg(partials + i));
    }
    const T sum = block_reduce<T, Op, WG, BuiltIn>(acc);
    if (threadIdx.x == 0) {
        *tickets = 0;
        *out = sum;
    }
}
