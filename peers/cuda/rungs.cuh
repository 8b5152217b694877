// The catalogue: every rung as a value, the twin of src/reduce/catalogue.rs, in its order.
#pragma once

#include <vector>

#include "check.cuh"
#include "kernels_grid.cuh"
#include "kernels_tile.cuh"
#include "kernels_tree.cuh"
#include "plan.hpp"

// One dispatch, as a rung's kernel is given it.
template <class T>
struct Pass {
    const T* from;
    T* to;
    T* partials;
    unsigned* tickets;
    unsigned len, results, blocks, threads;
    // True: it reads the input, and not the results of an earlier dispatch.
    bool elements;
    cudaStream_t stream;
};

template <class T>
struct Rung {
    const char* name;
    Shape shape;
    void (*launch)(const Pass<T>&);
};

// The rungs whose block size goes by length have their kernel in every size that it takes.
#define HALOFOLD_BY_SIZE(pass, LAUNCH)       \
    switch ((pass).threads) {                \
        case 64: LAUNCH(64); break;          \
        case 128: LAUNCH(128); break;        \
        case 256: LAUNCH(256); break;        \
        case 512: LAUNCH(512); break;        \
        default: LAUNCH(1024); break;        \
    }

template <class T, class Op>
void launch_vectorized(const Pass<T>& p) {
#define ELEMENTS(WG) vectorized<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len)
#define PARTIALS(WG) warp_reduce<T, Op, WG, BuiltIn><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len)
    if (p.elements) {
        HALOFOLD_BY_SIZE(p, ELEMENTS)
    } else {
        HALOFOLD_BY_SIZE(p, PARTIALS)
    }
#undef ELEMENTS
#undef PARTIALS
}

template <class T, class Op>
void launch_single_pass(const Pass<T>& p) {
#define ELEMENTS(WG) \
    single_pass<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.partials, p.tickets, p.len)
    HALOFOLD_BY_SIZE(p, ELEMENTS)
#undef ELEMENTS
}

#undef HALOFOLD_BY_SIZE

template <class T, class Op>
const std::vector<Rung<T>>& rungs() {
    constexpr unsigned WG = 256, TILED = 128;
    using P = const Pass<T>&;
    constexpr Shape pairs{Coverage::pairs, 0, Finish::repeat}, one{Coverage::block, 1, Finish::repeat},
        two{Coverage::block, 2, Finish::repeat}, tile{Coverage::tiles, 1, Finish::repeat},
        tiles{Coverage::tiles, 2, Finish::repeat}, grid{Coverage::grid, 1, Finish::one_workgroup};
    static const std::vector<Rung<T>> all{
        {"global-adjacent", pairs,
         [](P p) { global_adjacent<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len, p.results); }},
        {"global-halves", pairs,
         [](P p) { global_halves<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len, p.results); }},
        {"interleaved-modulo", one,
         [](P p) { interleaved_modulo<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"interleaved-modulo-pair", two,
         [](P p) { interleaved_modulo_pair<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"interleaved-strided", one,
         [](P p) { interleaved_strided<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"sequential", one, [](P p) { sequential<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"first-add", two, [](P p) { first_add<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"unrolled-last", two,
         [](P p) { unrolled_last<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"unrolled-full", two,
         [](P p) { unrolled_full<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"grid-stride", {Coverage::grid, 2, Finish::one_workgroup},
         [](P p) { grid_stride<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"radix-4", one, [](P p) { radix_4<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"tile", tile,
         [](P p) { tile_one_load<T, Op, TILED, TILE><<<p.blocks, TILED, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"tile-two-loads", tiles,
         [](P p) { tile_two_loads<T, Op, TILED, TILE><<<p.blocks, TILED, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"tile-unrolled", tiles,
         [](P p) { tile_unrolled<T, Op, TILED, TILE><<<p.blocks, TILED, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"subgroup-shuffle", grid,
         [](P p) { warp_reduce<T, Op, WG, ShuffleDown><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"subgroup-butterfly", grid,
         [](P p) { warp_reduce<T, Op, WG, ShuffleXor><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"subgroup-add", grid,
         [](P p) { warp_reduce<T, Op, WG, BuiltIn><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"subgroup-atomic", {Coverage::grid, 1, Finish::atomic},
         [](P p) { subgroup_atomic<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"workgroup-atomic", {Coverage::grid, 1, Finish::atomic},
         [](P p) { workgroup_atomic<T, Op, WG><<<p.blocks, WG, 0, p.stream>>>(p.from, p.to, p.len); }},
        {"vectorized", {Coverage::grid, 16, Finish::one_workgroup}, launch_vectorized<T, Op>},
        {"single-pass", {Coverage::grid, 16, Finish::last_workgroup}, launch_single_pass<T, Op>},
    };
    return all;
}
