// Trains a perceptron or LeNet-5 on MNIST or Fashion-MNIST: on one device, or on several with synchronous or asynchronous
// replicas. The recipe is the classic one: gradient descent with a learning rate that decays by 0.99 each epoch, L2 on the
// weights, and a moving average of the weights for evaluation.
//
//   train_mnist --data /usr/share/datasets/fashion-mnist --model mlp --mode sync --replicas 2 --device simulated_gpu
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>

#include <CLI/CLI.hpp>

#include "examples/cpp/mnist/data.h"
#include "examples/cpp/mnist/models.h"
#include "examples/cpp/mnist/report.h"
#include "headrace/headrace.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

struct Flags {
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string model = "mlp", mode = "single", device = "cpu";
  int replicas = 1, backup_replicas = 0;
  int64_t global_batch = 100, steps = 5000, seed = 1;
  int64_t max_staleness = -1, max_lead = -1;  // -1 = no bound
  double delay_compensation = 0;
  std::optional<double> learning_rate;  // the model's if not given
  bool deterministic = false, log_device_placement = false, allow_soft_placement = false, placement_table = false;
  std::string logdir, report;
};

constexpr int kDeterministicShards = 4;  // divides for 1, 2 and 4 replicas

// A flag that the mode would not use is a mistake, not something to pass over.
Status CheckFlags(const Flags& flags) {
  if (flags.mode == "single" && flags.replicas != 1) {
    return InvalidArgument("--mode single has one replica, got --replicas ", flags.replicas, "; several take --mode sync or async");
  }
  if (flags.learning_rate && !(std::isfinite(*flags.learning_rate) && *flags.learning_rate > 0)) {
    return InvalidArgument("--learning_rate ", *flags.learning_rate, " is not a positive number");
  }
  if (!std::isfinite(flags.delay_compensation)) {
    return InvalidArgument("--delay_compensation ", flags.delay_compensation, " is not a number from 0 on");
  }
  const bool async = flags.mode == "async";
  const std::pair<const char*, bool> only_async[] = {{"--max_staleness", flags.max_staleness >= 0},
                                                     {"--max_lead", flags.max_lead >= 0},
                                                     {"--delay_compensation", flags.delay_compensation != 0}};
  for (const auto& [flag, given] : only_async) {
    if (given && !async) return InvalidArgument(flag, " needs --mode async, got ", flags.mode);
  }
  if (flags.deterministic && async) {
    return InvalidArgument("--deterministic needs --mode single or sync: async replicas update in an order that is a matter of time");
  }
  return absl::OkStatus();
}

// While one lives, Ctrl-C or SIGTERM is noted, for training to end after the step that runs; a second one ends the program.
// A signal that is ignored, as in a shell's background jobs, stays so.
class StopSignals {
 public:
  StopSignals() {
    received_ = 0;
    struct sigaction note {};
    note.sa_handler = [](int signal) { received_ = signal; };
    note.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &note, nullptr);
    }
  }
  ~StopSignals() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static int received() { return received_; }  // the signal; 0 = none

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM};
  static inline volatile std::sig_atomic_t received_ = 0;
  struct sigaction before_[std::size(kSignals)] {};
};

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::string> ReplicaDevices(const Flags& flags) {
  std::vector<std::string> devices;
  for (int r = 0; r < flags.replicas; ++r) {
    devices.push_back(StrCat(flags.device == "cpu" ? "/cpu:" : "/gpu:", r));
  }
  return devices;
}

SessionOptions Options(const Flags& flags) {
  SessionOptions options;
  if (flags.device == "cpu") {
    options.devices.cpu_count = flags.replicas;
  } else {
    options.devices.simulated_gpus = flags.replicas;
  }
  options.deterministic = flags.deterministic;
  options.allow_soft_placement = flags.allow_soft_placement;
  options.log_device_placement = flags.log_device_placement;
  return options;
}

