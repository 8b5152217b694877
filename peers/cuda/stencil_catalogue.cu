#include "stencil_catalogue.hpp"

#include "stencil_shapes.cuh"

namespace stencil {

namespace {

template <class... S>
std::vector<Block> blocks_of(ShapeList<S...>) {
    return {Block{S::ROWS, S::COLS}...};
}

std::vector<Variant> all_variants() {
    std::vector<Variant> all = variants_2d();
    auto append = [&](std::vector<Variant> more) { all.insert(all.end(), more.begin(), more.end()); };
    const std::vector<Variant> untiled = variants_3d_untiled();
    append({untiled.front()});
    append(variants_3d_direct());
    append(variants_3d_overlapped());
    append({untiled.back()});
    return all;
}

}  // namespace

const std::vector<Block>& blocks() {
    static const std::vector<Block> all = blocks_of(Shapes{});
    return all;
}

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = all_variants();
    return all;
}

}  // namespace stencil
