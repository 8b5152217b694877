// halofold-cuda stencil: one Jacobi step of every variant in every block shape, beside a plain copy.

#include "commands.hpp"
#include "options.hpp"
#include "record.hpp"
#include "stencil_bench.hpp"

namespace {

struct Job {
    stencil::Extent grid;
    unsigned points;
};

struct Options {
    std::vector<Job> jobs;
    stencil::Choice choice;
};

Job parse_grid(const std::string& text) {
    const std::vector<unsigned> sides = numbers(text);
    Job job{};
    if (sides.size() == 2) job = {{1, sides[0], sides[1]}, 5};
    if (sides.size() == 3) job = {{sides[0], sides[1], sides[2]}, 27};
    const uint64_t cells = job.grid.cells();
    if (cells == 0 || cells / job.grid.cols != uint64_t(job.grid.planes) * job.grid.rows || cells >= (1u << 31)) {
        usage("--grid " + text + ": rows x columns or planes x rows x columns, such as 8192x8192, below 2^31 cells");
    }
    return job;
}

Options parse(int count, char** words) {
    Options options;
    std::vector<std::string> names, shapes;
    for (const stencil::Variant& variant : stencil::variants()) names.push_back(variant.name);
    for (const stencil::Block& block : stencil::blocks()) shapes.push_back(block.name());
    for (const auto& [name, value] : options_of(count, words)) {
        if (name == "--grid") {
            options.jobs.push_back(parse_grid(value));
        } else if (name == "--blocks") {
            for (const std::string& block : split(value)) {
                if (!contains(shapes, block)) usage("no kernel is compiled for blocks of `" + block + "`");
                options.choice.blocks.push_back(block);
            }
        } else if (name == "--variants") {
            for (const std::string& variant : split(value)) {
                if (!contains(names, variant)) usage("unknown variant `" + variant + "`");
                options.choice.variants.push_back(variant);
            }
        } else {
            usage("unknown option " + name);
        }
    }
    if (options.jobs.empty()) options.jobs = {parse_grid("8192x8192"), parse_grid("256x512x512")};
    return options;
}

}  // namespace

int stencil_command(int count, char** words) {
    const Options options = parse(count, words);
    const Session session;
    const Peak peak = peak_of(session.stream());
    std::vector<Fields> all;
    bool right = true;
    for (const auto& [grid, points] : options.jobs) {
        stencil::print_head(std::to_string(points) + " points, " + stencil::name_of(grid, points) +
                            ", f32, fixed borders, one step");
        for (const stencil::Row& row : stencil::rows_of(session, peak, grid, points, options.choice)) {
            right = right && !row.reason;
            all.push_back(stencil::fields_of(row));
        }
    }
    print_record(session, peak, "stencils", all);
    return right ? 0 : 1;
}
