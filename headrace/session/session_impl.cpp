#include "headrace/session/internal/session_impl.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/device/fork.h"
#include "headrace/session/internal/session_functions.h"

namespace headrace {
namespace {

constexpr int kGrowingRunsToWarn = 10;
constexpr size_t kMostMoves = 20;   // lines of soft placement in the log
constexpr size_t kMostSteps = 256;  // a loop over that many fetches compiles each of them once

void WarnOfMoves(const std::vector<std::string>& moved) {
  for (size_t i = 0; i < moved.size() && i < kMostMoves; ++i) Log(LogLevel::kWarning, moved[i]);
  if (moved.size() > kMostMoves) {
    Log(LogLevel::kWarning, StrCat("and ", moved.size() - kMostMoves,
                                   " more nodes moved; Session::Placement has them all"));
  }
}

}  // namespace

Session::Impl::Impl(const Graph& graph, SessionOptions options, std::shared_ptr<DeviceSet> devices)
    : graph_(graph),
      options_(std::move(options)),
      devices_(std::move(devices)),
      resources_(options_.resources != nullptr ? options_.resources
                                               : std::make_shared<ResourceStore>()),
      launcher_(std::make_shared<Launcher>(devices_)),
      fork_generation_(ForkGeneration()),
      steps_(kMostSteps) {
  // Devices that the caller brought are the caller's to list.
  if (options_.log_device_placement && options_.device_set == nullptr) PrintDevices();
}

Status Session::Impl::CheckUsable() const {
  // Before any lock: a thread that is not here may have held it when the process was forked.
  if (forked()) [[unlikely]] {
    return FailedPrecondition(
        "this session was made before a fork: its threads do not exist in this process; make a "
        "session here");
  }
  return graph_.status();
}

bool Session::Impl::forked() const {
  return fork_generation_ != ForkGeneration();
}

// ---- signatures

StatusOr<std::shared_ptr<SessionStep>> Session::Impl::StepFor(const StepSignature& signature) {
  return steps_.FindOrMake(signature, [&]() -> StatusOr<std::shared_ptr<SessionStep>> {
    HR_RETURN_IF_ERROR(CheckSignature(signature));
    return std::make_shared<SessionStep>(
        signature, [this](const StepSignature& s, std::vector<PartialShape> shapes) {
          return Compile(s, std::move(shapes));
        });
  });
}

StatusOr<std::shared_ptr<SessionStep>> Session::Impl::StepFor(const StepNames& names) {
  if (std::shared_ptr<SessionStep> known = steps_.Find(names)) return known;
  HR_ASSIGN_OR_RETURN(const StepSignature signature, Resolve(names));
  HR_ASSIGN_OR_RETURN(std::shared_ptr<SessionStep> step, StepFor(signature));
  steps_.Remember(names, step);
  return step;
}

StatusOr<StepSignature> Session::Impl::Resolve(const StepNames& names) const {
  StepSignature signature;
  for (const auto& [name, value] : names.feeds) {
    HR_ASSIGN_OR_RETURN(Output feed, graph_.FindOutput(name));
    signature.feeds.push_back(feed);
  }
  for (const std::string& name : names.fetches) {
    HR_ASSIGN_OR_RETURN(Output fetch, graph_.FindOutput(name));
    signature.fetches.push_back(fetch);
  }
  for (const std::string& name : names.targets) {
    // "op:0" names the op as well.
    const Node* node = graph_.FindNode(std::string_view(name).substr(0, name.find(':')));
    if (node == nullptr)
      return NotFound("The name '", name, "' refers to an Operation not in the graph.");
    signature.targets.push_back(node);
  }
  return signature;
}

Status Session::Impl::CheckSignature(const StepSignature& signature) const {
  auto check = [&](const Output& output, std::string_view what) -> Status {
    if (!output.valid()) {
      if (!graph_.status().ok()) return graph_.status();
      return InvalidArgument("a ", what, " is not an output of a node");
    }
    if (output.graph() != &graph_) {
      return InvalidArgument("Tensor '", output.name(),
                             "' is not an element of this session's graph (", what, ")");
    }
    if (output.index < 0 || output.index >= output.node->num_outputs()) {
      return InvalidArgument(what, " of output ", output.index, " of ", output.node->Describe(),
                             ", which has ", output.node->num_outputs(),
                             " outputs; nodes without outputs are run as targets");
    }
    return absl::OkStatus();
  };
  std::set<Output> fed;
  for (const Output& feed : signature.feeds) {
    HR_RETURN_IF_ERROR(check(feed, "feed"));
    if (!fed.insert(feed).second) return InvalidArgument("Tensor '", feed.name(), "' is fed twice");
  }
  for (const Output& fetch : signature.fetches) HR_RETURN_IF_ERROR(check(fetch, "fetch"));
  for (const Node* target : signature.targets) {
    if (target == nullptr) {
      if (!graph_.status().ok()) return graph_.status();
      return InvalidArgument("a target is not a node");
    }
    if (&target->graph() != &graph_) {
      return InvalidArgument(target->Describe(), " is not an element of this session's graph");
    }
  }
  return absl::OkStatus();
}

// ---- compiling

StatusOr<std::unique_ptr<CompiledStep>> Session::Impl::Compile(const StepSignature& signature,
                                                               std::vector<PartialShape> shapes) {
  HR_RETURN_IF_ERROR(CheckUsable());
  std::lock_guard lock(placement_mutex_);
  HR_RETURN_IF_ERROR(ExtendPlacement());
  const CompileEnvironment environment{.devices = devices_,
                                       .resources = resources_,
                                       .launcher = launcher_,
                                       .optimize = options_.optimize,
                                       .use_plans = options_.use_plans};
  HR_RETURN_IF_ERROR(OfferFunctions(environment));
  return CompileStep({.feeds = signature.feeds,
                      .feed_shapes = std::move(shapes),
                      .fetches = signature.fetches,
                      .targets = signature.targets,
                      .device_of =
                          [this](const Node& node) {
                            return placement_->nodes[node.id()].assigned;
                          }},
                     environment);
}

// Kernels find the runtime of functions in the store. Sessions that share one share it too: functions run on CPU:0,
// which is the same everywhere.
Status Session::Impl::OfferFunctions(const CompileEnvironment& environment) {
  if (graph_.function_library().empty()) return absl::OkStatus();
  return resources_
      ->LookupOrCreate<FunctionRuntime>(FunctionRuntime::kContainer, FunctionRuntime::kName,
                                        [&]() -> StatusOr<std::shared_ptr<FunctionRuntime>> {
                                          return MakeFunctionRuntime(environment, options_.deterministic);
                                        })
      .status();
}

Status Session::Impl::ExtendPlacement() {
  const PlaceOptions options{.allow_soft_placement = options_.allow_soft_placement,
                             .default_device = options_.default_device};
  const int placed = placement_ ? static_cast<int>(placement_->nodes.size()) : 0;
  if (!placement_) {
    HR_ASSIGN_OR_RETURN(placement_, Place(graph_, devices_->infos(), options));
  } else if (static_cast<int>(placement_->nodes.size()) < graph_.num_nodes()) {
    HR_RETURN_IF_ERROR(headrace::ExtendPlacement(*placement_, graph_, options));
  }
  const int nodes = static_cast<int>(placement_->nodes.size());
  if (placed < nodes) WarnOfMoves(placement_->MovedLines(placed));
  if (options_.log_device_placement && logged_nodes_ < nodes) {
    for (const std::string& line : placement_->LogLines(logged_nodes_))
      std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    logged_nodes_ = nodes;
  }
  return absl::OkStatus();
}

void Session::Impl::PrintDevices() const {
  std::printf("Device mapping:\n");
  for (const DeviceInfo& info : devices_->infos()) {
    if (info.type == "CPU" && info.name.index.value_or(0) == 0) continue;
    std::printf("%s -> device: %s\n", info.name.ToString().c_str(), info.description.c_str());
  }
  std::fflush(stdout);
}

StatusOr<PlacementReport> Session::Impl::Placement() {
  HR_RETURN_IF_ERROR(CheckUsable());
  std::lock_guard lock(placement_mutex_);
  HR_RETURN_IF_ERROR(ExtendPlacement());
  return *placement_;
}

StatusOr<std::string> Session::Impl::Placement(const Node& node) {
  HR_RETURN_IF_ERROR(CheckUsable());
  if (&node.graph() != &graph_) {
    return InvalidArgument(node.Describe(), " is not an element of this session's graph");
  }
  std::lock_guard lock(placement_mutex_);
  HR_RETURN_IF_ERROR(ExtendPlacement());
  return placement_->DeviceOf(node);
}

// ---- running

void Session::Impl::NoteGrowth() {
  const int nodes = graph_.num_nodes();
  const int before = last_nodes_.load(std::memory_order_relaxed);
  if (before == nodes) [[likely]]
    return;
  std::lock_guard lock(growth_mutex_);
  last_nodes_.store(nodes, std::memory_order_relaxed);
  if (before < 0 || growing_runs_ >= kGrowingRunsToWarn) return;
  const Node& newest = *graph_.node(nodes - 1);
  if (newest.location().line != growing_line_) growing_runs_ = 0;
  growing_line_ = newest.location().line;
  if (++growing_runs_ < kGrowingRunsToWarn) return;
  Log(LogLevel::kWarning,
      StrCat("the graph has grown ", kGrowingRunsToWarn, " times between runs and has now ", nodes,
             " nodes; the newest is ", newest.Describe(),
             ". Build the graph once, outside the loop that runs it: each "
             "new node makes steps slower to compile and is never freed"));
}

Status Session::Impl::RunStep(SessionStep& step, std::span<const Tensor> feeds,
                              std::vector<Tensor>& fetches, const RunOptions& options,
                              RunMetadata* metadata) {
  if (forked()) [[unlikely]] {
    fetches.clear();
    return CheckUsable();
  }
  NoteGrowth();
  // Counted before `closed_` is read, so that Close either sees this run or is seen by it.
  running_.fetch_add(1);
  Status status;
  if (closed_.load()) [[unlikely]] {
    status = absl::CancelledError("Session has been closed.");
  } else if (StatusOr<CompiledStep*> compiled = step.For(feeds); !compiled.ok()) {
    status = compiled.status();
  } else {
    const StepArguments arguments{
        .feeds = feeds,
        .fetches = &fetches,
        .trace = options.trace && metadata != nullptr ? &metadata->trace : nullptr};
    const StepContext context{.step_id = next_step_id_.fetch_add(1, std::memory_order_relaxed),
                              .cancellation = &closing_,
                              .resources = resources_.get(),
                              .deterministic = options_.deterministic};
    status = RunGuarded(**compiled, arguments, context, options);
  }
  if (!status.ok()) fetches.clear();
  if (running_.fetch_sub(1) == 1 && closed_.load()) running_.notify_all();
  return status;
}

// Gives the run a token of its own where it needs one.
Status Session::Impl::RunGuarded(CompiledStep& step, const StepArguments& arguments,
                                 StepContext context, const RunOptions& options) {
  StepArguments given = arguments;
  given.context = &context;
  if (given.trace != nullptr) {
    std::vector<std::string> names;
    for (const auto& device : devices_->devices()) names.push_back(device->name());
    given.trace->SetDevices(std::move(names));
  }
  const auto timeout = options.timeout.count() > 0 ? options.timeout : options_.operation_timeout;
  if (timeout.count() <= 0 && options.cancellation == nullptr) [[likely]]
    return step.Run(given);

  using Clock = Cancellation::Clock;
  std::optional<Clock::time_point> deadline;
  constexpr std::chrono::hours kForever(24 * 365 * 100);  // longer overflows the clock's range
  if (timeout.count() > 0)
    deadline = Clock::now() + std::min<std::chrono::milliseconds>(timeout, kForever);
  if (options.cancellation != nullptr && options.cancellation->deadline()) {
    deadline = deadline ? std::min(*deadline, *options.cancellation->deadline())
                        : options.cancellation->deadline();
  }
  Cancellation token(deadline);
  context.cancellation = &token;
  auto link = [&token](Cancellation& outer) {
    const auto id = outer.OnCancel([&] { token.Cancel(outer.status()); });
    if (!id) token.Cancel(outer.status());
    return id;
  };
  const auto closing = link(closing_);
  std::optional<int64_t> asked;
  if (options.cancellation != nullptr) asked = link(*options.cancellation);
  Status status = token.status();
  if (status.ok()) status = step.Run(given);
  if (options.cancellation != nullptr) options.cancellation->Remove(asked);
  closing_.Remove(closing);
  return status;
}

Status Session::Impl::Close() {
  if (forked()) return absl::OkStatus();  // what runs, runs in the parent; nothing here ends it
  if (!closed_.exchange(true)) closing_.Cancel(absl::CancelledError("Session has been closed."));
  for (int64_t running = running_.load(); running > 0; running = running_.load())
    running_.wait(running);
  steps_.ReleaseAll();
  if (options_.resources == nullptr) resources_->Clear();
  return absl::OkStatus();
}

}  // namespace headrace
