#include "library_bench.hpp"

#include <algorithm>
#include <chrono>

#include "options.hpp"

namespace library {

namespace {

// Calls in one graph, at least.
constexpr unsigned CALLS = 32;
constexpr int HOST_CALLS = 301;

__global__ void read_all(unsigned* words, uint64_t count) {
    unsigned acc = 0;
    for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < count; i += uint64_t(gridDim.x) * blockDim.x) {
        acc |= words[i];
    }
    // Never reached on memory full of zeros: it keeps the loads alive.
    if (acc != 0) *words = acc;
}

}  // namespace

Row row_of(const std::string& name, const std::string& op, const std::string& shape, const std::string& element,
           uint64_t n, std::optional<uint64_t> segments) {
    Row row;
    row.name = name;
    row.op = op;
    row.shape = shape;
    row.element = element;
    row.n = n;
    row.segments = segments;
    return row;
}

Bench::Bench(const Session& session, const Peak& peak, const std::vector<std::string>& ops)
    : session_(session), peak_(peak), ops_(ops), swept_(4 * session.l2_bytes() / sizeof(unsigned)), other_(swept_) {
    CHECK(cudaMemsetAsync(other_.data(), 0, swept_ * sizeof(unsigned), session.stream()));
}

bool Bench::wants(const std::string& op) const { return ops_.empty() || contains(ops_, op); }

void Bench::run(const Case& chosen) {
    Row row = chosen.row;
    row.timing = "gpu";
    row.reason = verify(chosen);
    if (row.reason) return keep(row, chosen, {});
    uint64_t number = 0;
    const Work next = [&](cudaStream_t stream) { chosen.call(stream, number++); };
    const Summary summary =
        measure(session_.stream(), next, {CALLS, [this](cudaStream_t stream) { sweep(stream); }});
    row.reason = verify(chosen);
    keep(row, chosen, summary);
}

void Bench::run_on_host(const Case& chosen) {
    using Clock = std::chrono::steady_clock;
    Row row = chosen.row;
    row.timing = "wall";
    row.reason = verify(chosen);
    if (row.reason) return keep(row, chosen, {});
    std::vector<double> ms;
    for (int i = -HOST_CALLS; i < HOST_CALLS; i++) {
        const auto start = Clock::now();
        chosen.call(session_.stream(), 0);
        // The first half is for the clocks of both sides to come up.
        if (i >= 0) ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    row.reason = verify(chosen);
    keep(row, chosen, summarise(std::move(ms)));
}

void Bench::sweep(cudaStream_t stream) const {
    read_all<<<1056, 256, 0, stream>>>(other_.data(), swept_);
    CHECK(cudaGetLastError());
}

std::optional<std::string> Bench::verify(const Case& chosen) const {
    chosen.poison(session_.stream());
    chosen.call(session_.stream(), 0);
    CHECK(cudaStreamSynchronize(session_.stream()));
    return chosen.wrong();
}

void Bench::keep(Row row, const Case& chosen, const Summary& summary) {
    row.adapter = session_.adapter();
    if (summary.median > 0) {
        row.gpu_ms_median = summary.median;
        row.gpu_ms_min = summary.min;
        row.gpu_ms_iqr = summary.iqr;
        row.gb_per_s = chosen.bytes / 1e6 / summary.median;
        if (row.timing == "gpu") row.percent_of_read_peak = 100 * *row.gb_per_s / peak_.read_gb_per_s;
    }
    print_line(row);
    rows_.push_back(std::move(row));
}

}  // namespace library
