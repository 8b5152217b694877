// Counts of keys, where keys are spread evenly and where every thread wants the same bin.

#include <cub/device/device_histogram.cuh>

#include "library_bench.hpp"
#include "library_data.hpp"

namespace library {

namespace {

std::vector<uint32_t> random_keys(uint32_t bins) {
    return made(LARGEST, [=](uint64_t i) { return static_cast<uint32_t>(scramble(i) % bins); });
}

std::vector<uint32_t> counts_of(const std::vector<uint32_t>& keys, uint32_t bins) {
    const unsigned parts = cores();
    std::vector<std::vector<uint32_t>> counts(parts, std::vector<uint32_t>(bins));
    in_parallel(keys.size(), parts, [&](uint64_t first, uint64_t end, unsigned index) {
        for (uint64_t i = first; i < end; i++) counts[index][keys[i]] += 1;
    });
    std::vector<uint32_t> total(bins);
    for (const std::vector<uint32_t>& part : counts) {
        for (uint32_t bin = 0; bin < bins; bin++) total[bin] += part[bin];
    }
    return total;
}

void histogram(Bench& bench, const char* shape, std::vector<uint32_t> keys, uint32_t bins) {
    const Pool<uint32_t> pool(std::move(keys));
    const std::vector<uint32_t> wanted = counts_of(pool.items, bins);
    const Memory<uint32_t> output(bins);
    const Call call = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
        return cub::DeviceHistogram::HistogramEven(workspace, bytes, pool.memory.data(), output.data(),
                                                   static_cast<int>(bins + 1), uint32_t(0), bins,
                                                   static_cast<int>(LARGEST), stream);
    });
    bench.run({row_of("cub", "histogram-" + std::to_string(bins), shape, "u32", LARGEST), LARGEST * sizeof(uint32_t),
               call, poisoned(output), [&] { return unlike(output, wanted); }});
}

}  // namespace

void histograms(Bench& bench) {
    if (!bench.wants("histogram")) return;
    for (const uint32_t bins : {256u, 65'536u}) {
        histogram(bench, "random", random_keys(bins), bins);
        histogram(bench, "equal", std::vector<uint32_t>(LARGEST, bins / 3), bins);
    }
}

}  // namespace library
