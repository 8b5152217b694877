// One type a file, so that nvcc can compile them side by side.
#include "ladder.cuh"

std::vector<Row> ladder_f64(const Setting& setting, const std::string& op, uint64_t n) {
    return ladder<double>(setting, "f64", op, n);
}
