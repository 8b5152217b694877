// Random elements, and what their reductions should give: the CPU's side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "operators.cuh"

// Runs `part(first, end, index)` over equal parts of `0 … n`, one a core.
template <class Part>
void in_parallel(uint64_t n, unsigned parts, Part part) {
    std::vector<std::thread> threads;
    for (unsigned index = 0; index < parts; index++) {
        threads.emplace_back([=, &part] { part(n * index / parts, n * (index + 1) / parts, index); });
    }
    for (std::thread& thread : threads) thread.join();
}

inline unsigned cores() { return std::clamp(std::thread::hardware_concurrency(), 1u, 64u); }

// A well-mixed word for every index.
inline uint64_t scramble(uint64_t index) {
    uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Integers take every pattern, floats lie in -1 … 1; the same every time.
template <class T>
std::vector<T> random_elements(uint64_t n) {
    std::vector<T> items(n);
    in_parallel(n, cores(), [&](uint64_t first, uint64_t end, unsigned) {
        for (uint64_t i = first; i < end; i++) {
            const uint64_t word = scramble(i);
            if constexpr (std::is_integral_v<T>) {
                items[i] = static_cast<T>(word);
            } else {
                items[i] = static_cast<T>(static_cast<double>(word >> 40) / (1 << 23) - 1.0);
            }
        }
    });
    return items;
}

// A sum of floats that keeps what each addition rounds off.
struct Compensated {
    double high = 0, low = 0, magnitude = 0;

    void add(double x) {
        const double sum = high + x;
        low += std::fabs(high) >= std::fabs(x) ? (high - sum) + x : (x - sum) + high;
        high = sum;
    }
};

// The expected result of a reduction.
template <class T>
struct Expected {
    T value;
    // Sum of the magnitudes for float sums, for which `exact` is the value before rounding; zero where only `value` is right.
    double exact = 0, magnitude = 0;

    // The fault of `got`; nothing if it is right. Each of the `depth` additions on an element's way may be off by half a
    // unit in the last place of a partial sum, which is never larger than the sum of the magnitudes.
    std::optional<std::string> wrong(T got, uint64_t depth) const {
        const double bound = magnitude * (static_cast<double>(std::numeric_limits<T>::epsilon()) / 2) * depth;
        const bool right = magnitude > 0 ? std::fabs(static_cast<double>(got) - exact) <= bound : got == value;
        if (right) return std::nullopt;
        char text[160];
        if constexpr (std::is_integral_v<T>) {
            std::snprintf(text, sizeof text, "got %lld, expected %lld", static_cast<long long>(got),
                          static_cast<long long>(value));
        } else {
            std::snprintf(text, sizeof text, "got %.17g, expected %.17g within %.3g", static_cast<double>(got),
                          magnitude > 0 ? exact : static_cast<double>(value), bound);
        }
        return text;
    }
};

template <class T, class Op>
Expected<T> expected(const T* items, uint64_t n) {
    const unsigned parts = cores();
    if constexpr (std::is_same_v<Op, Sum> && !std::is_integral_v<T>) {
        std::vector<Compensated> sums(parts);
        in_parallel(n, parts, [&](uint64_t first, uint64_t end, unsigned index) {
            Compensated sum;
            for (uint64_t i = first; i < end; i++) {
                sum.add(items[i]);
                sum.magnitude += std::fabs(items[i]);
            }
            sums[index] = sum;
        });
        Compensated total;
        for (const Compensated& sum : sums) {
            total.add(sum.high);
            total.add(sum.low);
            total.magnitude += sum.magnitude;
        }
        const double exact = total.high + total.low;
        return {static_cast<T>(exact), exact, total.magnitude};
    } else {
        std::vector<T> results(parts, Op::template identity<T>());
        in_parallel(n, parts, [&](uint64_t first, uint64_t end, unsigned index) {
            T acc = Op::template identity<T>();
            for (uint64_t i = first; i < end; i++) acc = Op::combine(acc, items[i]);
            results[index] = acc;
        });
        T acc = Op::template identity<T>();
        for (const T result : results) acc = Op::combine(acc, result);
        return {acc};
    }
}
