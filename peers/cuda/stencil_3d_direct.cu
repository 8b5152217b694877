#include "stencil_shapes.cuh"
#include "stencil_walk.cuh"

namespace stencil {

template <class S>
using DirSmem3 = Walk<Direct3<S, 1, Branches>, false>;
template <class S>
using DirFusion3 = Walk<Direct3<S, 1, FusedBranches>, false>;
template <class S>
using DirFusion2_3 = Walk<Direct3<S, 1, Ring>, false>;
template <class S>
using DirUnroll2_3 = Walk<Direct3<S, 2, Ring>, false>;
template <class S>
using DirUnroll4_3 = Walk<Direct3<S, 4, Ring>, false>;
template <class S>
using DirUnroll2Cse3 = Walk<Direct3<S, 2, Ring>, true>;
template <class S>
using DirUnroll4Cse3 = Walk<Direct3<S, 4, Ring>, true>;

std::vector<Variant> variants_3d_direct() {
    return {
        {"dir-smem", 27, Mapping::direct, launchers<DirSmem3>(Shapes{})},
        {"dir-fusion", 27, Mapping::direct, launchers<DirFusion3>(Shapes{})},
        {"dir-fusion2", 27, Mapping::direct, launchers<DirFusion2_3>(Shapes{})},
        {"dir-unroll2", 27, Mapping::direct, launchers<DirUnroll2_3>(Shapes{})},
        {"dir-unroll4", 27, Mapping::direct, launchers<DirUnroll4_3>(Shapes{})},
        {"dir-unroll2-cse", 27, Mapping::direct, launchers<DirUnroll2Cse3>(Shapes{})},
        {"dir-unroll4-cse", 27, Mapping::direct, launchers<DirUnroll4Cse3>(Shapes{})},
    };
}

}  // namespace stencil
