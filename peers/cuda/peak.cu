#include "peak.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "memory.cuh"
#include "timer.hpp"

namespace {

constexpr size_t BYTES = size_t(512) << 20;
constexpr unsigned COUNT = BYTES / sizeof(uint4);

// Memory full of zeros may be faster than memory with data.
__global__ void fill(uint4* out, unsigned vectors) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        const unsigned x = i * 0x9e3779b9u;
        out[i] = make_uint4(x, x ^ (x >> 15), x * 0x85ebca6bu, ~x);
    }
}

__device__ uint4 mix(uint4 a, uint4 b) { return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w); }

// Eight vectors of 16 bytes on their way per thread. The store is never reached on real data: it keeps the loads alive.
__global__ void read(const uint4* in, uint4* out, unsigned vectors) {
    const unsigned grid = gridDim.x * blockDim.x;
    uint4 acc = make_uint4(0, 0, 0, 0);
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 7 * grid < vectors; i += 8 * grid) {
        uint4 v[8];
#pragma unroll
        for (unsigned k = 0; k < 8; k++) v[k] = in[i + k * grid];
#pragma unroll
        for (unsigned k = 0; k < 8; k++) acc = mix(acc, v[k]);
    }
    for (; i < vectors; i += grid) acc = mix(acc, in[i]);
    if ((acc.x ^ acc.y ^ acc.z ^ acc.w) == 0x9e3779b9u) *out = acc;
}

// Vectors of 16 bytes, as many on their way per thread as the shape says, neighbouring threads at neighbouring vectors.
template <unsigned VECTORS>
__global__ void copy(const float4* __restrict__ in, float4* __restrict__ out) {
    const unsigned first = blockIdx.x * VECTORS * blockDim.x + threadIdx.x;
    float4 v[VECTORS];
#pragma unroll
    for (unsigned k = 0; k < VECTORS; k++) v[k] = in[first + k * blockDim.x];
#pragma unroll
    for (unsigned k = 0; k < VECTORS; k++) out[first + k * blockDim.x] = v[k];
}

// The least milliseconds that a copy of all bytes takes with that many vectors a thread.
template <unsigned VECTORS>
double copy_ms(cudaStream_t stream, const Memory<uint4>& in, const Memory<uint4>& out) {
    double best = 1e30;
    for (const unsigned threads : {128u, 256u, 512u, 1024u}) {
        const auto work = [&, threads](cudaStream_t into) {
            copy<VECTORS><<<COUNT / VECTORS / threads, threads, 0, into>>>(
                reinterpret_cast<const float4*>(in.data()), reinterpret_cast<float4*>(out.data()));
            CHECK(cudaGetLastError());
        };
        best = std::min(best, measure(stream, work).median);
    }
    return best;
}

}  // namespace

double read_peak_gb_per_s(cudaStream_t stream) {
    const Memory<uint4> in(COUNT), out(1);
    fill<<<1056, 256, 0, stream>>>(in.data(), COUNT);
    CHECK(cudaGetLastError());

    double best_ms = 1e30;
    const unsigned shapes[][2] = {{256, 1056}, {256, 4224}, {512, 1056}, {1024, 528}};
    for (const auto& [threads, blocks] : shapes) {
        const auto work = [&, threads = threads, blocks = blocks](cudaStream_t into) {
            read<<<blocks, threads, 0, into>>>(in.data(), out.data(), COUNT);
            CHECK(cudaGetLastError());
        };
        best_ms = std::min(best_ms, measure(stream, work).median);
    }
    return BYTES / 1e6 / best_ms;
}

double copy_peak_gb_per_s(cudaStream_t stream) {
    const Memory<uint4> in(COUNT), out(COUNT);
    fill<<<1056, 256, 0, stream>>>(in.data(), COUNT);
    CHECK(cudaGetLastError());
    const double best_ms =
        std::min({copy_ms<1>(stream, in, out), copy_ms<2>(stream, in, out), copy_ms<4>(stream, in, out)});
    return 2.0 * BYTES / 1e6 / best_ms;
}

Peak peak_of(cudaStream_t stream) {
    const Peak peak{read_peak_gb_per_s(stream), copy_peak_gb_per_s(stream), BYTES};
    std::fprintf(stderr, "read peak %.0f GB/s, copy peak %.0f GB/s over 512 MiB\n", peak.read_gb_per_s,
                 peak.copy_gb_per_s);
    return peak;
}
