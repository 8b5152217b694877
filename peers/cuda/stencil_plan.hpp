// From a grid and a block to the one launch of a step: the twin of src/stencil/plan.rs, for fixed borders. Its numbers
// have to be kept in step with that file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace stencil {

// Cells of a grid; one plane in 2D. Rows of columns, and planes of rows, columns fastest.
struct Extent {
    unsigned planes, rows, cols;

    uint64_t cells() const { return uint64_t(planes) * rows * cols; }
};

// The threads of a block.
struct Block {
    unsigned rows, cols;

    std::string name() const { return std::to_string(rows) + "x" + std::to_string(cols); }
};

// Maps from threads to cells; src/stencil/catalogue.rs tells the four apart.
enum class Mapping { cells, direct, overlapped, strips };

// The tuning parameters that are no template parameters, and those that are: `Tuning::of` of the crate.
constexpr unsigned ROWS_PER_INVOCATION = 2;
constexpr unsigned STRIP = 2;

inline unsigned planes_per_group(Mapping mapping) {
    switch (mapping) {
        case Mapping::cells: return 1;
        case Mapping::strips: return 64;
        default: return 32;
    }
}

// Parameters of a kernel: `Params` of shaders/stencil/shared/params.wgsl, without the borders and the folded grid.
struct Params {
    unsigned cols, rows, planes;
    unsigned blocks_across, blocks_down;
    unsigned planes_per_group;
};

struct Plan {
    unsigned blocks;
    Params params;
};

// Cells beside each other that one thread of a strip takes.
inline unsigned lanes_of(const Extent& grid) { return grid.cols % 4 == 0 ? 4 : 1; }

// Cells that one block computes.
inline Block coverage(unsigned points, Mapping mapping, const Block& block, const Extent& grid) {
    switch (mapping) {
        case Mapping::overlapped: return {block.rows - 2, block.cols - 2};
        case Mapping::strips:
            return {block.rows * (points == 5 ? ROWS_PER_INVOCATION : STRIP), block.cols * lanes_of(grid)};
        default: return block;
    }
}

inline Plan plan(unsigned points, Mapping mapping, const Block& block, const Extent& grid) {
    const bool from_first_cell = mapping == Mapping::cells || mapping == Mapping::strips;
    auto computed = [](unsigned length) { return length > 2 ? length - 2 : 0; };
    auto span = [&](unsigned length) { return from_first_cell ? length : computed(length); };
    auto count = [](unsigned length, unsigned each) { return std::max(1u, (length + each - 1) / each); };
    const Block covered = coverage(points, mapping, block, grid);
    const unsigned across = count(span(grid.cols), covered.cols);
    const unsigned down = count(span(grid.rows), covered.rows);
    const unsigned depth = planes_per_group(mapping);
    const unsigned chunks = points == 5 ? 1 : count(computed(grid.planes), depth);
    return {across * down * chunks, {grid.cols, grid.rows, grid.planes, across, down, depth}};
}

}  // namespace stencil
