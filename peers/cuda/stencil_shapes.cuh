// The block shapes, and from a kernel for any of them to a variant with a launcher for each.
#pragma once

#include "check.cuh"
#include "stencil_catalogue.hpp"
#include "stencil_cells.cuh"

namespace stencil {

template <class... S>
struct ShapeList {};

using Shapes = ShapeList<Shape<4, 16>, Shape<4, 32>, Shape<8, 16>, Shape<8, 32>, Shape<16, 16>, Shape<16, 32>,
                         Shape<32, 16>, Shape<32, 32>, Shape<4, 64>>;

template <class Kernel>
void launch(cudaStream_t stream, const Plan& plan, const float* source, float* result, const float* coefficients) {
    step<Kernel><<<plan.blocks, dim3(Kernel::COLS, Kernel::ROWS), 0, stream>>>(source, result, coefficients,
                                                                              plan.params);
    CHECK(cudaGetLastError());
}

// A kernel of packs, with four cells a pack where the grid allows it.
template <template <class, int> class Kernel, class S>
void launch_packs(cudaStream_t stream, const Plan& plan, const float* source, float* result,
                  const float* coefficients) {
    const bool vectors = lanes_of({plan.params.planes, plan.params.rows, plan.params.cols}) == 4;
    (vectors ? launch<Kernel<S, 4>> : launch<Kernel<S, 1>>)(stream, plan, source, result, coefficients);
}

template <template <class> class Kernel, class... S>
std::vector<Launcher> launchers(ShapeList<S...>) {
    return {launch<Kernel<S>>...};
}

template <template <class, int> class Kernel, class... S>
std::vector<Launcher> launchers(ShapeList<S...>) {
    return {launch_packs<Kernel, S>...};
}

}  // namespace stencil
