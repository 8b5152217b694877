// The GPU of a run, and the stream that everything goes into.
#pragma once

#include <string>

#include <cuda_runtime.h>

class Session {
  public:
    // The first GPU. Says on standard error what it is.
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    cudaStream_t stream() const { return stream_; }
    const std::string& adapter() const { return adapter_; }
    // The versions of CUDA that the driver and the runtime know.
    const std::string& driver() const { return driver_; }
    size_t l2_bytes() const { return l2_bytes_; }

  private:
    cudaStream_t stream_ = nullptr;
    std::string adapter_, driver_;
    size_t l2_bytes_ = 0;
};
