#include "row.hpp"

#include <cstdio>

#include "json.hpp"

void compare_steps(std::vector<Row>& rows) {
    std::optional<double> first, before;
    for (Row& row : rows) {
        if (!row.pass || !row.gpu_ms_median) continue;
        const double time = *row.gpu_ms_median;
        if (before) row.step_speedup = *before / time;
        if (first) row.cumulative_speedup = *first / time;
        before = time;
        if (!first) first = time;
    }
}

void print_json(const std::vector<Row>& rows) {
    std::vector<Fields> objects;
    for (const Row& row : rows) {
        objects.push_back({
            {"preset", "null"},
            {"row", "null"},
            {"rung", quoted(row.rung)},
            {"finish", json(row.finish)},
            {"type", quoted(row.element)},
            {"op", quoted(row.op)},
            {"n", std::to_string(row.n)},
            {"workgroup_size", json(row.workgroup_size)},
            {"workgroups", json(row.workgroups)},
            {"dispatches", json(row.dispatches)},
            {"gpu_ms_median", json(row.gpu_ms_median)},
            {"gpu_ms_min", json(row.gpu_ms_min)},
            {"gpu_ms_iqr", json(row.gpu_ms_iqr)},
            {"wall_ms_median", json(row.wall_ms_median)},
            {"gb_per_s", json(row.gb_per_s)},
            {"percent_of_read_peak", json(row.percent_of_read_peak)},
            {"step_speedup", json(row.step_speedup)},
            {"cumulative_speedup", json(row.cumulative_speedup)},
            {"published_ms", "null"},
            {"published_gb_s", "null"},
            {"status", row.pass ? "\"pass\"" : "\"fail\""},
            {"reason", json(row.reason)},
            {"timing", row.gpu_ms_median ? "\"gpu\"" : "null"},
            {"adapter", quoted(row.adapter)},
            {"backend", "\"cuda\""},
        });
    }
    print_list(objects, 0);
    std::printf("\n");
}

void print_table(const std::vector<Row>& rows, const std::string& title) {
    const char* line = "%-24s %-15s %9s %10s %10s %9s %9s %7s %7s %8s  %s\n";
    std::fprintf(stderr, "\n%s\n", title.c_str());
    std::fprintf(stderr, line, "rung", "finish", "workgroup", "dispatches", "time/us", "IQR/us", "GB/s", "% peak",
                 "step", "total", "result");
    for (const Row& row : rows) {
        auto count = [](const std::optional<uint64_t>& x) { return x ? std::to_string(*x) : std::string(); };
        std::fprintf(stderr, line, row.rung.c_str(), row.finish.value_or("").c_str(), count(row.workgroup_size).c_str(),
                     count(row.dispatches).c_str(), micros(row.gpu_ms_median).c_str(), micros(row.gpu_ms_iqr).c_str(),
                     digits(row.gb_per_s).c_str(), digits(row.percent_of_read_peak).c_str(),
                     digits(row.step_speedup).c_str(), digits(row.cumulative_speedup).c_str(),
                     row.pass ? "PASS" : "FAIL");
        if (row.reason) std::fprintf(stderr, "    %s\n", row.reason->c_str());
    }
}
