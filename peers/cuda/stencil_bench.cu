#include "stencil_bench.hpp"

#include <chrono>
#include <cstdio>

#include "check.cuh"
#include "memory.cuh"
#include "options.hpp"
#include "stencil_reference.hpp"
#include "timer.hpp"

namespace stencil {

namespace {

constexpr unsigned THREADS = 256;

// A grid as it is before a step: the border as in `start`, and inside what no step gives, so that nothing left over from
// a variant before passes for a result.
__global__ void poison(const float* start, float* cells, Params params, bool deep) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const unsigned line = i / params.cols;
    if (line >= params.rows * params.planes) return;
    const unsigned c = i % params.cols, r = line % params.rows, p = line / params.rows;
    const bool side = c == 0 || c + 1 == params.cols || r == 0 || r + 1 == params.rows;
    const bool border = side || (deep && (p == 0 || p + 1 == params.planes));
    cells[i] = border ? start[i] : __uint_as_float(0x7fc0a5a5u);
}

// Result of a comparison: the number of cells that differ in any bit, and the first of them.
struct Difference {
    unsigned count, first;
};

__global__ void compare(const float* got, const float* wanted, unsigned cells, Difference* difference) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= cells || __float_as_uint(got[i]) == __float_as_uint(wanted[i])) return;
    atomicAdd(&difference->count, 1u);
    atomicMin(&difference->first, i);
}

class Bench {
  public:
    Bench(const Session& session, const Peak& peak, const Extent& grid, unsigned points)
        : session_(session), peak_(peak), grid_(grid), points_(points), start_(grid.cells()), wanted_(grid.cells()),
          first_(grid.cells()), second_(grid.cells()), coefficients_(4), difference_(1) {
        const std::vector<float> cells = start_cells(grid);
        upload(start_, cells);
        upload(wanted_, reference(grid, points, cells));
    }

    Row row(const Variant& variant, size_t block) {
        const Plan chosen = plan(points_, variant.mapping, blocks()[block], grid_);
        const Launcher launch = variant.launchers[block];
        const Work once = [&](cudaStream_t stream) {
            launch(stream, chosen, first_.data(), second_.data(), coefficients_.data());
        };
        const Work there_and_back = [&](cudaStream_t stream) {
            once(stream);
            launch(stream, chosen, second_.data(), first_.data(), coefficients_.data());
        };

        Row row{variant.name, points_, grid_, blocks()[block], chosen.blocks};
        row.adapter = session_.adapter();
        row.reason = wrong(once);
        if (row.reason) return row;
        upload(coefficients_, timed_weights(points_));
        set_times(row, measure(session_.stream(), there_and_back));
        row.wall_ms_median = wall_ms(once);
        row.reason = wrong(once);
        return row;
    }

  private:
    void upload(const Memory<float>& to, const std::vector<float>& from) {
        CHECK(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice,
                              session_.stream()));
        CHECK(cudaStreamSynchronize(session_.stream()));
    }

    unsigned launches() const { return unsigned((grid_.cells() + THREADS - 1) / THREADS); }

    // One step with exact weights; why its result is wrong, or nothing if every bit of it is right.
    std::optional<std::string> wrong(const Work& step) {
        const cudaStream_t stream = session_.stream();
        const Params params{grid_.cols, grid_.rows, grid_.planes, 0, 0, 0};
        upload(coefficients_, exact_weights(points_));
        CHECK(cudaMemcpyAsync(first_.data(), start_.data(), grid_.cells() * sizeof(float), cudaMemcpyDeviceToDevice,
                              stream));
        poison<<<launches(), THREADS, 0, stream>>>(start_.data(), second_.data(), params, points_ == 27);
        CHECK(cudaGetLastError());
        step(stream);

        Difference found{0, ~0u};
        CHECK(cudaMemcpyAsync(difference_.data(), &found, sizeof found, cudaMemcpyHostToDevice, stream));
        compare<<<launches(), THREADS, 0, stream>>>(second_.data(), wanted_.data(), unsigned(grid_.cells()),
                                                    difference_.data());
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(&found, difference_.data(), sizeof found, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        if (found.count == 0) return std::nullopt;
        return explain(found);
    }

    std::string explain(const Difference& found) {
        float got = 0, expected = 0;
        CHECK(cudaMemcpy(&got, second_.data() + found.first, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&expected, wanted_.data() + found.first, sizeof expected, cudaMemcpyDeviceToHost));
        char text[160];
        std::snprintf(text, sizeof text, "%u cells are wrong, the first is number %u: got %.9g, expected %.9g",
                      found.count, found.first, got, expected);
        return text;
    }

    void set_times(Row& row, const Summary& two_steps) {
        row.gpu_ms_median = two_steps.median / 2;
        row.gpu_ms_min = two_steps.min / 2;
        row.gpu_ms_iqr = two_steps.iqr / 2;
        row.gcells_per_s = grid_.cells() / 1e6 / *row.gpu_ms_median;
        row.gb_per_s = 8 * *row.gcells_per_s;
        row.gflop_per_s = (points_ == 5 ? 5 : 30) * *row.gcells_per_s;
        row.percent_of_copy_peak = 100 * *row.gb_per_s / peak_.copy_gb_per_s;
    }

    // Milliseconds from the launch of a step until the host knows that it is done.
    double wall_ms(const Work& step) {
        using Clock = std::chrono::steady_clock;
        std::vector<double> ms;
        for (int i = 0; i < 15; i++) {
            const auto start = Clock::now();
            step(session_.stream());
            CHECK(cudaStreamSynchronize(session_.stream()));
            ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        }
        return summarise(std::move(ms)).median;
    }

    const Session& session_;
    const Peak& peak_;
    Extent grid_;
    unsigned points_;
    Memory<float> start_, wanted_, first_, second_, coefficients_;
    Memory<Difference> difference_;
};

bool wants(const std::vector<std::string>& chosen, const std::string& name) {
    return chosen.empty() || contains(chosen, name);
}

}  // namespace

std::vector<Row> rows_of(const Session& session, const Peak& peak, const Extent& grid, unsigned points,
                         const Choice& choice) {
    Bench bench(session, peak, grid, points);
    std::vector<Row> rows;
    for (const Variant& variant : variants()) {
        if (variant.points != points || !wants(choice.variants, variant.name)) continue;
        for (size_t block = 0; block < blocks().size(); block++) {
            if (!wants(choice.blocks, blocks()[block].name())) continue;
            rows.push_back(bench.row(variant, block));
            print_line(rows.back());
        }
    }
    return rows;
}

}  // namespace stencil
