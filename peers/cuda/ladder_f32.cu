// One type a file, so that nvcc can compile them side by side.
#include "ladder.cuh"

std::vector<Row> ladder_f32(const Setting& setting, const std::string& op, uint64_t n) {
    return ladder<float>(setting, "f32", op, n);
}

// The names are the same for every type.
const std::vector<std::string>& rung_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& rung : rungs<float, Sum>()) all.emplace_back(rung.name);
        all.emplace_back("cub");
        return all;
    }();
    return names;
}
