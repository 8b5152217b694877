#include "library_sum.cuh"

namespace library {

void double_sums(Bench& bench) {
    if (!bench.wants("sum")) return;
    sums(bench, Pool<double>(elements<double>(LARGEST)), "f64", {24, 26, 28});
}

}  // namespace library
