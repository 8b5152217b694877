// One line of the stencils: the keys that a record's `stencils` have, and its place in a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "stencil_plan.hpp"

namespace stencil {

struct Row {
    std::string variant;
    unsigned points;
    Extent grid;
    Block block;
    uint64_t workgroups;
    std::optional<double> gpu_ms_median, gpu_ms_min, gpu_ms_iqr, wall_ms_median;
    std::optional<double> gcells_per_s, gb_per_s, gflop_per_s, percent_of_copy_peak;
    // The fault of the result; nothing if it is right.
    std::optional<std::string> reason;
    std::string adapter;
};

// 8192x8192, or 256x512x512.
std::string name_of(const Extent& grid, unsigned points);

Fields fields_of(const Row& row);

// A table for people, on standard error: its head, and one line.
void print_head(const std::string& title);
void print_line(const Row& row);

}  // namespace stencil
