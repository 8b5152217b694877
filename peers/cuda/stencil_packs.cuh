// Cells of a row that a thread holds at a time: four, or one for a grid whose rows are no multiple of four long. The
// twins of packs_vector.wgsl and packs_scalar.wgsl.
#pragma once

#include "stencil_cells.cuh"

namespace stencil {

__device__ inline float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ inline float4 operator*(float weight, float4 a) {
    return make_float4(weight * a.x, weight * a.y, weight * a.z, weight * a.w);
}

template <int LANES>
struct Packs;

template <>
struct Packs<1> {
    using Pack = float;

    __device__ static Pack load(const Cells& cells, unsigned i) { return cells.source[i]; }

    // The pack's neighbours to the west, given the cell before the pack. And to the east.
    __device__ static Pack from_west(float west, Pack) { return west; }
    __device__ static Pack from_east(Pack, float east) { return east; }

    // Writes those cells of a pack that are computed; `c` is the column of its first.
    __device__ static void put(const Cells& cells, unsigned i, int c, Pack value) {
        if (Cells::first_col() <= c && c < cells.end_col()) cells.put(i, value);
    }
};

template <>
struct Packs<4> {
    using Pack = float4;

    __device__ static Pack load(const Cells& cells, unsigned i) {
        return reinterpret_cast<const float4*>(cells.source)[i / 4];
    }

    __device__ static Pack from_west(float west, Pack own) { return make_float4(west, own.x, own.y, own.z); }
    __device__ static Pack from_east(Pack own, float east) { return make_float4(own.y, own.z, own.w, east); }

    __device__ static void put(const Cells& cells, unsigned i, int c, Pack value) {
        const int begin = Cells::first_col() - c;
        const int end = cells.end_col() - c;
        if (begin <= 0 && end >= 4) {
            reinterpret_cast<float4*>(cells.result)[i / 4] = value;
            return;
        }
        if (begin <= 0 && end > 0) cells.put(i, value.x);
        if (begin <= 1 && end > 1) cells.put(i + 1, value.y);
        if (begin <= 2 && end > 2) cells.put(i + 2, value.z);
        if (begin <= 3 && end > 3) cells.put(i + 3, value.w);
    }
};

}  // namespace stencil
