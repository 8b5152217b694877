// The ceilings: how fast this GPU's memory can be read, and copied, by kernels that do nothing else.
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

// 10^9 bytes a second, over 512 MiB; the best of a few shapes.
double read_peak_gb_per_s(cudaStream_t stream);
// The same from 512 MiB to another 512 MiB, bytes read and written together.
double copy_peak_gb_per_s(cudaStream_t stream);

struct Peak {
    double read_gb_per_s, copy_gb_per_s;
    size_t bytes;
};

// Both, said on standard error.
Peak peak_of(cudaStream_t stream);
