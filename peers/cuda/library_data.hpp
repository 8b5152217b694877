// Inputs of the library's rows.
#pragma once

#include "data.hpp"
#include "memory.cuh"

namespace library {

constexpr uint64_t LARGEST = uint64_t(1) << 28;

// So many elements, each by its index.
template <class Make>
auto made(uint64_t count, Make make) {
    std::vector<decltype(make(uint64_t(0)))> items(count);
    in_parallel(count, cores(), [&](uint64_t first, uint64_t end, unsigned) {
        for (uint64_t i = first; i < end; i++) items[i] = make(i);
    });
    return items;
}

// Integers take every pattern. Floats are multiples of 1/64 in -1 ... 1: of random signs, so that no partial sum ever
// grows past what an f32 holds exactly, and sums are right to the bit or wrong. Another `seed` gives other elements.
template <class T>
std::vector<T> elements(uint64_t count, uint64_t seed = 0) {
    return made(count, [=](uint64_t i) {
        const uint64_t word = scramble(i + seed);
        if constexpr (std::is_integral_v<T>) return static_cast<T>(word);
        return static_cast<T>(static_cast<int>(word >> 40) % 129 - 64) / 64;
    });
}

// Elements of groups and runs repeat after so many, and each is made of a word: as in the bench in Rust, which has the same.
constexpr uint64_t PERIOD = uint64_t(1) << 20;

inline uint64_t word_of(uint64_t index) {
    uint64_t x = (index + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    return x ^ (x >> 32);
}

// An integer from -4 to 4: sums of hundreds of millions are floats.
inline float small_number(uint64_t index) { return static_cast<float>((word_of(index) >> 32) % 9) - 4; }

// The largest input, of elements that repeat.
template <class T>
std::vector<T> repeated(const std::vector<T>& period) {
    return made(LARGEST, [&](uint64_t i) { return period[i % PERIOD]; });
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
