// Rows of one grid: run, verify, time, verify again.
#pragma once

#include <string>
#include <vector>

#include "peak.hpp"
#include "session.hpp"
#include "stencil_catalogue.hpp"
#include "stencil_row.hpp"

namespace stencil {

// The chosen variants and blocks; all of them if there are none.
struct Choice {
    std::vector<std::string> variants, blocks;
};

// Every chosen variant for that many points in every chosen block.
std::vector<Row> rows_of(const Session& session, const Peak& peak, const Extent& grid, unsigned points,
                         const Choice& choice);

}  // namespace stencil
