// One line of the library: the keys that a record's `library` has, and its place in a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "json.hpp"

namespace library {

struct Row {
    // `cub` or `cuda`, and behind a dash which of several ways.
    std::string name;
    std::string op;
    // `whole`, `fixed` and so on: the README has them all.
    std::string shape;
    std::string element;
    uint64_t n;
    std::optional<uint64_t> segments;
    std::optional<double> gpu_ms_median, gpu_ms_min, gpu_ms_iqr, gb_per_s, percent_of_read_peak;
    // `gpu`, or `wall`: then the times are the host's.
    std::string timing;
    // The fault of the result; nothing if it is right.
    std::optional<std::string> reason;
    std::string adapter;
};

Fields fields_of(const Row& row);

// A table for people, on standard error: its head, and one line.
void print_head();
void print_line(const Row& row);

}  // namespace library
