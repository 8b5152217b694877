// Sums of many segments at once.

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "library_bench.hpp"
#include "library_data.hpp"

namespace library {

namespace {

// The longest of the skewed segments: 2^20.
constexpr unsigned LONGEST = 20;

// First element of the k-th of segments of one size.
struct Times {
    int size;
    __host__ __device__ int operator()(int k) const { return k * size; }
};

auto starts_from(int first, int size) {
    return thrust::make_transform_iterator(thrust::make_counting_iterator(first), Times{size});
}

std::vector<int> even_offsets(uint64_t n, int size) {
    std::vector<int> offsets;
    for (uint64_t at = 0; at <= n; at += size) offsets.push_back(static_cast<int>(at));
    return offsets;
}

// Sizes 1, 2, 4 ... 2^20 in turn, and what is left: few segments hold most of the elements.
std::vector<int> skewed_offsets(uint64_t n) {
    std::vector<int> offsets{0};
    for (unsigned power = 0; offsets.back() < int64_t(n); power = (power + 1) % (LONGEST + 1)) {
        offsets.push_back(static_cast<int>(std::min<uint64_t>(n, offsets.back() + (uint64_t(1) << power))));
    }
    return offsets;
}

std::vector<float> sums_of(const std::vector<float>& items, const std::vector<int>& offsets) {
    return made(offsets.size() - 1, [&](uint64_t k) {
        double sum = 0;
        for (int i = offsets[k]; i < offsets[k + 1]; i++) sum += items[i];
        return static_cast<float>(sum);
    });
}

// The segments of some offsets, and what they should give.
class Segments {
  public:
    Segments(Bench& bench, const Pool<float>& pool, const std::vector<int>& offsets)
        : bench_(bench), pool_(pool), count_(offsets.size() - 1), offsets_(offsets.size()), output_(count_),
          wanted_(sums_of(pool.items, offsets)) {
        CHECK(cudaMemcpy(offsets_.data(), offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
    }

    void by_array(const char* shape) const {
        run(shape, cub_call([this](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
                return cub::DeviceSegmentedReduce::Sum(workspace, bytes, pool_.memory.data(), output_.data(),
                                                       static_cast<int64_t>(count_), offsets_.data(),
                                                       offsets_.data() + 1, stream);
            }));
    }

    void by_computed_offsets(int size) const {
        run("computed-offsets",
            cub_call([this, size](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
                return cub::DeviceSegmentedReduce::Sum(workspace, bytes, pool_.memory.data(), output_.data(),
                                                       static_cast<int64_t>(count_), starts_from(0, size),
                                                       starts_from(1, size), stream);
            }));
    }

// CUB was taught segments of one size in CCCL 3.1, which comes with CUDA 13.1.
#if CCCL_VERSION >= 3001000
    void by_size(int size) const {
        run("fixed", cub_call([this, size](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
                return cub::DeviceSegmentedReduce::Sum(workspace, bytes, pool_.memory.data(), output_.data(),
                                                       static_cast<int64_t>(count_), size, stream);
            }));
    }
#endif

  private:
    void run(const char* shape, const Call& call) const {
        const uint64_t n = pool_.items.size();
        bench_.run({row_of("cub", "sum", shape, "f32", n, count_), n * sizeof(float), call,
                    poisoned(output_), [this] { return unlike(output_, wanted_); }});
    }

    Bench& bench_;
    const Pool<float>& pool_;
    uint64_t count_;
    Memory<int> offsets_;
    Memory<float> output_;
    std::vector<float> wanted_;
};

}  // namespace

void segments(Bench& bench) {
    if (!bench.wants("segments")) return;
    const Pool<float> pool(elements<float>(LARGEST));
    for (const int size : {256, 65'536}) {
        const Segments even(bench, pool, even_offsets(LARGEST, size));
#if CCCL_VERSION >= 3001000
        even.by_size(size);
#endif
        even.by_computed_offsets(size);
        if (size == 256) even.by_array("offsets");
    }
    Segments(bench, pool, skewed_offsets(LARGEST)).by_array("skewed");
}

}  // namespace library
