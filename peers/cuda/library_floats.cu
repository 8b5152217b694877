// Everything that is asked of an array of f32.

#include <cuda/std/functional>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "library_moments.cuh"
#include "library_sum.cuh"

namespace library {

namespace {

constexpr auto N = static_cast<unsigned>(LARGEST);
constexpr uint64_t BYTES = LARGEST * sizeof(float);

// Positions of the extremes; the least element comes twice.
constexpr uint64_t LEAST = LARGEST / 8 * 5 + 3, LEAST_AGAIN = LARGEST / 8 * 7, GREATEST = LARGEST / 8 * 3 + 1;

Pool<float> pool_with_extremes() {
    std::vector<float> items = elements<float>(LARGEST);
    items[LEAST] = items[LEAST_AGAIN] = -2;
    items[GREATEST] = 2;
    return Pool<float>(std::move(items));
}

// A value that is not exact: right if it is near.
std::optional<std::string> near(double got, double wanted, double bound) {
    if (std::fabs(got - wanted) <= bound) return std::nullopt;
    char text[120];
    std::snprintf(text, sizeof text, "got %.17g, expected %.17g within %.3g", got, wanted, bound);
    return text;
}

void extremes(Bench& bench, const Pool<float>& pool) {
    const Memory<float> output(1);
    const auto poison = [&](cudaStream_t stream) { output.poison(stream); };
    const float* in = pool.memory.data();
    if (bench.wants("min")) {
        const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
            return cub::DeviceReduce::Min(workspace, bytes, in, output.data(), N, stream);
        });
        bench.run({row_of("cub", "min", "whole", "f32", N), BYTES, call, poison, exactly(output, {-2.0f})});
    }
    if (bench.wants("max")) {
        const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
            return cub::DeviceReduce::Max(workspace, bytes, in, output.data(), N, stream);
        });
        bench.run({row_of("cub", "max", "whole", "f32", N), BYTES, call, poison, exactly(output, {2.0f})});
    }
}

void argmin(Bench& bench, const Pool<float>& pool) {
    const Memory<float> least(1);
    const Memory<int64_t> index(1);
    const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
        return cub::DeviceReduce::ArgMin(workspace, bytes, pool.memory.data(), least.data(), index.data(),
                                         static_cast<int64_t>(N), stream);
    });
    const auto wrong = [&]() -> std::optional<std::string> {
        const float value = fetched(least, 1).front();
        const int64_t at = fetched(index, 1).front();
        if (value == -2 && at == static_cast<int64_t>(LEAST)) return std::nullopt;
        return "got " + std::to_string(value) + " at " + std::to_string(at) + ", expected -2 at " + std::to_string(LEAST);
    };
    const auto poison = [&](cudaStream_t stream) {
        least.poison(stream);
        index.poison(stream);
    };
    bench.run({row_of("cub", "arg-min", "whole", "f32", N), BYTES, call, poison, wrong});
}

struct Share {
    float count;
    __host__ __device__ float operator()(float sum) const { return sum / count; }
};

// A sum whose output divides it on the way.
void mean(Bench& bench, const Pool<float>& pool) {
    const Memory<float> output(1);
    const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
        return cub::DeviceReduce::Sum(workspace, bytes, pool.memory.data(),
                                      thrust::make_transform_output_iterator(output.data(), Share{float(N)}), N, stream);
    });
    const float sum = expected<float, Sum>(pool.items.data(), N).value;
    bench.run({row_of("cub", "mean", "whole", "f32", N), BYTES, call,
               [&](cudaStream_t stream) { output.poison(stream); }, exactly(output, {sum / float(N)})});
}

struct Product {
    __host__ __device__ float operator()(const thrust::tuple<float, float>& pair) const {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};

void dot(Bench& bench, const Pool<float>& pool) {
    const Pool<float> other(elements<float>(LARGEST, LARGEST));
    const Memory<float> output(1);
    const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
        const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(pool.view(N, 0), other.view(N, 0)));
        return cub::DeviceReduce::TransformReduce(workspace, bytes, pairs, output.data(), N, cuda::std::plus<float>{},
                                                  Product{}, 0.0f, stream);
    });
    const auto products = made(LARGEST, [&](uint64_t i) { return double(pool.items[i]) * other.items[i]; });
    const Expected<double> wanted = expected<double, Sum>(products.data(), LARGEST);
    // Partial sums are at most some ten thousand, so this is many of their last places, and far below the value.
    const double bound = 1e-7 * wanted.magnitude;
    bench.run({row_of("cub", "dot", "whole", "f32", N), 2 * BYTES, call,
               [&](cudaStream_t stream) { output.poison(stream); },
               [&] { return near(fetched(output, 1).front(), wanted.exact, bound); }});
}

// The variance: all sums are exact in f64.
double exact_variance(const std::vector<float>& items) {
    const auto squares = made(items.size(), [&](uint64_t i) { return double(items[i]) * items[i]; });
    const double mean = expected<float, Sum>(items.data(), items.size()).exact / items.size();
    return expected<double, Sum>(squares.data(), squares.size()).exact / items.size() - mean * mean;
}

template <class Moment>
void variance(Bench& bench, const Pool<float>& pool, const char* name, double wanted) {
    const Memory<Moment> output(1);
    const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
        return cub::DeviceReduce::TransformReduce(workspace, bytes, pool.memory.data(), output.data(), N,
                                                  typename Moment::Merge{}, typename Moment::Lift{}, Moment{}, stream);
    });
    const auto wrong = [&]() -> std::optional<std::string> {
        const Moment got = fetched(output, 1).front();
        if (got.count != N) return "counted " + std::to_string(got.count) + " elements";
        return near(got.variance(), wanted, 1e-4 * wanted);
    };
    bench.run({row_of(name, "variance", "whole", "f32", N), BYTES, call,
               [&](cudaStream_t stream) { output.poison(stream); }, wrong});
}

}  // namespace

void floats(Bench& bench) {
    bool wanted = false;
    for (const char* op : {"sum", "min", "max", "arg-min", "mean", "dot", "variance"}) wanted = wanted || bench.wants(op);
    if (!wanted) return;
    const Pool<float> pool = pool_with_extremes();
    if (bench.wants("sum")) sums(bench, pool, "f32", {10, 16, 20, 22, 24, 26, 28});
    extremes(bench, pool);
    if (bench.wants("arg-min")) argmin(bench, pool);
    if (bench.wants("mean")) mean(bench, pool);
    if (bench.wants("dot")) dot(bench, pool);
    if (bench.wants("variance")) {
        const double exact = exact_variance(pool.items);
        variance<Moments>(bench, pool, "cub-welford", exact);
        variance<TwoSums>(bench, pool, "cub-two-sums", exact);
    }
}

}  // namespace library
