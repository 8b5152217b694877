#include "record.hpp"

#include <cctype>
#include <cstdio>
#include <ctime>

#include <sys/utsname.h>

namespace {

// The version of the crate's schema, and of the crate whose kernels these are twins of.
constexpr int SCHEMA = 1;
constexpr const char* HALOFOLD = "0.1.0";

std::string now() {
    const std::time_t seconds = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
    return text;
}

std::string os() {
    utsname system{};
    uname(&system);
    std::string text = std::string(system.sysname) + " " + system.machine;
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

}  // namespace

void print_record(const Session& session, const Peak& peak, const char* list, const std::vector<Fields>& rows) {
    std::printf("{\n  \"schema\": %d,\n  \"halofold\": \"%s\",\n  \"wgpu\": \"none\",\n", SCHEMA, HALOFOLD);
    std::printf("  \"date\": %s,\n", quoted(now()).c_str());
    std::printf("  \"adapter\": {\n    \"name\": %s,\n    \"backend\": \"cuda\",\n    \"driver\": %s,\n",
                quoted(session.adapter()).c_str(), quoted(session.driver()).c_str());
    std::printf("    \"device_type\": \"DiscreteGpu\",\n    \"subgroup_range\": [32, 32],\n    \"features\": []\n  },\n");
    std::printf("  \"os\": %s,\n", quoted(os()).c_str());
    std::printf("  \"peak\": {\n    \"read_gb_per_s\": %s,\n    \"copy_gb_per_s\": %s,\n    \"bytes\": %zu,\n"
                "    \"timing\": \"gpu\"\n  },\n",
                json(std::optional<double>(peak.read_gb_per_s)).c_str(),
                json(std::optional<double>(peak.copy_gb_per_s)).c_str(), peak.bytes);
    std::printf("  \"rows\": [],\n  \"%s\": ", list);
    print_list(rows, 2);
    std::printf("\n}\n");
}
