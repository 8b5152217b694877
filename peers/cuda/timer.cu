#include "timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "check.cuh"

namespace {

constexpr int SAMPLES = 31;
constexpr double SAMPLE_MS = 2.0;
constexpr double LONGEST_SAMPLE_MS = 100.0;
constexpr unsigned MAX_REPEATS = 2000;

// An idle GPU sits at a fraction of its clock, and the longer it idled the slower it comes up.
constexpr double WARM_UP_MS = 120.0;
constexpr double WARM_UP_LIMIT_MS = 3000.0;
constexpr int SETTLED = 3;

double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * (sorted.size() - 1);
    const size_t below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

unsigned ratio(double larger, double smaller, unsigned least) {
    const double most = MAX_REPEATS;
    return static_cast<unsigned>(std::clamp(std::ceil(larger / smaller), static_cast<double>(least), most));
}

// Runs of a sample, each of which takes about so long.
unsigned runs(double estimate, const Sampling& sampling) {
    return ratio(SAMPLE_MS, estimate, std::min(sampling.least, ratio(LONGEST_SAMPLE_MS, estimate, 1)));
}

struct Event {
    cudaEvent_t event;
    Event() { CHECK(cudaEventCreate(&event)); }
    ~Event() { CHECK(cudaEventDestroy(event)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
};

double between(const Event& start, const Event& stop) {
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start.event, stop.event));
    return ms;
}

// Milliseconds of one run, from several launches between two events.
double time_of(cudaStream_t stream, const Graph& graph, unsigned launches) {
    Event start, stop;
    CHECK(cudaEventRecord(start.event, stream));
    for (unsigned i = 0; i < launches; i++) graph.launch(stream);
    CHECK(cudaEventRecord(stop.event, stream));
    CHECK(cudaStreamSynchronize(stream));
    return between(start, stop) / launches / graph.repeats();
}

// Loads the GPU until it gets no faster: at least as long as the limit says, and thrice in a row within 2 % of the best.
double warm_up(cudaStream_t stream, const Graph& graph, double estimate) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto elapsed = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); };
    double best = estimate;
    int settled = 0;
    while (elapsed() < WARM_UP_LIMIT_MS && (elapsed() < WARM_UP_MS || settled < SETTLED)) {
        const double time = time_of(stream, graph, ratio(WARM_UP_MS / 4, best * graph.repeats(), 1));
        settled = time < 0.98 * best ? 0 : settled + 1;
        best = std::min(best, time);
    }
    return best;
}

}  // namespace

Summary summarise(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), samples.front(), quantile(samples, 0.75) - quantile(samples, 0.25)};
}

Graph::Graph(cudaStream_t stream, const Work& work, unsigned repeats) : repeats_(repeats) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (unsigned i = 0; i < repeats; i++) work(stream);
    CHECK(cudaStreamEndCapture(stream, &graph));

    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(node, &type));
        if (type != cudaGraphNodeTypeKernel) continue;
        kernels_ += 1;
        cudaKernelNodeParams params{};
        if (cudaGraphKernelNodeGetParams(node, &params) == cudaSuccess) {
            launches_.push_back({params.gridDim.x * params.gridDim.y * params.gridDim.z, params.blockDim.x});
        } else {
            // Not every kernel can be named through the runtime. That is no error of ours: forget it.
            (void)cudaGetLastError();
        }
    }
    CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

Graph::~Graph() { CHECK(cudaGraphExecDestroy(exec_)); }

void Graph::launch(cudaStream_t stream) const { CHECK(cudaGraphLaunch(exec_, stream)); }

Summary measure(cudaStream_t stream, const Work& work, const Sampling& sampling) {
    double estimate;
    {
        const Graph once(stream, work, 1);
        once.launch(stream);
        CHECK(cudaStreamSynchronize(stream));
        estimate = time_of(stream, once, 4);
    }
    // At idle clock, or with the host between launches, the estimate is too long; so it is made anew in between.
    auto batch = std::make_unique<Graph>(stream, work, runs(estimate, sampling));
    estimate = warm_up(stream, *batch, time_of(stream, *batch, 1));
    const unsigned repeats = runs(estimate, sampling);
    if (repeats != batch->repeats()) batch = std::make_unique<Graph>(stream, work, repeats);

    std::vector<Event> starts(SAMPLES), stops(SAMPLES);
    // Uploads the new graph, and fills the time that the host needs to get ahead.
    for (int i = 0; i < 4; i++) batch->launch(stream);
    for (int i = 0; i < SAMPLES; i++) {
        if (sampling.before) sampling.before(stream);
        CHECK(cudaEventRecord(starts[i].event, stream));
        batch->launch(stream);
        CHECK(cudaEventRecord(stops[i].event, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    std::vector<double> ms;
    for (int i = 0; i < SAMPLES; i++) ms.push_back(between(starts[i], stops[i]) / batch->repeats());
    return summarise(std::move(ms));
}
