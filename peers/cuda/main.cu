// halofold-cuda: the rungs of the ladder in CUDA C++, and CUB, so that an NVIDIA machine can say what the port to WGSL
// costs. Rows as JSON on standard output, the same keys as `halofold ladder --json`; a table on standard error.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.cuh"
#include "peak.hpp"
#include "setting.hpp"

namespace {

constexpr const char* USAGE =
    "usage: halofold-cuda [--n N]... [--type f32,i32,f64,i64] [--op sum|min|max] [--rungs A,B]\n"
    "  --n N       elements, repeatable; 2^24 is one way to write a number and the default\n"
    "  --type T    element types; default f32\n"
    "  --op OP     operator; default sum\n"
    "  --rungs A,B only these rungs; `cub` is one\n"
    "JSON goes to standard output, a table to standard error.\n"
    "Exit status: 0, 1 if a result was wrong, 2 if something could not be run.\n";

struct Options {
    std::vector<uint64_t> lengths;
    std::vector<std::string> types, rungs;
    std::string op = "sum";
};

[[noreturn]] void usage(const std::string& problem) {
    std::fprintf(stderr, "halofold-cuda: %s\n%s", problem.c_str(), USAGE);
    std::exit(2);
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    for (const std::string& known : names) {
        if (known == name) return true;
    }
    return false;
}

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
    for (int i = 1; i < count; i++) {
        const std::string word = words[i];
        if (word == "--help" || word == "-h") {
            std::printf("%s", USAGE);
            std::exit(0);
        }
        if (i + 1 == count) usage(word + ": unknown, or its value is missing");
        const std::string value = words[++i];
        if (word == "--n") {
            options.lengths.push_back(parse_length(value));
        } else if (word == "--type") {
            for (const std::string& type : split(value)) options.types.push_back(type);
        } else if (word == "--op") {
            options.op = value;
        } else if (word == "--rungs") {
            for (const std::string& rung : split(value)) options.rungs.push_back(rung);
        } else {
            usage("unknown option " + word);
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

}  // namespace

int main(int count, char** words) {
    const Options options = parse(count, words);

    cudaDeviceProp device{};
    CHECK(cudaGetDeviceProperties(&device, 0));
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    const Setting setting{stream, device.name, read_peak_gb_per_s(stream), options.rungs};
    std::fprintf(stderr, "%s (cuda), driver for CUDA %d.%d, runtime %d.%d\nread peak %.0f GB/s over 512 MiB\n",
                 device.name, driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10,
                 setting.read_peak);

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
    CHECK(cudaStreamDestroy(stream));
    return right ? 0 : 1;
}