StatusOr<std::unique_ptr<ReplicaTrainer>> MakeTrainer(Graph& g, const ReplicaModel& model, const Flags& flags) {
  if (flags.mode == "async") {
    AsyncOptions options{.devices = ReplicaDevices(flags),
                         .warn_staleness = -1,  // the report has it
                         .delay_compensation = flags.delay_compensation};
    if (flags.max_staleness >= 0) options.bounds.max_staleness = flags.max_staleness;
    if (flags.max_lead >= 0) options.bounds.max_lead = flags.max_lead;
    return MakeAsyncTrainer(g, model, options);
  }
  return MakeSyncTrainer(g, model, {.devices = ReplicaDevices(flags),
                                    .shards = flags.deterministic ? kDeterministicShards : 0,
                                    .backup_replicas = flags.backup_replicas});
}

// Rows that `next_batch` is asked for: with backup replicas the share of one replica, else those of an update.
StatusOr<int64_t> RowsOfABatch(const Flags& flags) {
  if (flags.backup_replicas == 0) return flags.global_batch;
  if (flags.mode != "sync") return InvalidArgument("--backup_replicas needs --mode sync, got ", flags.mode);
  const int waited_for = flags.replicas - flags.backup_replicas;
  if (waited_for < 1) {
    return InvalidArgument("--backup_replicas ", flags.backup_replicas, " must be less than --replicas ", flags.replicas);
  }
  if (flags.global_batch % waited_for != 0) {
    return InvalidArgument("--global_batch ", flags.global_batch, " cannot be cut evenly among the ", waited_for,
                           " replicas that a step waits for");
  }
  return flags.global_batch / waited_for;
}

// ", dropped of each replica 0 3 12"; nothing without backup replicas.
std::string DroppedText(const mnist::Report& report) {
  if (report.backup_replicas == 0) return "";
  std::string text = ", dropped of each replica";
  for (const int64_t count : report.dropped) StrAppend(&text, " ", count);
  return text;
}

// Replicas that update one after the other from nearly the same weights add their steps up, where synchronous ones average
// them: each asynchronous one takes its share of the step.
double InitialLearningRate(const Flags& flags, const mnist::Model& net) {
  if (flags.learning_rate) return *flags.learning_rate;
  return flags.mode == "async" ? net.learning_rate() / flags.replicas : net.learning_rate();
}

// Accuracy over the test set, with the moving averages of the weights.
StatusOr<double> TestAccuracy(Session& session, Output images, Output classes, const mnist::Split& test) {
  constexpr int64_t kRows = 1000;
  int64_t right = 0;
  std::vector<int32_t> rows(kRows);
  for (int64_t first = 0; first + kRows <= test.size(); first += kRows) {
    for (int64_t i = 0; i < kRows; ++i) rows[i] = static_cast<int32_t>(first + i);
    HR_ASSIGN_OR_RETURN(const auto out, session.Run({{images, mnist::Images(test, rows.data(), kRows)}}, {classes}));
    for (int64_t i = 0; i < kRows; ++i) {
      right += out[0].data<int64_t>()[i] == test.labels.data<int64_t>()[first + i] ? 1 : 0;
    }
  }
  return static_cast<double>(right) / static_cast<double>(test.size() / kRows * kRows);
}

// What --logdir holds: events for TensorBoard, a checkpoint and a Chrome trace. Writes nothing without a folder.
class RunLog {
 public:
  Status Open(const std::string& folder, Session& session) {
    folder_ = folder;
    if (folder.empty()) return absl::OkStatus();
    HR_ASSIGN_OR_RETURN(events_, EventWriter::Open(folder));
    return AddGraph(*events_, session);  // with the device of each node
  }

  void Step(const StepReport& step) {
    if (events_ == nullptr || step.step % 100 != 0) return;
    Keep(events_->AddScalar("loss", step.loss, step.step));
    Keep(events_->AddScalar("staleness", static_cast<double>(step.staleness), step.step));
  }

  // What ran where in the last step of training: filled by the trainer.
  RunMetadata* last_step() { return events_ == nullptr ? nullptr : &last_step_; }

