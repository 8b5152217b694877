#include "stencil_2d.cuh"

#include "stencil_shapes.cuh"

namespace stencil {

template <class S>
using DirSmem2 = Direct2<S, Sides, false>;
template <class S>
using DirReg2 = Direct2<S, Sides, true>;
template <class S>
using DirFusion2 = Direct2<S, Fused, true>;
template <class S>
using DirFusionDiag2 = Direct2<S, Diagonal, true>;
template <class S>
using SolSmem2 = Overlapped2<S, false>;
template <class S>
using SolReg2 = Overlapped2<S, true>;

std::vector<Variant> variants_2d() {
    return {
        {"direct-global", 5, Mapping::cells, launchers<DirectGlobal2>(Shapes{})},
        {"dir-smem", 5, Mapping::direct, launchers<DirSmem2>(Shapes{})},
        {"dir-reg", 5, Mapping::direct, launchers<DirReg2>(Shapes{})},
        {"dir-fusion", 5, Mapping::direct, launchers<DirFusion2>(Shapes{})},
        {"dir-fusion-diag", 5, Mapping::direct, launchers<DirFusionDiag2>(Shapes{})},
        {"sol-smem", 5, Mapping::overlapped, launchers<SolSmem2>(Shapes{})},
        {"sol-reg", 5, Mapping::overlapped, launchers<SolReg2>(Shapes{})},
        {"register-rows", 5, Mapping::strips, launchers<RegisterRows>(Shapes{})},
    };
}

}  // namespace stencil
