// Values as JSON and as cells of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

std::string quoted(const std::string& text);
// `null` where there is nothing, and where there is no finite number.
std::string json(const std::optional<std::string>& text);
std::string json(const std::optional<uint64_t>& count);
std::string json(const std::optional<double>& x);

// A number to four digits; empty where there is none.
std::string digits(const std::optional<double>& x);
// Milliseconds as microseconds.
std::string micros(const std::optional<double>& ms);

// One object: keys and values that are JSON already.
using Fields = std::vector<std::pair<const char*, std::string>>;

// An array of objects on standard output, one key a line, its closing bracket `indent` columns in.
void print_list(const std::vector<Fields>& objects, int indent);
