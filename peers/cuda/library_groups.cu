// Sums and counts of values by ids of groups, or by keys in any order, in the ways that CUDA and CUB have: atomic additions, and sorting.

#include <map>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "library_bench.hpp"
#include "library_data.hpp"

namespace library {

namespace {

// Groups that find room in the shared memory that every kernel may have.
constexpr uint32_t TABLE = 6144;

// A group's results.
struct Tally {
    float sum;
    uint32_t count;

    bool operator==(const Tally& other) const { return sum == other.sum && count == other.count; }

    struct Lift {
        __host__ __device__ Tally operator()(float value) const { return {value, 1}; }
    };

    struct Merge {
        __host__ __device__ Tally operator()(const Tally& a, const Tally& b) const {
            return {a.sum + b.sum, a.count + b.count};
        }
    };
};

__device__ void add(Tally& tally, const Tally& other) {
    atomicAdd(&tally.sum, other.sum);
    atomicAdd(&tally.count, other.count);
}

// Adds all pairs, four at a time. With a table for `own` groups each block has one, and adds it to the others in the end.
__global__ void add_pairs(const float4* values, const uint4* ids, uint64_t count, Tally* tallies, uint32_t own) {
    extern __shared__ Tally table[];
    for (uint32_t id = threadIdx.x; id < own; id += blockDim.x) table[id] = {0, 0};
    __syncthreads();
    Tally* const at = own > 0 ? table : tallies;
    const uint64_t step = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < count; i += step) {
        const float4 value = values[i];
        const uint4 id = ids[i];
        add(at[id.x], {value.x, 1});
        add(at[id.y], {value.y, 1});
        add(at[id.z], {value.z, 1});
        add(at[id.w], {value.w, 1});
    }
    __syncthreads();
    for (uint32_t id = threadIdx.x; id < own; id += blockDim.x) add(tallies[id], table[id]);
}

// The id at an index, for a distribution of ids.
uint32_t id_at(const std::string& kind, uint32_t groups, uint64_t at) {
    const uint64_t word = word_of(PERIOD + at);
    if (kind == "random") return static_cast<uint32_t>(word >> 32) % groups;
    if (kind == "equal") return groups / 3;
    if (kind == "sorted") return static_cast<uint32_t>(at * groups / PERIOD);
    return static_cast<uint32_t>(std::pow(double(groups), double(word >> 11) / double(uint64_t(1) << 53))) - 1;
}

// Pairs, and what they should give. Keys are ids that a multiplication spreads over all integers.
class Groups {
  public:
    Groups(Bench& bench, const Pool<float>& values, uint32_t groups, const char* kind, bool are_keys)
        : bench_(bench), values_(values), groups_(groups), are_keys_(are_keys), kind_(kind),
          names_(repeated(made(PERIOD, [&](uint64_t i) { return id_at(kind, groups, i) * (are_keys ? 0x9e3779b1u : 1); }))) {
        for (uint64_t at = 0; at < PERIOD; at++) {
            Tally& tally = wanted_[names_.items[at]];
            tally.sum += values.items[at] * (LARGEST / PERIOD);
            tally.count += LARGEST / PERIOD;
        }
    }

    void by_atomics() const {
        const Memory<Tally> tallies(groups_);
        int processors = 0;
        CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
        const Call call = [&](cudaStream_t stream, uint64_t) {
            CHECK(cudaMemsetAsync(tallies.data(), 0, groups_ * sizeof(Tally), stream));
            const auto* values = reinterpret_cast<const float4*>(values_.memory.data());
            const auto* ids = reinterpret_cast<const uint4*>(names_.memory.data());
            const uint32_t own = groups_ <= TABLE ? groups_ : 0;
            add_pairs<<<2 * processors, 1024, own * sizeof(Tally), stream>>>(values, ids, LARGEST / 4, tallies.data(), own);
            CHECK(cudaGetLastError());
        };
        std::vector<Tally> all(groups_);
        for (const auto& [id, tally] : wanted_) all[id] = tally;
        run("cuda-atomics", call, poisoned(tallies), [&] { return unlike(tallies, all); });
    }

    // As many bits are sorted as ids have. Groups without a pair are not there.
    void by_sorting() const {
        int bits = are_keys_ ? 32 : 0;
        while (!are_keys_ && uint64_t(1) << bits < groups_) bits += 1;
        const Memory<uint32_t> sorted(LARGEST), kept(groups_), number(1);
        const Memory<float> carried(LARGEST);
        const Memory<Tally> tallies(groups_);
        const Call sort = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
            return cub::DeviceRadixSort::SortPairs(workspace, bytes, names_.memory.data(), sorted.data(),
                                                   values_.memory.data(), carried.data(), static_cast<int>(LARGEST),
                                                   0, bits, stream);
        });
        const Call reduce = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
            const auto lifted = thrust::make_transform_iterator(carried.data(), Tally::Lift{});
            return cub::DeviceReduce::ReduceByKey(workspace, bytes, sorted.data(), kept.data(), lifted, tallies.data(),
                                                  number.data(), Tally::Merge{}, static_cast<int>(LARGEST), stream);
        });
        const Call call = [&](cudaStream_t stream, uint64_t at) {
            sort(stream, at);
            reduce(stream, at);
        };
        std::vector<uint32_t> names;
        std::vector<Tally> there;
        for (const auto& [name, tally] : wanted_) {
            names.push_back(name);
            there.push_back(tally);
        }
        run("cub-sort", call, poisoned(kept, tallies, number), [&] {
            const auto wrong = unlike(number, kept, names);
            return wrong ? wrong : unlike(tallies, there);
        });
    }

  private:
    void run(const char* name, const Call& call, const std::function<void(cudaStream_t)>& poison,
             const Verdict& wrong) const {
        const std::string op = "sum-and-count-by-" + std::to_string(groups_) + (are_keys_ ? "-keys" : "-ids");
        bench_.run({row_of(name, op, kind_, "f32", LARGEST), 2 * LARGEST * sizeof(float), call, poison, wrong});
    }

    Bench& bench_;
    const Pool<float>& values_;
    uint32_t groups_;
    bool are_keys_;
    const char* kind_;
    Pool<uint32_t> names_;
    // In the order of ids or keys.
    std::map<uint32_t, Tally> wanted_;
};

}  // namespace

void groups(Bench& bench) {
    if (!bench.wants("by-id") && !bench.wants("group-by")) return;
    const Pool<float> values(repeated(made(PERIOD, small_number)));
    for (const uint32_t groups : {256u, 4096u, 65'536u, 1u << 20}) {
        for (const char* kind : {"random", "equal", "zipf", "sorted"}) {
            if (!bench.wants("by-id")) continue;
            const Groups pairs(bench, values, groups, kind, false);
            pairs.by_atomics();
            // Sorting takes about as long for each of the distributions.
            if (kind == std::string("random")) pairs.by_sorting();
        }
    }
    for (const uint32_t groups : {1000u, 65'536u}) {
        for (const char* kind : {"random", "zipf"}) {
            if (bench.wants("group-by")) Groups(bench, values, groups, kind, true).by_sorting();
        }
    }
}

}  // namespace library
