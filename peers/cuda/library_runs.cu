// Runs of equal neighbouring keys, on the axis of CUB's own benchmarks: lengths are spread evenly from one up to a longest.

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

#include "library_bench.hpp"
#include "library_data.hpp"

namespace library {

namespace {

// One period. Its last run ends with it, as the next period begins with another key.
std::vector<uint32_t> keys_of(uint64_t longest) {
    std::vector<uint32_t> keys;
    for (uint64_t run = 0; keys.size() < PERIOD; run++) {
        const uint64_t end = keys.size() + 1 + (word_of(run) >> 32) % longest;
        keys.resize(std::min(end, PERIOD), static_cast<uint32_t>(run) ^ 3);
    }
    return keys;
}

// Keys, and what the runs of one period should give.
class Runs {
  public:
    Runs(Bench& bench, const Pool<float>& values, uint64_t longest)
        : bench_(bench), values_(values), shape_("runs-1-" + std::to_string(longest)),
          keys_(repeated(keys_of(longest))), kept_(LARGEST), lengths_(LARGEST), number_(1), sums_(LARGEST) {
        for (uint64_t at = 0; at < PERIOD; at++) {
            if (at == 0 || keys_.items[at] != wanted_.back()) {
                wanted_.push_back(keys_.items[at]);
                wanted_lengths_.push_back(0);
                wanted_sums_.push_back(0);
            }
            wanted_lengths_.back() += 1;
            wanted_sums_.back() += values.items[at];
        }
    }

    void sums(uint64_t n) const {
        const Call call = cub_call([this, n](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t number) {
            return cub::DeviceReduce::ReduceByKey(workspace, bytes, keys_.view(n, number), kept_.data(),
                                                  values_.view(n, number), sums_.data(), number_.data(),
                                                  cuda::std::plus<float>{}, static_cast<int>(n), stream);
        });
        run("sum-by-key", "f32", n, 2, call, [this](uint64_t times) { return unlike(sums_, wanted_sums_, times); });
    }

    void lengths(uint64_t n) const {
        const Call call = cub_call([this, n](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t number) {
            return cub::DeviceRunLengthEncode::Encode(workspace, bytes, keys_.view(n, number), kept_.data(),
                                                      lengths_.data(), number_.data(), static_cast<int>(n), stream);
        });
        run("run-lengths", "u32", n, 1, call,
            [this](uint64_t times) { return unlike(lengths_, wanted_lengths_, times); });
    }

    void unique(uint64_t n) const {
        const Call call = cub_call([this, n](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t number) {
            return cub::DeviceSelect::Unique(workspace, bytes, keys_.view(n, number), kept_.data(), number_.data(),
                                             static_cast<int>(n), stream);
        });
        run("unique", "u32", n, 1, call, [](uint64_t) { return std::nullopt; });
    }

  private:
    // A row of calls that read so many words for each key. Besides the keys of runs, `results` judges those of so many periods.
    void run(const char* op, const char* element, uint64_t n, uint64_t words, const Call& call,
             const std::function<std::optional<std::string>(uint64_t)>& results) const {
        const auto wrong = [&] {
            const auto keys = unlike(number_, kept_, wanted_, n / PERIOD);
            return keys ? keys : results(n / PERIOD);
        };
        bench_.run({row_of("cub", op, shape_, element, n), words * n * sizeof(uint32_t), call,
                    poisoned(kept_, lengths_, sums_, number_), wrong});
    }

    Bench& bench_;
    const Pool<float>& values_;
    std::string shape_;
    Pool<uint32_t> keys_;
    Memory<uint32_t> kept_, lengths_, number_;
    Memory<float> sums_;
    std::vector<uint32_t> wanted_, wanted_lengths_;
    std::vector<float> wanted_sums_;
};

}  // namespace

void runs(Bench& bench) {
    if (!bench.wants("by-key") && !bench.wants("run-lengths") && !bench.wants("unique")) return;
    const Pool<float> values(repeated(made(PERIOD, [](uint64_t i) { return small_number(PERIOD + i); })));
    for (const uint64_t longest : {2, 16, 256, 65'536}) {
        const Runs runs(bench, values, longest);
        for (const uint64_t n : {PERIOD, PERIOD << 4, LARGEST}) {
            if (bench.wants("by-key")) runs.sums(n);
            if (bench.wants("run-lengths")) runs.lengths(n);
            if (bench.wants("unique")) runs.unique(n);
        }
    }
}

}  // namespace library
