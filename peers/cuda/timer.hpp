// GPU time of a piece of work, and what a handful of samples says.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <cuda_runtime.h>

// Puts one run of the work into a stream.
using Work = std::function<void(cudaStream_t)>;

// Milliseconds of one run.
struct Summary {
    double median, min, iqr;
};

Summary summarise(std::vector<double> samples);

// One kernel of a captured piece of work.
struct Launch {
    unsigned blocks, threads;
};

// A piece of work, recorded several times in a row as a CUDA graph: kernels follow each other without the host between.
class Graph {
  public:
    Graph(cudaStream_t stream, const Work& work, unsigned repeats);
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(cudaStream_t stream) const;
    unsigned repeats() const { return repeats_; }
    // Number of kernels in it.
    size_t kernels() const { return kernels_; }
    // Their shapes, in the order they were recorded; shorter than `kernels` where the driver does not tell.
    const std::vector<Launch>& launches() const { return launches_; }

  private:
    cudaGraphExec_t exec_ = nullptr;
    unsigned repeats_;
    size_t kernels_ = 0;
    std::vector<Launch> launches_;
};

// Sampling in cases that the default does not fit.
struct Sampling {
    // A sample has at least so many runs, unless that takes more than 100 ms.
    unsigned least = 1;
    // Done before each sample, and not counted.
    Work before = {};
};

// 31 samples of about 2 ms behind a warm-up. The first run of all is not counted.
Summary measure(cudaStream_t stream, const Work& work, const Sampling& sampling = {});
