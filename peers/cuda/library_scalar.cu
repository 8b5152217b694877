// A sum that the host waits for: what a caller sees who wants one number back.

#include "library_sum.cuh"

namespace library {

namespace {

// A float of the host, pageable or pinned.
class Landing {
  public:
    explicit Landing(bool pinned) : pinned_(pinned) {
        if (pinned) {
            CHECK(cudaMallocHost(&data_, sizeof(float)));
        } else {
            data_ = new float;
        }
    }
    ~Landing() {
        if (pinned_) {
            CHECK(cudaFreeHost(data_));
        } else {
            delete data_;
        }
    }
    Landing(const Landing&) = delete;
    Landing& operator=(const Landing&) = delete;

    float* data() const { return data_; }

  private:
    float* data_ = nullptr;
    bool pinned_;
};

void scalar(Bench& bench, const Pool<float>& pool, bool pinned) {
    const uint64_t n = pool.items.size();
    const Landing landing(pinned);
    const Memory<float> output(1);
    const Call reduce = cub_call([&](void* workspace, size_t& bytes, cudaStream_t stream, uint64_t) {
        return cub::DeviceReduce::Sum(workspace, bytes, pool.memory.data(), output.data(), static_cast<unsigned>(n),
                                      stream);
    });
    const Call call = [&](cudaStream_t stream, uint64_t number) {
        reduce(stream, number);
        CHECK(cudaMemcpyAsync(landing.data(), output.data(), sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
    };
    const Expected<float> wanted = expected<float, Sum>(pool.items.data(), n);
    const auto poison = [&](cudaStream_t stream) {
        output.poison(stream);
        *landing.data() = std::nanf("");
    };
    bench.run_on_host({row_of(pinned ? "cub-pinned" : "cub-pageable", "sum", "scalar", "f32", n), n * sizeof(float),
                       call, poison, [&] { return wanted.wrong(*landing.data(), 0); }});
}

}  // namespace

void scalars(Bench& bench) {
    if (!bench.wants("scalar")) return;
    for (const unsigned power : {10u, 20u}) {
        const Pool<float> pool(elements<float>(uint64_t(1) << power));
        for (const bool pinned : {false, true}) scalar(bench, pool, pinned);
    }
}

}  // namespace library
