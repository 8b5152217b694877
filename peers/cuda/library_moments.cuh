// Two ways to a variance, as what CUB reduces with: a lift of an element, and how two results become one.
#pragma once

#include <cuda_runtime.h>

namespace library {

// Welford's: count, mean, and the sum of squared deviations from it; merged as Chan, Golub and LeVeque do.
struct Moments {
    unsigned count;
    float mean, squares;

    double variance() const { return static_cast<double>(squares) / count; }

    struct Lift {
        __host__ __device__ Moments operator()(float x) const { return {1, x, 0}; }
    };

    struct Merge {
        __host__ __device__ Moments operator()(const Moments& a, const Moments& b) const {
            if (a.count == 0) return b;
            if (b.count == 0) return a;
            const unsigned count = a.count + b.count;
            const float share = static_cast<float>(b.count) / static_cast<float>(count);
            const float apart = b.mean - a.mean;
            return {count, a.mean + apart * share,
                    a.squares + b.squares + apart * apart * static_cast<float>(a.count) * share};
        }
    };
};

// The sum and the sum of squares: less arithmetic, and less left of a variance that is small beside the mean.
struct TwoSums {
    unsigned count;
    float sum, squares;

    double variance() const {
        const double mean = static_cast<double>(sum) / count;
        return static_cast<double>(squares) / count - mean * mean;
    }

    struct Lift {
        __host__ __device__ TwoSums operator()(float x) const { return {1, x, x * x}; }
    };

    struct Merge {
        __host__ __device__ TwoSums operator()(const TwoSums& a, const TwoSums& b) const {
            return {a.count + b.count, a.sum + b.sum, a.squares + b.squares};
        }
    };
};

}  // namespace library
