// halofold-cuda: the crate's kernels in CUDA C++, and CUB, so that an NVIDIA machine can say what the port to WGSL costs.
// JSON on standard output, with the crate's own keys; a table on standard error.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "commands.hpp"
#include "options.hpp"
#include "peak.hpp"
#include "session.hpp"
#include "setting.hpp"

namespace {

struct Options {
    std::vector<uint64_t> lengths;
    std::vector<std::string> types, rungs;
    std::string op = "sum";
};

// 16777216 or 2^24, at most what a 32-bit index reaches.
uint64_t parse_length(const std::string& text) {
    char* end = nullptr;
    uint64_t n = std::strtoull(text.c_str(), &end, 10);
    if (n == 2 && *end == '^') {
        const uint64_t power = std::strtoull(end + 1, &end, 10);
        n = power < 32 ? uint64_t(1) << power : 0;
    }
    if (text.empty() || *end != '\0' || n == 0 || n >= (uint64_t(1) << 31)) {
        usage("--n " + text + ": a number from 1 to 2^31 - 1, such as 1000 or 2^24");
    }
    return n;
}

Options parse(int count, char** words) {
    Options options;
    for (const auto& [name, value] : options_of(count, words)) {
        if (name == "--n") {
            options.lengths.push_back(parse_length(value));
        } else if (name == "--type") {
            for (const std::string& type : split(value)) options.types.push_back(type);
        } else if (name == "--op") {
            options.op = value;
        } else if (name == "--rungs") {
            for (const std::string& rung : split(value)) options.rungs.push_back(rung);
        } else {
            usage("unknown option " + name);
        }
    }
    if (options.lengths.empty()) options.lengths.push_back(1 << 24);
    if (options.types.empty()) options.types.push_back("f32");
    for (const std::string& type : options.types) {
        if (!contains({"f32", "f64", "i32", "i64"}, type)) usage("unknown type `" + type + "`");
    }
    for (const std::string& rung : options.rungs) {
        if (!contains(rung_names(), rung)) usage("unknown rung `" + rung + "`");
    }
    if (!contains({"sum", "min", "max"}, options.op)) usage("unknown operator `" + options.op + "`");
    return options;
}

std::vector<Row> rows_of(const Setting& setting, const std::string& type, const std::string& op, uint64_t n) {
    if (type == "f64") return ladder_f64(setting, op, n);
    if (type == "i32") return ladder_i32(setting, op, n);
    if (type == "i64") return ladder_i64(setting, op, n);
    return ladder_f32(setting, op, n);
}

std::string power(uint64_t n) {
    unsigned log2 = 0;
    while (n >> (log2 + 1)) log2 += 1;
    return n > 512 && n == uint64_t(1) << log2 ? "2^" + std::to_string(log2) : std::to_string(n);
}

// The ladder: rows as a JSON array, the keys of `halofold ladder --json`.
int ladder_command(int count, char** words) {
    const Options options = parse(count, words);
    const Session session;
    const Setting setting{session.stream(), session.adapter(), read_peak_gb_per_s(session.stream()), options.rungs};
    std::fprintf(stderr, "read peak %.0f GB/s over 512 MiB\n", setting.read_peak);

    std::vector<Row> all;
    bool right = true;
    for (const std::string& type : options.types) {
        for (const uint64_t n : options.lengths) {
            const std::vector<Row> rows = rows_of(setting, type, options.op, n);
            print_table(rows, options.op + " of " + power(n) + " " + type + ", random data");
            for (const Row& row : rows) right = right && row.pass;
            all.insert(all.end(), rows.begin(), rows.end());
        }
    }
    print_json(all);
    return right ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    const std::string command = count > 1 ? words[1] : "";
    if (command == "stencil") return stencil_command(count - 2, words + 2);
    if (command == "library") return library_command(count - 2, words + 2);
    return ladder_command(count - 1, words + 1);
}
