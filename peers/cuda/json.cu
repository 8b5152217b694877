#include "json.hpp"

#include <cmath>
#include <cstdio>

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + '"';
}

std::string json(const std::optional<std::string>& text) { return text ? quoted(*text) : "null"; }

std::string json(const std::optional<uint64_t>& count) { return count ? std::to_string(*count) : "null"; }

std::string json(const std::optional<double>& x) {
    if (!x || !std::isfinite(*x)) return "null";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", *x);
    return text;
}

std::string digits(const std::optional<double>& x) {
    if (!x) return "";
    const double size = std::fabs(*x);
    const int places = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    char text[40];
    std::snprintf(text, sizeof text, "%.*f", places, *x);
    return text;
}

std::string micros(const std::optional<double>& ms) {
    return digits(ms ? std::optional<double>(*ms * 1e3) : std::nullopt);
}

void print_list(const std::vector<Fields>& objects, int indent) {
    std::printf("[");
    for (size_t i = 0; i < objects.size(); i++) {
        std::printf("%s\n%*s{", i == 0 ? "" : ",", indent + 2, "");
        const char* comma = "";
        for (const auto& [key, value] : objects[i]) {
            std::printf("%s\n%*s\"%s\": %s", comma, indent + 4, "", key, value.c_str());
            comma = ",";
        }
        std::printf("\n%*s}", indent + 2, "");
    }
    if (!objects.empty()) std::printf("\n%*s", indent, "");
    std::printf("]");
}