  // The trained model: its checkpoint, its weights and some test images.
  Status Finish(Session& session, Saver& saver, const Tensor& images, const mnist::Report& report) {
    if (events_ == nullptr) return absl::OkStatus();
    Keep(saver.Save(session, JoinPath(folder_, "model.ckpt"), report.steps).status());
    Keep(events_->AddScalar("test_accuracy", report.test_accuracy, report.steps));
    for (const Variable& v : TrainableVariables(session.graph())) {
      HR_ASSIGN_OR_RETURN(const auto value, session.Run({}, {v.value()}));
      Keep(events_->AddHistogram(v.name(), value[0], report.steps));
    }
    Keep(events_->AddImages("test", images.Reshaped({images.dim(0), 28, 28, 1}), report.steps));
    if (StopSignals::received() == 0) {  // else there was no last step to watch
      Keep(AddRunMetadata(*events_, "last step", last_step_, report.steps));
      Keep(WriteFileAtomically(JoinPath(folder_, "trace.json"), last_step_.ToChromeTrace()));
    }
    Keep(events_->Close());
    return status_;
  }

 private:
  // The first error stays and is reported at the end; until then all goes on.
  void Keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  std::string folder_;
  std::unique_ptr<EventWriter> events_;
  RunMetadata last_step_;
  Status status_;
};

// The graph: the model and its training on all replicas, and its evaluation with the moving averages of the weights.
struct Program {
  Graph graph;
  std::unique_ptr<mnist::Model> net;
  Variable global_step;
  Output learning_rate;
  std::optional<ExponentialMovingAverage> average;
  std::unique_ptr<ReplicaTrainer> trainer;
  Output test_images, test_classes;
};

Status Build(const Flags& flags, double steps_per_epoch, Program& p) {
  Graph& g = p.graph;
  g.SetSeed(flags.seed);
  {
    DeviceScope parameters(g, "/cpu:0");
    HR_ASSIGN_OR_RETURN(p.net, mnist::MakeModel(g, flags.model));
    p.global_step = GetOrCreateGlobalStep(g);
  }
  p.average.emplace(0.99, ExponentialMovingAverageOptions{.num_updates = p.global_step});
  {
    DeviceScope parameters(g, "/cpu:0");
    p.learning_rate = ExponentialDecay(InitialLearningRate(flags, *p.net), p.global_step, steps_per_epoch, 0.99, {.staircase = true});
  }
  const ReplicaModel model{
      .inputs = {{DType::kFloat32, {-1, 784}, "images"}, {DType::kInt64, {-1}, "labels"}},
      .loss = [&p](std::span<const Output> in) { return p.net->Loss(in[0], in[1]); },
      .update = [&p](std::span<const GradientAndVariable> gradients) {
        Node* applied = GradientDescentOptimizer(p.learning_rate).ApplyGradients(gradients, {.global_step = p.global_step});
        ControlDependencies after(p.graph, {applied});
        return p.average->Apply(TrainableVariables(p.graph));
      }};
  HR_ASSIGN_OR_RETURN(p.trainer, MakeTrainer(g, model, flags));
  {
    DeviceScope on_cpu(g, "/cpu:0");
    NameScope scope(g, "evaluation");
    p.test_images = Placeholder(g, DType::kFloat32, {-1, 784}, {.name = "images"});
    p.test_classes = p.net->Classes(p.test_images, [&p](const Variable& v) { return p.average->Average(v).value(); });
  }
  return absl::OkStatus();
}

