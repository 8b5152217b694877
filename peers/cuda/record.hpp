// A run as `halofold bench` writes it: the keys of measure/src/record.rs, and a list of rows.
#pragma once

#include <vector>

#include "json.hpp"
#include "peak.hpp"
#include "session.hpp"

// The record on standard output, its rows under `list`: `stencils` or `library`.
void print_record(const Session& session, const Peak& peak, const char* list, const std::vector<Fields>& rows);
