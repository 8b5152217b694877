// Every stencil variant as a value: the twin of src/stencil/catalogue.rs, in its order.
#pragma once

#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "stencil_plan.hpp"

namespace stencil {

// Puts one step into a stream.
using Launcher = void (*)(cudaStream_t stream, const Plan& plan, const float* source, float* result,
                          const float* coefficients);

struct Variant {
    std::string name;
    unsigned points;
    Mapping mapping;
    // One for each of `blocks()`.
    std::vector<Launcher> launchers;
};

// The block shapes that the kernels are compiled for.
const std::vector<Block>& blocks();

// A file each, so that nvcc can compile them side by side.
std::vector<Variant> variants_2d();
std::vector<Variant> variants_3d_direct();
std::vector<Variant> variants_3d_overlapped();
std::vector<Variant> variants_3d_untiled();

// 2D before 3D, the thesis's order.
const std::vector<Variant>& variants();

}  // namespace stencil
