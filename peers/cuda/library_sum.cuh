// Rows of a type's sums.
#pragma once

#include <initializer_list>

#include <cub/device/device_reduce.cuh>

#include "library_bench.hpp"
#include "library_data.hpp"

namespace library {

// The verdict on a single value: that of `wanted` after no rounding at all.
template <class T>
Verdict exactly(const Memory<T>& output, const Expected<T>& wanted) {
    return [&output, wanted] { return wanted.wrong(fetched(output, 1).front(), 0); };
}

template <class T>
void sums(Bench& bench, const Pool<T>& pool, const char* element, std::initializer_list<unsigned> powers) {
    const Memory<T> output(1);
    for (const unsigned power : powers) {
        const uint64_t n = uint64_t(1) << power;
        const Call call = cub_call([&, n](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t number) {
            return cub::DeviceReduce::Sum(workspace, bytes, pool.view(n, number), output.data(),
                                          static_cast<unsigned>(n), stream);
        });
        bench.run({row_of("cub", "sum", "whole", element, n), n * sizeof(T), call,
                   [&](cudaStream_t stream) { output.poison(stream); },
                   exactly(output, expected<T, Sum>(pool.items.data(), n))});
    }
}

}  // namespace library
