// One type a file, so that nvcc can compile them side by side.
#include "ladder.cuh"

std::vector<Row> ladder_i32(const Setting& setting, const std::string& op, uint64_t n) {
    return ladder<int32_t>(setting, "i32", op, n);
}
