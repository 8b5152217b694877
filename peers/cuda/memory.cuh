// GPU memory, freed with its owner.
#pragma once

#include <algorithm>
#include <cstdint>

#include "check.cuh"

template <class T>
class Memory {
  public:
    explicit Memory(uint64_t count) : bytes_(std::max<uint64_t>(count * sizeof(T), 16)) {
        CHECK(cudaMalloc(&data_, bytes_));
    }
    ~Memory() { CHECK(cudaFree(data_)); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    T* data() const { return data_; }
    // Fills it with a pattern that no reduction gives: what was there must not pass for a result.
    void poison(cudaStream_t stream) const { CHECK(cudaMemsetAsync(data_, 0xa5, bytes_, stream)); }

  private:
    T* data_ = nullptr;
    uint64_t bytes_;
};
