// One type a file, so that nvcc can compile them side by side. CUDA has atomics for `long long`, not for `int64_t`.
#include "ladder.cuh"

std::vector<Row> ladder_i64(const Setting& setting, const std::string& op, uint64_t n) {
    return ladder<long long>(setting, "i64", op, n);
}
