// The operators: identity, combine, the built-in reduction of a warp, and the atomic on a grand total.
//
// Integers wrap: they are added as unsigned numbers, since C++ leaves a signed overflow undefined.
#pragma once

#include <type_traits>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/std/limits>

namespace detail {

template <class T>
struct Same {
    using type = T;
};

template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, Same<T>>::type;

// Atomic operation by compare-and-exchange, for types and operators that the hardware has no atomic for.
template <class Op, class T>
__device__ void exchange_until_done(T* total, T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    static_assert(sizeof(T) == sizeof(Bits));
    auto* word = reinterpret_cast<Bits*>(total);
    Bits seen = *reinterpret_cast<volatile Bits*>(word);
    for (;;) {
        T before;
        memcpy(&before, &seen, sizeof before);
        const T after = Op::combine(before, value);
        Bits wanted;
        memcpy(&wanted, &after, sizeof wanted);
        const Bits found = atomicCAS(word, seen, wanted);
        if (found == seen) return;
        seen = found;
    }
}

}  // namespace detail

struct Sum {
    static constexpr const char* name = "sum";

    template <class T>
    __host__ __device__ static constexpr T identity() {
        return T(0);
    }
    template <class T>
    __host__ __device__ static T combine(T a, T b) {
        using Word = detail::Wrapping<T>;
        return T(Word(a) + Word(b));
    }
    template <class T>
    __device__ static T across_warp(T value) {
        auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
        using Word = detail::Wrapping<T>;
        return T(cooperative_groups::reduce(warp, Word(value), cooperative_groups::plus<Word>()));
    }
    template <class T>
    __device__ static void add_to(T* total, T value) {
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
            atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(value));
        } else {
            atomicAdd(total, value);
        }
    }
};

struct Min {
    static constexpr const char* name = "min";

    template <class T>
    __host__ __device__ static constexpr T identity() {
        using Limits = cuda::std::numeric_limits<T>;
        constexpr T largest = Limits::has_infinity ? Limits::infinity() : Limits::max();
        return largest;
    }
    template <class T>
    __host__ __device__ static T combine(T a, T b) {
        return b < a ? b : a;
    }
    template <class T>
    __device__ static T across_warp(T value) {
        auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
        return cooperative_groups::reduce(warp, value, cooperative_groups::less<T>());
    }
    template <class T>
    __device__ static void add_to(T* total, T value) {
        if constexpr (std::is_integral_v<T>) {
            atomicMin(total, value);
        } else {
            detail::exchange_until_done<Min>(total, value);
        }
    }
};

struct Max {
    static constexpr const char* name = "max";

    template <class T>
    __host__ __device__ static constexpr T identity() {
        using Limits = cuda::std::numeric_limits<T>;
        constexpr T least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        return least;
    }
    template <class T>
    __host__ __device__ static T combine(T a, T b) {
        return a < b ? b : a;
    }
    template <class T>
    __device__ static T across_warp(T value) {
        auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
        return cooperative_groups::reduce(warp, value, cooperative_groups::greater<T>());
    }
    template <class T>
    __device__ static void add_to(T* total, T value) {
        if constexpr (std::is_integral_v<T>) {
            atomicMax(total, value);
        } else {
            detail::exchange_until_done<Max>(total, value);
        }
    }
};
