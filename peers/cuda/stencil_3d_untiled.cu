#include "stencil_shapes.cuh"
#include "stencil_sums.cuh"

namespace stencil {

std::vector<Variant> variants_3d_untiled() {
    return {
        {"direct-global", 27, Mapping::cells, launchers<DirectGlobal3>(Shapes{})},
        {"plane-sums", 27, Mapping::strips, launchers<PlaneSums>(Shapes{})},
    };
}

}  // namespace stencil
