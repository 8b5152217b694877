// halofold-cuda library: CUB at the operations that the crate's library offers.

#include "commands.hpp"
#include "library_bench.hpp"
#include "options.hpp"
#include "record.hpp"

namespace {

const std::vector<std::string> OPS{"sum",      "min",      "max",       "arg-min", "mean", "dot",
                                   "variance", "segments", "histogram", "scalar",  "by-key",  "run-lengths",
                                   "unique",   "by-id",    "group-by",  "prefixes", "select"};

std::vector<std::string> parse(int count, char** words) {
    std::vector<std::string> ops;
    for (const auto& [name, value] : options_of(count, words)) {
        if (name != "--op") usage("unknown option " + name);
        for (const std::string& op : split(value)) {
            if (!contains(OPS, op)) usage("unknown operation `" + op + "`");
            ops.push_back(op);
        }
    }
    return ops;
}

}  // namespace

int library_command(int count, char** words) {
    const std::vector<std::string> ops = parse(count, words);
    const Session session;
    const Peak peak = peak_of(session.stream());
    library::print_head();
    library::Bench bench(session, peak, ops);
    library::floats(bench);
    library::double_sums(bench);
    library::integer_sums(bench);
    library::segments(bench);
    library::histograms(bench);
    library::scalars(bench);
    library::runs(bench);
    library::groups(bench);
    library::prefixes(bench);

    std::vector<Fields> all;
    bool right = true;
    for (const library::Row& row : bench.rows()) {
        right = right && !row.reason;
        all.push_back(library::fields_of(row));
    }
    print_record(session, peak, "library", all);
    return right ? 0 : 1;
}