// Trains, and notes in the report how it went. Stopped by a signal, training ends early and well: what it did is kept.
Status RunSteps(const Flags& flags, Session& session, ReplicaTrainer& trainer, mnist::Batches& batches, RunLog& log,
                mnist::Report& report) {
  std::vector<double> step_seconds;
  step_seconds.reserve(static_cast<size_t>(std::min<int64_t>(flags.steps, 1 << 20)));
  Progress progress({.label = StrCat(flags.model, " ", flags.mode, " x", flags.replicas), .total_steps = flags.steps,
                     .examples_per_step = flags.global_batch});
  const StopSignals signals;
  Cancellation stop;
  int64_t done = 0;
  const double start = Seconds();
  double last = start;
  const Status trained = trainer.Train(session, {.steps = flags.steps,
                                             .next_batch = [&](int, int64_t step, std::vector<Tensor>& batch) {
                                               batches.Fill(step, batch);
                                               return absl::OkStatus();
                                             },
                                             .on_step = [&](const StepReport& step) {
                                               const double now = Seconds();
                                               step_seconds.push_back(now - last);
                                               last = now;
                                               if (step.step == 1) report.loss_first = step.loss;
                                               report.loss_last = step.loss;
                                               log.Step(step);
                                               progress.Step(step.step, step.loss);
                                               done = step.step;
                                               if (signals.received() != 0) stop.Cancel(absl::CancelledError("stopped by a signal"));
                                             },
                                             .cancellation = &stop,
                                             .last_step = log.last_step()});
  progress.Done();
  if (!trained.ok() && !(stop.cancelled() && absl::IsCancelled(trained))) return trained;
  if (done < flags.steps) {
    std::fprintf(stderr, "train_mnist: stopped by signal %d after %lld of %lld steps\n", signals.received(),
                 static_cast<long long>(done), static_cast<long long>(flags.steps));
  }
  report.steps = done;
  report.steps_per_second = static_cast<double>(done) / (Seconds() - start);
  report.examples_per_second = report.steps_per_second * static_cast<double>(flags.global_batch);
  std::ranges::sort(step_seconds);
  report.step_ms_p50 = step_seconds.empty() ? 0 : step_seconds[step_seconds.size() / 2] * 1e3;
  report.staleness = trainer.staleness();
  report.dropped = trainer.dropped_by_replica();
  return absl::OkStatus();
}

