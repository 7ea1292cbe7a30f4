// B3, B4, B13 and the idle process: steps of real networks on random data.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include "benchmarks/workloads/workload.h"
#include "examples/cpp/mnist/models.h"
#include "headrace/headrace.h"

extern char** environ;

namespace headrace::bench {
namespace {

struct Step {
  Output images, labels, loss;
  Node* train = nullptr;
  Node* init = nullptr;
};

// Gradient descent on softmax cross entropy, without averages; `penalty`: with 1e-4 of the L2 loss of the weights and
// rate 0.8, the arithmetic that benchmarks/peers run too.
StatusOr<Step> BuildStep(Graph& g, const std::string& model, bool penalty = false) {
  g.SetSeed(1);
  Step step;
  step.images = Placeholder(g, DType::kFloat32, {-1, 784}, {.name = "images"});
  step.labels = Placeholder(g, DType::kInt64, {-1}, {.name = "labels"});
  HR_ASSIGN_OR_RETURN(const auto net, mnist::MakeModel(g, model));
  Output logits = net->Logits(step.images, /*training=*/false, [](const Variable& v) { return v.value(); });
  step.loss = ReduceMean(SparseSoftmaxCrossEntropyWithLogits(logits, step.labels).loss);
  if (penalty) {
    for (const Variable& weights : net->Penalised()) step.loss = step.loss + 1e-4 * L2Loss(weights);
  }
  step.train = GradientDescentOptimizer(penalty ? 0.8 : 0.01).Minimize(step.loss);
  step.init = GlobalVariablesInitializer(g);
  HR_RETURN_IF_ERROR(g.status());
  return step;
}

std::vector<Tensor> RandomBatch(int64_t rows) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> pixel(0.0f, 1.0f);
  Tensor images(DType::kFloat32, Shape{rows, 784}), labels(DType::kInt64, Shape{rows});
  for (float& x : images.flat<float>()) x = pixel(random);
  for (int64_t& y : labels.flat<int64_t>()) y = static_cast<int64_t>(random() % 10);
  return {images, labels};
}

// Numbers that benchmarks/peers make too: the i-th is a hash of i in [low, high).
Tensor Scrambled(const Shape& shape, float low, float high) {
  Tensor made(DType::kFloat32, shape);
  uint32_t at = 374761393;
  for (float& x : made.flat<float>()) {
    const uint32_t hashed = (at ^ (at >> 15)) * 2246822519u;
    x = low + (high - low) * (static_cast<float>(hashed >> 8) * 0x1p-24f);
    at += 2654435761u;
  }
  return made;
}

// Instead of the random initial values of weights.
Session::Feeds PeerWeights(const Graph& g) {
  Session::Feeds feeds;
  for (int i = 0; i < g.num_nodes(); ++i) {
    const Node& node = *g.node(i);
    if (node.op_name() != "Assign" || node.input(1).node->op_name() == "Const") continue;
    feeds.emplace_back(node.input(1), Scrambled(node.input(1).shape().ToShape(), -0.1f, 0.1f));
  }
  return feeds;
}

std::vector<Tensor> PeerBatch(int64_t rows) {
  Tensor labels(DType::kInt64, Shape{rows});
  for (int64_t i = 0; i < rows; ++i) labels.data<int64_t>()[i] = i * 7 % 10;
  return {Scrambled(Shape{rows, 784}, 0.0f, 0.25f), labels};
}

StatusOr<Result> MeasureStep(const Options& options, const std::string& model, int64_t rows, bool penalty = false) {
  Graph g;
  HR_ASSIGN_OR_RETURN(const Step step, BuildStep(g, model, penalty));
  SessionOptions session_options;
  session_options.devices.threads = options.threads;
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, session_options));
  HR_RETURN_IF_ERROR(session->Run(penalty ? PeerWeights(g) : Session::Feeds(), {}, {step.init}).status());
  HR_ASSIGN_OR_RETURN(Callable train, session->MakeCallable({step.images, step.labels}, {step.loss}, {step.train}));
  const std::vector<Tensor> batch = penalty ? PeerBatch(rows) : RandomBatch(rows);
  std::vector<Tensor> fetched;
  Result result{.variant = options.variant, .metric = "time per step", .unit = "us"};
  for (int i = 0; i < 10; ++i) {
    HR_RETURN_IF_ERROR(train(batch, &fetched));
    (i == 0 ? result.loss_first : result.loss_last) = fetched[0].scalar<float>();
  }
  const int64_t before = session->devices().cpu().allocator().stats().allocations + HostAllocator().stats().allocations;
  for (int i = 0; i < 10; ++i) HR_RETURN_IF_ERROR(train(batch, &fetched));
  const int64_t after = session->devices().cpu().allocator().stats().allocations + HostAllocator().stats().allocations;
  result.allocations_per_step = static_cast<double>(after - before) / 10;
  HR_RETURN_IF_ERROR(Measure(options.seconds, result, [&] { return train(batch, &fetched); }));
  result.value /= 1e3;
  return result;
}

double MonotonicSeconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Starts this program once more and reads when its first step was done.
StatusOr<double> SecondsToFirstStep(int threads) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "cannot make a pipe for", "B13");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (threads > 0) setenv("HEADRACE_THREADS", StrCat(threads).c_str(), 1);
  const char* arguments[] = {"headrace", "bench", "first_step_child", nullptr};
  const double start = MonotonicSeconds();
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[64] = {};
  const ssize_t n = error == 0 ? read(ends[0], text, sizeof(text) - 1) : -1;
  close(ends[0]);
  if (error != 0) return ErrnoError(error, "cannot start", "/proc/self/exe");
  int status = 0;
  waitpid(child, &status, 0);
  const std::optional<double> done = ParseDouble(StripSpace(std::string_view(text, static_cast<size_t>(std::max<ssize_t>(n, 0)))));
  if (status != 0 || !done) return Internal("the child process of B13 failed");
  return *done - start;
}

}  // namespace

StatusOr<Result> RunB3(const Options& options) {
  return MeasureStep(options, "mlp", options.variant.ends_with("batch1") ? 1 : 100, options.variant.starts_with("penalty"));
}

StatusOr<Result> RunB4(const Options& options) { return MeasureStep(options, "lenet", 100); }

Status FirstStepChild() {
  Graph g;
  HR_ASSIGN_OR_RETURN(const Step step, BuildStep(g, "mlp"));
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g));
  HR_RETURN_IF_ERROR(session->Run({}, {}, {step.init}).status());
  const std::vector<Tensor> batch = RandomBatch(100);
  HR_RETURN_IF_ERROR(session->Run({{step.images, batch[0]}, {step.labels, batch[1]}}, {step.loss}, {step.train}).status());
  std::printf("%.9f\n", MonotonicSeconds());
  return absl::OkStatus();
}

StatusOr<Result> RunB13(const Options& options) {
  Result result{.variant = options.variant, .metric = "exec to first step done", .unit = "ms"};
  std::vector<double> seconds;
  for (int i = 0; i < 15; ++i) {
    HR_ASSIGN_OR_RETURN(const double s, SecondsToFirstStep(options.threads));
    if (i > 0) seconds.push_back(s);
  }
  std::ranges::sort(seconds);
  result.value = seconds[seconds.size() / 2] * 1e3;
  result.spread = (seconds[12] - seconds[1]) / seconds[seconds.size() / 2];
  return result;
}

StatusOr<Result> RunIdle(const Options& options) {
  Graph g;
  Output y = Const(g, 1.0f);
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g));
  HR_RETURN_IF_ERROR(session->Run({}, {y}).status());
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return Result{.variant = options.variant, .metric = "resident memory", .unit = "MB",
                .value = static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6};
}

}  // namespace headrace::bench
