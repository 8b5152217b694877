// Two switches that answer "why is the WGSL rung slower?" by making the twin worse in one known way.
//
//   -DHALOFOLD_ROLLED      no loop of a kernel is unrolled. nvcc unrolls a tree whose size it knows, and takes four
//                          steps of a grid-stride loop at once, with four loads on their way instead of one.
//   -DHALOFOLD_LIKE_NAGA   the same, and what naga adds to a checked module: a counter of 64 bits that ends each loop
//                          after 2^64 rounds, and a clamp on each index into workgroup memory. And what WGSL does not
//                          know: how wide a subgroup is.
//
// Neither is set in a normal build, where everything here compiles to nothing.
#pragma once

#if defined(HALOFOLD_ROLLED) || defined(HALOFOLD_LIKE_NAGA)
#define HALOFOLD_LOOP _Pragma("unroll 1")
#else
#define HALOFOLD_LOOP
#endif

#ifdef HALOFOLD_LIKE_NAGA

struct LoopBound {
    unsigned high = ~0u;
    unsigned low = ~0u;

    // As naga writes it: two words, a borrow between them, tested before the loop's own condition.
    __device__ bool holds() {
        if (high == 0u && low == 0u) return false;
        high -= low == 0u ? 1u : 0u;
        low -= 1u;
        return true;
    }
};

template <unsigned SLOTS>
__device__ unsigned slot(unsigned index) {
    return min(index, SLOTS - 1u);
}

// Every block of the ladder has one row of threads, which no compiler knows.
constexpr bool WIDTH_IS_KNOWN = false;
__device__ inline unsigned warp_width() { return 32u * blockDim.y; }

#else

struct LoopBound {
    __device__ constexpr bool holds() const { return true; }
};

template <unsigned SLOTS>
__device__ constexpr unsigned slot(unsigned index) {
    return index;
}

constexpr bool WIDTH_IS_KNOWN = true;
__device__ constexpr unsigned warp_width() { return 32u; }

#endif
