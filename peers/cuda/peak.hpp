// The ceiling: how fast this GPU's memory can be read by a kernel that does nothing else.
#pragma once

#include <cuda_runtime.h>

// 10^9 bytes a second, over 512 MiB; the best of a few shapes.
double read_peak_gb_per_s(cudaStream_t stream);
