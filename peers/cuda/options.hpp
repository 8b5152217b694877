// Options that all commands have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Says what is wrong and how the program is used, and ends it with exit status 2.
[[noreturn]] void usage(const std::string& problem);
// Prints the usage of the program on standard output.
void print_help();

// The parts between commas.
std::vector<std::string> split(const std::string& text);
bool contains(const std::vector<std::string>& names, const std::string& name);

// The numbers of a text such as 8x32; none if it is anything else.
std::vector<unsigned> numbers(const std::string& text);

// An option and its value; a repeated option comes more than once.
struct Option {
    std::string name, value;
};

// Pairs of words as options. `--help` prints the usage and ends the program.
std::vector<Option> options_of(int count, char** words);
