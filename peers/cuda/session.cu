#include "session.hpp"

#include <cstdio>

#include "check.cuh"

namespace {

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

Session::Session() {
    cudaDeviceProp device{};
    CHECK(cudaGetDeviceProperties(&device, 0));
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    adapter_ = device.name;
    driver_ = "driver for CUDA " + version(driver) + ", runtime " + version(runtime);
    l2_bytes_ = device.l2CacheSize;
    std::fprintf(stderr, "%s (cuda), %s\n", adapter_.c_str(), driver_.c_str());
}

Session::~Session() { CHECK(cudaStreamDestroy(stream_)); }
