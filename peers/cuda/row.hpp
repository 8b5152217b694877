// One line of the ladder: the keys of measure/src/row.rs, and how rows are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct Row {
    std::string rung;
    std::optional<std::string> finish;
    std::string element;
    std::string op;
    uint64_t n = 0;
    std::optional<uint64_t> workgroup_size, workgroups, dispatches;
    std::optional<double> gpu_ms_median, gpu_ms_min, gpu_ms_iqr, wall_ms_median, gb_per_s, percent_of_read_peak;
    std::optional<double> step_speedup, cumulative_speedup;
    bool pass = false;
    std::optional<std::string> reason;
    std::string adapter;
};

// Fills in how many times as fast as the row before, and as the first, each of these rows is.
void compare_steps(std::vector<Row>& rows);

// A JSON array on standard output, as `halofold ladder --json` prints it.
void print_json(const std::vector<Row>& rows);

// A table for people, on standard error.
void print_table(const std::vector<Row>& rows, const std::string& title);
