// From a rung and a length to its dispatches: the twin of src/reduce/plan.rs and tuning.rs, with the same block sizes,
// the same grids and the same number of dispatches, for inputs that fit one binding there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

// Items that one block takes; the catalogue has the number beside it.
enum class Coverage { pairs, block, tiles, grid };

enum class Finish { repeat, one_workgroup, atomic, last_workgroup };

inline const char* name(Finish finish) {
    switch (finish) {
        case Finish::repeat: return "repeat";
        case Finish::one_workgroup: return "one-workgroup";
        case Finish::atomic: return "atomic";
        case Finish::last_workgroup: return "last-workgroup";
    }
    return "";
}

struct Shape {
    Coverage coverage;
    unsigned items;
    Finish finish;
};

struct Tuning {
    unsigned workgroup_size;
    unsigned max_workgroups;
};

// Slots of a tile; see Tuning::tile in the crate.
constexpr unsigned TILE = 512;

inline Tuning tuning_of(const Shape& shape, uint64_t n) {
    if (shape.coverage == Coverage::tiles) return {128, 1024};
    if (shape.coverage != Coverage::grid || shape.items != 16) return {256, 1024};
    if (n <= 4096) {
        unsigned threads = 64;
        while (threads < 256 && threads < n / 4) threads *= 2;
        return {threads, 1};
    }
    if (n <= 65'536) return {1024, 1};
    if (n <= 16'777'216) return {256, 396};
    return {512, 1056};
}

// One dispatch over `len` items that leaves `results`.
struct Level {
    uint64_t len;
    uint64_t results;
    uint64_t blocks;
};

inline uint64_t div_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

inline Level level(const Shape& shape, const Tuning& tuning, uint64_t len, uint64_t most) {
    const uint64_t threads = tuning.workgroup_size;
    if (shape.coverage == Coverage::pairs) {
        const uint64_t results = std::max<uint64_t>(1, div_up(len, 2));
        return {len, results, div_up(results, threads)};
    }
    const uint64_t per_block = shape.items * (shape.coverage == Coverage::tiles ? TILE : threads);
    uint64_t results = div_up(len, per_block);
    // No thread takes more rounds than the weakest driver of the ladder carries out.
    if (shape.coverage == Coverage::grid) {
        results = std::max(std::min(results, most), div_up(len, threads * 32'768));
    }
    results = std::max<uint64_t>(1, results);
    return {len, results, results};
}

// The dispatches that read items, in order; an atomic rung's seed comes on top.
inline std::vector<Level> levels_of(const Shape& shape, const Tuning& tuning, uint64_t n) {
    std::vector<Level> levels{level(shape, tuning, n, tuning.max_workgroups)};
    if (shape.finish == Finish::atomic || shape.finish == Finish::last_workgroup) return levels;
    const uint64_t most = shape.finish == Finish::repeat ? tuning.max_workgroups : 1;
    while (levels.back().results > 1) {
        levels.push_back(level(shape, tuning, levels.back().results, most));
    }
    return levels;
}

// Additions on the longest way through a dispatch: what the error bound of a float sum grows with.
inline uint64_t steps_of(uint64_t len, uint64_t threads, uint64_t workgroup_size) {
    uint64_t log2 = 0;
    while (workgroup_size >> (log2 + 1)) log2 += 1;
    return div_up(len, std::max<uint64_t>(1, threads)) + log2 + 4;
}
