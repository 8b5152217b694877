#include "options.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr const char* USAGE =
    "usage: halofold-cuda [--n N]... [--type f32,i32,f64,i64] [--op sum|min|max] [--rungs A,B]\n"
    "       halofold-cuda stencil [--grid G]... [--blocks B,B] [--variants A,B]\n"
    "       halofold-cuda library [--op A,B]\n"
    "The ladder of reductions:\n"
    "  --n N          elements, repeatable; 2^24 is one way to write a number and the default\n"
    "  --type T       element types; default f32\n"
    "  --op OP        operator; default sum\n"
    "  --rungs A,B    only these rungs; `cub` is one\n"
    "stencil: one Jacobi step of every variant\n"
    "  --grid G       rows x columns (5 points) or planes x rows x columns (27 points), repeatable;\n"
    "                 default 8192x8192 and 256x512x512\n"
    "  --blocks B,B   block shapes, rows x columns; default 4x16, 4x32 ... 32x32 and 4x64, which are all there are\n"
    "  --variants A,B only these variants\n"
    "library: CUB at what an application asks for\n"
    "  --op A,B       only these: sum, min, max, arg-min, mean, dot, variance, histogram, by-key, run-lengths,\n"
    "                 unique, by-id, group-by, select; `segments`, `prefixes` and `scalar` are three\n"
    "JSON goes to standard output, a table to standard error.\n"
    "Exit status: 0, 1 if a result was wrong, 2 if something could not be run.\n";

}  // namespace

void usage(const std::string& problem) {
    std::fprintf(stderr, "halofold-cuda: %s\n%s", problem.c_str(), USAGE);
    std::exit(2);
}

void print_help() { std::printf("%s", USAGE); }

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

std::vector<unsigned> numbers(const std::string& text) {
    std::vector<unsigned> found;
    const char* at = text.c_str();
    for (;;) {
        if (!std::isdigit(static_cast<unsigned char>(*at))) return {};
        char* end = nullptr;
        const unsigned long number = std::strtoul(at, &end, 10);
        if (number == 0 || number >= (1ul << 31)) return {};
        found.push_back(static_cast<unsigned>(number));
        if (*end == '\0') return found;
        if (*end != 'x') return {};
        at = end + 1;
    }
}

std::vector<Option> options_of(int count, char** words) {
    std::vector<Option> options;
    for (int i = 0; i < count; i++) {
        const std::string word = words[i];
        if (word == "--help" || word == "-h") {
            print_help();
            std::exit(0);
        }
        if (i + 1 == count) usage(word + ": unknown, or its value is missing");
        options.push_back({word, words[++i]});
    }
    return options;
}
