// Inputs of the library's rows.
#pragma once

#include "data.hpp"
#include "memory.cuh"

namespace library {

constexpr uint64_t LARGEST = uint64_t(1) << 28;

// Integers take every pattern. Floats are multiples of 1/64 in -1 ... 1: of random signs, so that no partial sum ever
// grows past what an f32 holds exactly, and sums are right to the bit or wrong. Another `seed` gives other elements.
template <class T>
std::vector<T> elements(uint64_t count, uint64_t seed = 0) {
    std::vector<T> items(count);
    in_parallel(count, cores(), [&](uint64_t first, uint64_t end, unsigned) {
        for (uint64_t i = first; i < end; i++) {
            const uint64_t word = scramble(i + seed);
            if constexpr (std::is_integral_v<T>) {
                items[i] = static_cast<T>(word);
            } else {
                items[i] = static_cast<T>(static_cast<int>(word >> 40) % 129 - 64) / 64;
            }
        }
    });
    return items;
}

// Elements on both sides. Inputs of `n` are views of it, one behind the other, and then again from the start.
template <class T>
struct Pool {
    std::vector<T> items;
    Memory<T> memory;

    explicit Pool(std::vector<T> from) : items(std::move(from)), memory(items.size()) {
        CHECK(cudaMemcpy(memory.data(), items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
    }

    const T* view(uint64_t n, uint64_t number) const { return memory.data() + number % (items.size() / n) * n; }
};

}  // namespace library
