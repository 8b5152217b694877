#include "stencil_shapes.cuh"
#include "stencil_walk.cuh"

namespace stencil {

// A 3 where the variant for 5 points has the same name: two templates of one name would be one to the linker.
template <class S>
using SolSmem3 = Walk<Overlapped3<S, 1>, false>;
template <class S>
using SolUnroll2 = Walk<Overlapped3<S, 2>, false>;
template <class S>
using SolUnroll4 = Walk<Overlapped3<S, 4>, false>;
template <class S>
using SolUnroll8 = Walk<Overlapped3<S, 8>, false>;
template <class S>
using SolUnroll2Cse = Walk<Overlapped3<S, 2>, true>;
template <class S>
using SolUnroll4Cse = Walk<Overlapped3<S, 4>, true>;
template <class S>
using SolUnroll8Cse = Walk<Overlapped3<S, 8>, true>;

std::vector<Variant> variants_3d_overlapped() {
    return {
        {"sol-smem", 27, Mapping::overlapped, launchers<SolSmem3>(Shapes{})},
        {"sol-unroll2", 27, Mapping::overlapped, launchers<SolUnroll2>(Shapes{})},
        {"sol-unroll4", 27, Mapping::overlapped, launchers<SolUnroll4>(Shapes{})},
        {"sol-unroll8", 27, Mapping::overlapped, launchers<SolUnroll8>(Shapes{})},
        {"sol-unroll2-cse", 27, Mapping::overlapped, launchers<SolUnroll2Cse>(Shapes{})},
        {"sol-unroll4-cse", 27, Mapping::overlapped, launchers<SolUnroll4Cse>(Shapes{})},
        {"sol-unroll8-cse", 27, Mapping::overlapped, launchers<SolUnroll8Cse>(Shapes{})},
    };
}

}  // namespace stencil
