#include "library_row.hpp"

#include <cstdio>

namespace library {

namespace {

constexpr const char* LINE = "%-22s %-16s %-17s %-5s %11s %10s %10s %9s %9s %8s  %s\n";

}  // namespace

Fields fields_of(const Row& row) {
    return {
        {"name", quoted(row.name)},
        {"op", quoted(row.op)},
        {"shape", quoted(row.shape)},
        {"type", quoted(row.element)},
        {"n", std::to_string(row.n)},
        {"segments", json(row.segments)},
        {"gpu_ms_median", json(row.gpu_ms_median)},
        {"gpu_ms_min", json(row.gpu_ms_min)},
        {"gpu_ms_iqr", json(row.gpu_ms_iqr)},
        {"gb_per_s", json(row.gb_per_s)},
        {"percent_of_read_peak", json(row.percent_of_read_peak)},
        {"status", row.reason ? "\"fail\"" : "\"pass\""},
        {"timing", row.gpu_ms_median ? quoted(row.timing) : "null"},
        {"adapter", quoted(row.adapter)},
        {"backend", "\"cuda\""},
    };
}

void print_head() {
    std::fprintf(stderr, "\n");
    std::fprintf(stderr, LINE, "name", "op", "shape", "type", "n", "segments", "time/us", "IQR/us", "GB/s", "% peak",
                 "result");
}

void print_line(const Row& row) {
    const std::string segments = row.segments ? std::to_string(*row.segments) : "";
    std::fprintf(stderr, LINE, row.name.c_str(), row.op.c_str(), row.shape.c_str(), row.element.c_str(),
                 std::to_string(row.n).c_str(), segments.c_str(), micros(row.gpu_ms_median).c_str(),
                 micros(row.gpu_ms_iqr).c_str(), digits(row.gb_per_s).c_str(),
                 digits(row.percent_of_read_peak).c_str(), row.reason ? "FAIL" : "PASS");
    if (row.reason) std::fprintf(stderr, "    %s\n", row.reason->c_str());
}

}  // namespace library
