// Measures CUB's calls: the GPU time of one among many, with inputs that no cache holds.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "library_row.hpp"
#include "memory.cuh"
#include "peak.hpp"
#include "session.hpp"
#include "timer.hpp"

namespace library {

// Puts a call into a stream. Calls are numbered, so that each can take another input; the first is number 0.
using Call = std::function<void(cudaStream_t, uint64_t)>;

// The fault of the result of call 0, which is done; nothing if it is right.
using Verdict = std::function<std::optional<std::string>()>;

// A measurement.
struct Case {
    // Its name, op, shape, element, n and segments.
    Row row;
    // That a call reads.
    uint64_t bytes;
    Call call;
    // Spoils the output.
    std::function<void(cudaStream_t)> poison;
    Verdict wrong;
};

// A row's first fields.
Row row_of(const std::string& name, const std::string& op, const std::string& shape, const std::string& element,
           uint64_t n, std::optional<uint64_t> segments = std::nullopt);

class Bench {
  public:
    // Only these operations; all of them if there are none.
    Bench(const Session& session, const Peak& peak, const std::vector<std::string>& ops);

    bool wants(const std::string& op) const;
    const Session& session() const { return session_; }

    // Runs, verifies, times and verifies again, and says how it went.
    void run(const Case& chosen);
    // The same for the time on the host's clock of a call that ends with its result there.
    void run_on_host(const Case& chosen);

    const std::vector<Row>& rows() const { return rows_; }

  private:
    // Drives everything out of the L2 cache, by reading four times as much of something else.
    void sweep(cudaStream_t stream) const;
    std::optional<std::string> verify(const Case& chosen) const;
    void keep(Row row, const Case& chosen, const Summary& summary);

    const Session& session_;
    const Peak& peak_;
    const std::vector<std::string>& ops_;
    uint64_t swept_;
    Memory<unsigned> other_;
    std::vector<Row> rows_;
};

// The operations by what they need, a file each.
void integer_sums(Bench& bench);
void double_sums(Bench& bench);
void floats(Bench& bench);
void segments(Bench& bench);
void histograms(Bench& bench);
void scalars(Bench& bench);
void runs(Bench& bench);
void groups(Bench& bench);
void prefixes(Bench& bench);

// A CUB call with the memory it asks for. `call(workspace, bytes, stream, number)` is called without memory first.
template <class Function>
Call cub_call(Function call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes, nullptr, 0));
    const auto workspace = std::make_shared<Memory<unsigned char>>(bytes);
    return [=](cudaStream_t stream, uint64_t number) {
        size_t size = bytes;
        CHECK(call(workspace->data(), size, stream, number));
    };
}

// The first elements in some memory of the GPU.
template <class T>
std::vector<T> fetched(const Memory<T>& memory, uint64_t count) {
    std::vector<T> items(count);
    CHECK(cudaMemcpy(items.data(), memory.data(), count * sizeof(T), cudaMemcpyDeviceToHost));
    return items;
}

// Spoils outputs.
template <class... T>
auto poisoned(const Memory<T>&... outputs) {
    return [&outputs...](cudaStream_t stream) { (outputs.poison(stream), ...); };
}

// The fault of an output that should repeat some elements so many times; nothing if it is right.
template <class T>
std::optional<std::string> unlike(const Memory<T>& output, const std::vector<T>& wanted, uint64_t times = 1) {
    const std::vector<T> got = fetched(output, wanted.size() * times);
    for (uint64_t k = 0; k < times; k++) {
        const auto first = got.begin() + k * wanted.size();
        const auto at = std::mismatch(wanted.begin(), wanted.end(), first).second;
        if (at != first + wanted.size()) return "element " + std::to_string(at - got.begin()) + " is wrong";
    }
    return std::nullopt;
}

// The same for an output whose length is another one.
template <class T>
std::optional<std::string> unlike(const Memory<uint32_t>& number, const Memory<T>& output, const std::vector<T>& wanted,
                                  uint64_t times = 1) {
    const uint64_t got = fetched(number, 1).front();
    if (got == wanted.size() * times) return unlike(output, wanted, times);
    return "got " + std::to_string(got) + " elements, expected " + std::to_string(wanted.size() * times);
}

}  // namespace library
