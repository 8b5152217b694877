#include "stencil_shapes.cuh"
#include "stencil_walk.cuh"

namespace stencil {

template <class S>
using SolSmem3 = Walk<Overlapped3<S, 1>, false>;
template <class S>
using SolUnroll2_3 = Walk<Overlapped3<S, 2>, false>;
template <class S>
using SolUnroll4_3 = Walk<Overlapped3<S, 4>, false>;
template <class S>
using SolUnroll8_3 = Walk<Overlapped3<S, 8>, false>;
template <class S>
using SolUnroll2Cse3 = Walk<Overlapped3<S, 2>, true>;
template <class S>
using SolUnroll4Cse3 = Walk<Overlapped3<S, 4>, true>;
template <class S>
using SolUnroll8Cse3 = Walk<Overlapped3<S, 8>, true>;

std::vector<Variant> variants_3d_overlapped() {
    return {
        {"sol-smem", 27, Mapping::overlapped, launchers<SolSmem3>(Shapes{})},
        {"sol-unroll2", 27, Mapping::overlapped, launchers<SolUnroll2_3>(Shapes{})},
        {"sol-unroll4", 27, Mapping::overlapped, launchers<SolUnroll4_3>(Shapes{})},
        {"sol-unroll8", 27, Mapping::overlapped, launchers<SolUnroll8_3>(Shapes{})},
        {"sol-unroll2-cse", 27, Mapping::overlapped, launchers<SolUnroll2Cse3>(Shapes{})},
        {"sol-unroll4-cse", 27, Mapping::overlapped, launchers<SolUnroll4Cse3>(Shapes{})},
        {"sol-unroll8-cse", 27, Mapping::overlapped, launchers<SolUnroll8Cse3>(Shapes{})},
    };
}

}  // namespace stencil
