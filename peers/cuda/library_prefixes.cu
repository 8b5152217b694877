// Prefix sums and selections of floats that are spread evenly from 0 to 1.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "library_bench.hpp"
#include "library_data.hpp"

namespace library {

namespace {

constexpr unsigned BITS = 24;

float uniform(uint64_t index) { return static_cast<float>(word_of(index) >> 40) / (1 << BITS); }

struct Below {
    float bound;
    __host__ __device__ bool operator()(float x) const { return x < bound; }
};

constexpr uint64_t LENGTHS[] = {PERIOD, PERIOD << 4, LARGEST};

template <class T>
void prefix_sums(Bench& bench, const Pool<T>& pool, const char* shape, const char* element) {
    const Memory<T> output(LARGEST);
    for (const uint64_t n : LENGTHS) {
        const Call call = cub_call([&, n](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t number) {
            return cub::DeviceScan::InclusiveSum(workspace, bytes, pool.view(n, number), output.data(),
                                                 static_cast<int>(n), stream);
        });
        std::vector<T> wanted(n);
        T sum = 0;
        for (uint64_t i = 0; i < n; i++) wanted[i] = sum += pool.items[i];
        bench.run({row_of("cub", "prefix-sums", shape, element, n), n * sizeof(T), call,
                   poisoned(output), [&] { return unlike(output, wanted); }});
    }
}

// The elements below a bound, in their order.
void selected(Bench& bench, const Pool<float>& pool, const char* op, float bound) {
    const Memory<float> output(LARGEST);
    const Memory<uint32_t> number_kept(1);
    for (const uint64_t n : LENGTHS) {
        const Call call = cub_call([&, n](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t number) {
            return cub::DeviceSelect::If(workspace, bytes, pool.view(n, number), output.data(), number_kept.data(),
                                         static_cast<int>(n), Below{bound}, stream);
        });
        std::vector<float> wanted;
        std::copy_if(pool.items.begin(), pool.items.begin() + n, std::back_inserter(wanted), Below{bound});
        bench.run({row_of("cub", op, "uniform", "f32", n), n * sizeof(float), call,
                   poisoned(output, number_kept), [&] { return unlike(number_kept, output, wanted); }});
    }
}

}  // namespace

void prefixes(Bench& bench) {
    if (bench.wants("prefixes")) {
        prefix_sums(bench, Pool<float>(made(LARGEST, small_number)), "small", "f32");
        const auto bits = [](uint64_t i) {
            const float x = uniform(i);
            uint32_t word;
            std::memcpy(&word, &x, sizeof word);
            return word;
        };
        prefix_sums(bench, Pool<uint32_t>(made(LARGEST, bits)), "uniform", "u32");
    }
    if (!bench.wants("select")) return;
    const Pool<float> pool(made(LARGEST, uniform));
    selected(bench, pool, "select-1-percent", 0.01f);
    selected(bench, pool, "select-half", 0.5f);
    selected(bench, pool, "select-99-percent", 0.99f);
}

}  // namespace library
