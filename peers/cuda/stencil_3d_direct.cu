#include "stencil_shapes.cuh"
#include "stencil_walk.cuh"

namespace stencil {

// A 3 where the variant for 5 points has the same name: two templates of one name would be one to the linker.
template <class S>
using DirSmem3 = Walk<Direct3<S, 1, Branches>, false>;
template <class S>
using DirFusion3 = Walk<Direct3<S, 1, FusedBranches>, false>;
template <class S>
using DirFusion2 = Walk<Direct3<S, 1, Ring>, false>;
template <class S>
using DirUnroll2 = Walk<Direct3<S, 2, Ring>, false>;
template <class S>
using DirUnroll4 = Walk<Direct3<S, 4, Ring>, false>;
template <class S>
using DirUnroll2Cse = Walk<Direct3<S, 2, Ring>, true>;
template <class S>
using DirUnroll4Cse = Walk<Direct3<S, 4, Ring>, true>;

std::vector<Variant> variants_3d_direct() {
    return {
        {"dir-smem", 27, Mapping::direct, launchers<DirSmem3>(Shapes{})},
        {"dir-fusion", 27, Mapping::direct, launchers<DirFusion3>(Shapes{})},
        {"dir-fusion2", 27, Mapping::direct, launchers<DirFusion2>(Shapes{})},
        {"dir-unroll2", 27, Mapping::direct, launchers<DirUnroll2>(Shapes{})},
        {"dir-unroll4", 27, Mapping::direct, launchers<DirUnroll4>(Shapes{})},
        {"dir-unroll2-cse", 27, Mapping::direct, launchers<DirUnroll2Cse>(Shapes{})},
        {"dir-unroll4-cse", 27, Mapping::direct, launchers<DirUnroll4Cse>(Shapes{})},
    };
}

}  // namespace stencil
