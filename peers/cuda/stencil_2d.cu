#include "stencil_2d.cuh"

#include "stencil_shapes.cuh"

namespace stencil {

template <class S>
using DirSmem = Direct2<S, Sides, false>;
template <class S>
using DirReg = Direct2<S, Sides, true>;
template <class S>
using DirFusion = Direct2<S, Fused, true>;
template <class S>
using DirFusionDiag = Direct2<S, Diagonal, true>;
template <class S>
using SolSmem = Overlapped2<S, false>;
template <class S>
using SolReg = Overlapped2<S, true>;

std::vector<Variant> variants_2d() {
    return {
        {"direct-global", 5, Mapping::cells, launchers<DirectGlobal2>(Shapes{})},
        {"dir-smem", 5, Mapping::direct, launchers<DirSmem>(Shapes{})},
        {"dir-reg", 5, Mapping::direct, launchers<DirReg>(Shapes{})},
        {"dir-fusion", 5, Mapping::direct, launchers<DirFusion>(Shapes{})},
        {"dir-fusion-diag", 5, Mapping::direct, launchers<DirFusionDiag>(Shapes{})},
        {"sol-smem", 5, Mapping::overlapped, launchers<SolSmem>(Shapes{})},
        {"sol-reg", 5, Mapping::overlapped, launchers<SolReg>(Shapes{})},
        {"register-rows", 5, Mapping::strips, launchers<RegisterRows>(Shapes{})},
    };
}

}  // namespace stencil