Status Train(const Flags& flags) {
  HR_RETURN_IF_ERROR(CheckFlags(flags));
  HR_ASSIGN_OR_RETURN(const mnist::Data data, mnist::Load(flags.data));
  const int64_t rows = flags.global_batch;
  if (rows < 1 || rows > data.train.size()) {
    return InvalidArgument("--global_batch ", rows, " is not between 1 and the ", data.train.size(), " training images");
  }
  HR_ASSIGN_OR_RETURN(const int64_t batch_rows, RowsOfABatch(flags));
  mnist::Batches batches(data.train, batch_rows, static_cast<uint64_t>(flags.seed));
  Program program;
  HR_RETURN_IF_ERROR(Build(flags, static_cast<double>(data.train.size() / rows), program));
  Saver saver(program.graph);
  Node* init = GlobalVariablesInitializer(program.graph);

  HR_ASSIGN_OR_RETURN(auto session, Session::Create(program.graph, Options(flags)));
  if (flags.placement_table) {
    HR_ASSIGN_OR_RETURN(const PlacementReport placement, session->Placement());
    std::fputs(placement.ToString().c_str(), stdout);
  }
  HR_RETURN_IF_ERROR(session->Run({}, {}, {init}).status());
  RunLog log;
  HR_RETURN_IF_ERROR(log.Open(flags.logdir, *session));
  mnist::Report report{.model = flags.model, .mode = flags.mode, .replicas = flags.replicas,
                       .backup_replicas = flags.backup_replicas, .steps = flags.steps};
  for (const std::string& device : ReplicaDevices(flags)) report.devices.push_back(session->devices().Find(device)->name());
  HR_RETURN_IF_ERROR(RunSteps(flags, *session, *program.trainer, batches, log, report));

  HR_ASSIGN_OR_RETURN(report.test_accuracy, TestAccuracy(*session, program.test_images, program.test_classes, data.test));
  std::vector<Output> reads;
  for (const Variable& v : TrainableVariables(program.graph)) reads.push_back(v.value());
  HR_ASSIGN_OR_RETURN(const std::vector<Tensor> weights, session->Run({}, reads));
  report.weights_sha256 = mnist::Sha256(weights);
  report.peak_rss_bytes = mnist::PeakRssBytes();
  const std::vector<int32_t> first = {0, 1, 2, 3};
  std::printf("%s %s x%d: loss %.4f -> %.4f, test accuracy %.4f, %.0f steps/s, %.0f examples/s, staleness median %lld max %lld%s\n",
              flags.model.c_str(), flags.mode.c_str(), flags.replicas, report.loss_first, report.loss_last,
              report.test_accuracy, report.steps_per_second, report.examples_per_second,
              static_cast<long long>(report.staleness.median()), static_cast<long long>(report.staleness.max()),
              DroppedText(report).c_str());
  // A full disk or a bad path costs the file that it hits, nothing else.
  std::fflush(stdout);
  const Status logged = log.Finish(*session, saver, mnist::Images(data.test, first.data(), first.size()), report);
  if (!flags.report.empty()) HR_RETURN_IF_ERROR(WriteFileAtomically(flags.report, report.ToJson()));
  return logged;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"Trains a perceptron or LeNet-5 on MNIST or Fashion-MNIST, on one or several devices"};
  app.add_option("--data", flags.data, "Folder with the four IDX files, gzipped or not")->capture_default_str();
  app.add_option("--model", flags.model)->check(CLI::IsMember({"mlp", "lenet"}))->capture_default_str();
  app.add_option("--mode", flags.mode)->check(CLI::IsMember({"single", "sync", "async"}))->capture_default_str();
  app.add_option("--replicas", flags.replicas)->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--device", flags.device)->check(CLI::IsMember({"cpu", "simulated_gpu"}))->capture_default_str();
  app.add_option("--global_batch", flags.global_batch, "Rows of an update: cut among sync replicas, whole for each async one")->capture_default_str();
  app.add_option("--steps", flags.steps, "Updates")->check(CLI::Range(int64_t{0}, int64_t{1} << 40))->capture_default_str();
  app.add_option("--learning_rate", flags.learning_rate, "At the start; default the model's, divided by the replicas in async");
  app.add_option("--seed", flags.seed)->capture_default_str();
  CLI::Option* deterministic =
      app.add_flag("--deterministic", flags.deterministic, "The same bits for any number of sync replicas");
  app.add_option("--backup_replicas", flags.backup_replicas,
                 "sync: replicas, of all, that a step does not wait for; the gradients that come last are dropped")
      ->check(CLI::Range(0, 63))->capture_default_str()->excludes(deterministic);
  app.add_option("--max_staleness", flags.max_staleness, "async: no gradient is older than this many updates; -1 = any")->check(CLI::Range(-1, 1 << 30));
  app.add_option("--max_lead", flags.max_lead, "async: no replica begins a step when it is more than this many steps ahead of the slowest; -1 = any")->check(CLI::Range(-1, 1 << 30));
  app.add_option("--delay_compensation", flags.delay_compensation, "async: strength of the correction of stale gradients")->check(CLI::Range(0.0, 1e6));
  app.add_option("--logdir", flags.logdir, "Where TensorBoard events, a checkpoint and a Chrome trace go");
  app.add_flag("--log_device_placement", flags.log_device_placement, "Print where each node runs");
  app.add_flag("--placement_table", flags.placement_table, "Print where each node runs, and why, as a table");
  app.add_flag("--allow_soft_placement", flags.allow_soft_placement);
  app.add_option("--report", flags.report, "Write the figures as JSON to this file");
  CLI11_PARSE(app, argc, argv);
  if (const Status status = Train(flags); !status.ok()) {
    std::fprintf(stderr, "train_mnist: %s\n", std::string(Message(status)).c_str());
    return 1;
  }
  return StopSignals::received() == 0 ? 0 : 128 + StopSignals::received();  // as shells count an end by signal
}
