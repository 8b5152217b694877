// Rows of one type and operator: run, verify, time, verify again.
#pragma once

#include <chrono>
#include <cstdio>

#include <cub/device/device_reduce.cuh>

#include "data.hpp"
#include "memory.cuh"
#include "rungs.cuh"
#include "setting.hpp"
#include "timer.hpp"

template <class T, class Op>
class Ladder {
  public:
    Ladder(const Setting& setting, const char* element, uint64_t n)
        : setting_(setting), element_(element), n_(n), input_(n),
          scratch_{Memory<T>(n / 2 + 1), Memory<T>(n / 4 + 2)}, partials_(4096), output_(1), tickets_(1) {
        const std::vector<T> items = random_elements<T>(n);
        expected_ = expected<T, Op>(items.data(), n);
        CHECK(cudaMemcpy(input_.data(), items.data(), n * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(cudaMemset(tickets_.data(), 0, sizeof(unsigned)));
    }

    std::vector<Row> climb() {
        std::vector<Row> rows;
        for (const Rung<T>& rung : rungs<T, Op>()) {
            if (setting_.wants(rung.name)) rows.push_back(rung_row(rung));
        }
        if (setting_.wants("cub")) rows.push_back(cub_row());
        compare_steps(rows);
        return rows;
    }

  private:
    Row rung_row(const Rung<T>& rung) {
        const Tuning tuning = tuning_of(rung.shape, n_);
        const std::vector<Level> levels = levels_of(rung.shape, tuning, n_);
        const bool atomic = rung.shape.finish == Finish::atomic;
        const Work work = [&, atomic](cudaStream_t stream) {
            if (atomic) {
                seed<T, Op><<<1, 1, 0, stream>>>(output_.data());
                CHECK(cudaGetLastError());
            }
            const T* from = input_.data();
            for (size_t height = 0; height < levels.size(); height++) {
                const Level& level = levels[height];
                const bool top = height + 1 == levels.size();
                T* to = top ? output_.data() : scratch_[height % 2].data();
                rung.launch({from, to, partials_.data(), tickets_.data(), unsigned(level.len), unsigned(level.results),
                             unsigned(level.blocks), tuning.workgroup_size, height == 0, stream});
                CHECK(cudaGetLastError());
                from = to;
            }
        };
        Row row = blank(rung.name);
        row.finish = name(rung.shape.finish);
        row.workgroup_size = tuning.workgroup_size;
        row.workgroups = levels.front().blocks;
        row.dispatches = levels.size() + (atomic ? 1 : 0);
        uint64_t depth = 0;
        for (const Level& level : levels) {
            depth += steps_of(level.len, level.blocks * tuning.workgroup_size, tuning.workgroup_size);
        }
        // In the worst order of atomics one warp's value goes through all the others' additions.
        if (atomic) depth += levels.front().blocks * tuning.workgroup_size / WARP;
        if (rung.shape.finish == Finish::last_workgroup) {
            depth += steps_of(levels.front().blocks, tuning.workgroup_size, tuning.workgroup_size);
        }
        run(row, work, depth);
        return row;
    }

    // NVIDIA's own: the row that says what can be had here by people whose job it is.
    Row cub_row() {
        size_t bytes = 0;
        CHECK(cub_reduce(nullptr, bytes, setting_.stream));
        const Memory<unsigned char> workspace(bytes);
        const Work work = [&](cudaStream_t stream) { CHECK(cub_reduce(workspace.data(), bytes, stream)); };

        Row row = blank("cub");
        const Graph once(setting_.stream, work, 1);
        row.dispatches = once.kernels();
        if (once.kernels() == 2) row.finish = "one-workgroup";
        uint64_t depth = 0, len = n_;
        for (const Launch& launch : once.launches()) {
            depth += steps_of(len, uint64_t(launch.blocks) * launch.threads, launch.threads);
            len = launch.blocks;
        }
        if (once.launches().size() == once.kernels()) {
            row.workgroup_size = once.launches().front().threads;
            row.workgroups = once.launches().front().blocks;
        } else {
            // The driver does not tell how it is shared out: at least among as many threads as one multiprocessor holds.
            depth = steps_of(n_, 2048, 2048);
        }
        run(row, work, depth);
        return row;
    }

    cudaError_t cub_reduce(void* workspace, size_t& bytes, cudaStream_t stream) {
        const auto n = static_cast<unsigned>(n_);
        const T* in = input_.data();
        if constexpr (std::is_same_v<Op, Sum>) {
            return cub::DeviceReduce::Sum(workspace, bytes, in, output_.data(), n, stream);
        } else if constexpr (std::is_same_v<Op, Min>) {
            return cub::DeviceReduce::Min(workspace, bytes, in, output_.data(), n, stream);
        } else {
            return cub::DeviceReduce::Max(workspace, bytes, in, output_.data(), n, stream);
        }
    }

    Row blank(const char* rung) const {
        Row row;
        row.rung = rung;
        row.element = element_;
        row.op = Op::name;
        row.n = n_;
        row.adapter = setting_.adapter;
        return row;
    }

    void run(Row& row, const Work& work, uint64_t depth) {
        if (!verify(row, work, depth)) return;
        const Summary summary = measure(setting_.stream, work);
        row.gpu_ms_median = summary.median;
        row.gpu_ms_min = summary.min;
        row.gpu_ms_iqr = summary.iqr;
        row.wall_ms_median = end_to_end(work);
        row.gb_per_s = n_ * sizeof(T) / 1e6 / summary.median;
        row.percent_of_read_peak = 100.0 * *row.gb_per_s / setting_.read_peak;
        verify(row, work, depth);
    }

    bool verify(Row& row, const Work& work, uint64_t depth) {
        for (const Memory<T>* memory : {&scratch_[0], &scratch_[1], &partials_, &output_}) {
            memory->poison(setting_.stream);
        }
        row.reason = expected_.wrong(value(work), depth);
        row.pass = !row.reason;
        return row.pass;
    }

    // Runs once and brings the value to the host.
    T value(const Work& work) {
        T result;
        work(setting_.stream);
        CHECK(cudaMemcpyAsync(&result, output_.data(), sizeof result, cudaMemcpyDeviceToHost, setting_.stream));
        CHECK(cudaStreamSynchronize(setting_.stream));
        return result;
    }

    // Milliseconds from the first launch to the value on the host.
    double end_to_end(const Work& work) {
        using Clock = std::chrono::steady_clock;
        std::vector<double> ms;
        const auto limit = Clock::now() + std::chrono::milliseconds(100);
        while (ms.size() < 3 || (ms.size() < 31 && Clock::now() < limit)) {
            const auto start = Clock::now();
            value(work);
            ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        }
        return summarise(std::move(ms)).median;
    }

    const Setting& setting_;
    const char* element_;
    uint64_t n_;
    Memory<T> input_;
    Memory<T> scratch_[2];
    Memory<T> partials_;
    Memory<T> output_;
    Memory<unsigned> tickets_;
    Expected<T> expected_{};
};

// The ladder of a type, by the operator's name; nothing for an operator it does not know.
template <class T>
std::vector<Row> ladder(const Setting& setting, const char* element, const std::string& op, uint64_t n) {
    if (op == Sum::name) return Ladder<T, Sum>(setting, element, n).climb();
    if (op == Min::name) return Ladder<T, Min>(setting, element, n).climb();
    if (op == Max::name) return Ladder<T, Max>(setting, element, n).climb();
    return {};
}
