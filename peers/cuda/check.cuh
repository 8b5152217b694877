// Every CUDA call goes through CHECK: a benchmark that ignores an error times nothing and calls it fast.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

inline void check(cudaError_t error, const char* call, const char* file, int line) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "halofold-cuda: %s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error),
                 cudaGetErrorName(error));
    std::exit(2);
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)
