// Data that all rows of a run share, and the one thing that is done with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "row.hpp"

struct Setting {
    cudaStream_t stream;
    std::string adapter;
    double read_peak;
    // Only these rungs; all of them if there are none.
    std::vector<std::string> rungs;

    bool wants(const std::string& rung) const {
        for (const std::string& name : rungs) {
            if (name == rung) return true;
        }
        return rungs.empty();
    }
};

// Every rung and CUB over `n` elements of a type, by an operator's name. Each is compiled in a file of its own.
std::vector<Row> ladder_f32(const Setting& setting, const std::string& op, uint64_t n);
std::vector<Row> ladder_f64(const Setting& setting, const std::string& op, uint64_t n);
std::vector<Row> ladder_i32(const Setting& setting, const std::string& op, uint64_t n);
std::vector<Row> ladder_i64(const Setting& setting, const std::string& op, uint64_t n);

// The rungs, in the order they run, `cub` last.
const std::vector<std::string>& rung_names();
