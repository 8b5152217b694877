// Expected result of a step: plain loops on the CPU, over data for which every order of additions is exact.
#pragma once

#include <cstdint>
#include <vector>

#include "data.hpp"
#include "stencil_plan.hpp"

namespace stencil {

// Weights that are powers of two, to verify with; and those that are timed, which keep values in their range for as many
// steps as one likes.
inline std::vector<float> exact_weights(unsigned points) {
    if (points == 5) return {0.25f, 0, 0, 0};
    return {0.125f, 0.0625f, 0.03125f, 0.015625f};
}

inline std::vector<float> timed_weights(unsigned points) {
    return points == 5 ? std::vector<float>{0.2f, 0, 0, 0} : exact_weights(points);
}

// Whole numbers below 256.
inline std::vector<float> start_cells(const Extent& grid) {
    std::vector<float> cells(grid.cells());
    in_parallel(grid.cells(), cores(), [&](uint64_t first, uint64_t end, unsigned) {
        for (uint64_t i = first; i < end; i++) cells[i] = static_cast<float>(scramble(i) & 255);
    });
    return cells;
}

inline bool is_border(const Extent& grid, unsigned points, unsigned p, unsigned r, unsigned c) {
    const bool side = r == 0 || r + 1 == grid.rows || c == 0 || c + 1 == grid.cols;
    return side || (points == 27 && (p == 0 || p + 1 == grid.planes));
}

// The new value of the cell at `own`, which is none of the border.
inline float cell_after(const Extent& grid, unsigned points, const std::vector<float>& weights, const float* own) {
    // Sums by how many coordinates differ from the cell's own.
    float shells[4] = {};
    const int depth = points == 27 ? 1 : 0;
    for (int z = -depth; z <= depth; z++) {
        for (int y = -1; y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                shells[z * z + y * y + x * x] += own[(int64_t(z) * grid.rows + y) * grid.cols + x];
            }
        }
    }
    if (points == 5) return weights[0] * (shells[0] + shells[1]);
    return weights[0] * shells[0] + weights[1] * shells[1] + weights[2] * shells[2] + weights[3] * shells[3];
}

// One step with `exact_weights`.
inline std::vector<float> reference(const Extent& grid, unsigned points, const std::vector<float>& cells) {
    std::vector<float> after(cells);
    const std::vector<float> weights = exact_weights(points);
    in_parallel(uint64_t(grid.planes) * grid.rows, cores(), [&](uint64_t first, uint64_t end, unsigned) {
        for (uint64_t line = first; line < end; line++) {
            const auto p = unsigned(line / grid.rows), r = unsigned(line % grid.rows);
            for (unsigned c = 0; c < grid.cols; c++) {
                const uint64_t i = line * grid.cols + c;
                if (!is_border(grid, points, p, r, c)) after[i] = cell_after(grid, points, weights, &cells[i]);
            }
        }
    });
    return after;
}

}  // namespace stencil
