#include "stencil_row.hpp"

#include <cstdio>

namespace stencil {

namespace {

constexpr const char* LINE = "%-16s %-6s %10s %9s %9s %9s %9s %8s  %s\n";

}  // namespace

std::string name_of(const Extent& grid, unsigned points) {
    const std::string plane = std::to_string(grid.rows) + "x" + std::to_string(grid.cols);
    return points == 5 ? plane : std::to_string(grid.planes) + "x" + plane;
}

Fields fields_of(const Row& row) {
    return {
        {"preset", "null"},
        {"row", "null"},
        {"variant", quoted(row.variant)},
        {"points", std::to_string(row.points)},
        {"grid", quoted(name_of(row.grid, row.points))},
        {"block", quoted(row.block.name())},
        {"boundary", "\"fixed\""},
        {"type", "\"f32\""},
        {"steps", "1"},
        {"workgroups", std::to_string(row.workgroups)},
        {"dispatches", "1"},
        {"gpu_ms_median", json(row.gpu_ms_median)},
        {"gpu_ms_min", json(row.gpu_ms_min)},
        {"gpu_ms_iqr", json(row.gpu_ms_iqr)},
        {"wall_ms_median", json(row.wall_ms_median)},
        {"gcells_per_s", json(row.gcells_per_s)},
        {"gb_per_s", json(row.gb_per_s)},
        {"gflop_per_s", json(row.gflop_per_s)},
        {"percent_of_copy_peak", json(row.percent_of_copy_peak)},
        {"published_s", "null"},
        {"published_gflop_s", "null"},
        {"status", row.reason ? "\"fail\"" : "\"pass\""},
        {"reason", json(row.reason)},
        {"timing", row.gpu_ms_median ? "\"gpu\"" : "null"},
        {"adapter", quoted(row.adapter)},
        {"backend", "\"cuda\""},
    };
}

void print_head(const std::string& title) {
    std::fprintf(stderr, "\n%s\n", title.c_str());
    std::fprintf(stderr, LINE, "variant", "block", "blocks", "step/us", "IQR/us", "GCell/s", "GB/s", "% copy", "result");
}

void print_line(const Row& row) {
    std::fprintf(stderr, LINE, row.variant.c_str(), row.block.name().c_str(), std::to_string(row.workgroups).c_str(),
                 micros(row.gpu_ms_median).c_str(), micros(row.gpu_ms_iqr).c_str(), digits(row.gcells_per_s).c_str(),
                 digits(row.gb_per_s).c_str(), digits(row.percent_of_copy_peak).c_str(), row.reason ? "FAIL" : "PASS");
    if (row.reason) std::fprintf(stderr, "    %s\n", row.reason->c_str());
}

}  // namespace stencil
