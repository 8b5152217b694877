#include "library_sum.cuh"

namespace library {

void integer_sums(Bench& bench) {
    if (!bench.wants("sum")) return;
    sums(bench, Pool<int32_t>(elements<int32_t>(LARGEST)), "i32", {24, 26, 28});
    sums(bench, Pool<uint32_t>(elements<uint32_t>(LARGEST)), "u32", {24, 26, 28});
    sums(bench, Pool<int64_t>(elements<int64_t>(LARGEST)), "i64", {24, 26, 28});
}

}  // namespace library
