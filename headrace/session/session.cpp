#include "headrace/session/session.h"

#include <cstdlib>

#include "headrace/base/strings.h"
#include "headrace/session/internal/session_impl.h"

namespace headrace {

StatusOr<std::unique_ptr<Session>> Session::Create(const Graph& graph, SessionOptions options) {
  HR_RETURN_IF_ERROR(graph.status());
  const char* soft = std::getenv("HEADRACE_SOFT_PLACEMENT");
  if (soft != nullptr && std::string_view(soft) == "1") options.allow_soft_placement = true;
  std::shared_ptr<DeviceSet> devices = options.device_set;
  if (devices == nullptr) {
    HR_ASSIGN_OR_RETURN(devices, DeviceSet::Create(options.devices));
  }
  if (options.default_device < -1 || options.default_device >= devices->size()) {
    return InvalidArgument("default_device must be -1 (none) or less than the ", devices->size(),
                           " devices of the session, got ", options.default_device);
  }
  return std::unique_ptr<Session>(
      new Session(std::make_shared<Impl>(graph, std::move(options), std::move(devices))));
}

Session::Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::~Session() {
  Close().IgnoreError();
}

StatusOr<std::vector<Tensor>> Session::Run(const Feeds& feeds, const std::vector<Output>& fetches,
                                           const std::vector<Node*>& targets,
                                           const RunOptions& options, RunMetadata* metadata) {
  HR_RETURN_IF_ERROR(impl_->CheckUsable());
  StepSignature signature;
  std::vector<Tensor> values;
  for (const auto& [output, value] : feeds) {
    signature.feeds.push_back(output);
    values.push_back(value);
  }
  signature.fetches = fetches;
  signature.targets.assign(targets.begin(), targets.end());
  HR_ASSIGN_OR_RETURN(std::shared_ptr<SessionStep> step, impl_->StepFor(signature));
  std::vector<Tensor> fetched;
  HR_RETURN_IF_ERROR(impl_->RunStep(*step, values, fetched, options, metadata));
  return fetched;
}

StatusOr<std::vector<Tensor>> Session::RunByName(const NamedFeeds& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets,
                                                 const RunOptions& options, RunMetadata* metadata) {
  HR_RETURN_IF_ERROR(impl_->CheckUsable());
  HR_ASSIGN_OR_RETURN(std::shared_ptr<SessionStep> step,
                      impl_->StepFor(StepNames{feeds, fetches, targets}));
  std::vector<Tensor> values;
  values.reserve(feeds.size());
  for (const auto& [name, value] : feeds) values.push_back(value);
  std::vector<Tensor> fetched;
  HR_RETURN_IF_ERROR(impl_->RunStep(*step, values, fetched, options, metadata));
  return fetched;
}

StatusOr<Callable> Session::MakeCallable(const std::vector<Output>& feeds,
                                         const std::vector<Output>& fetches,
                                         const std::vector<Node*>& targets) {
  HR_RETURN_IF_ERROR(impl_->CheckUsable());
  const StepSignature signature{
      .feeds = feeds, .fetches = fetches, .targets = {targets.begin(), targets.end()}};
  HR_ASSIGN_OR_RETURN(std::shared_ptr<SessionStep> step, impl_->StepFor(signature));
  return Callable(impl_, std::move(step));
}

Status Session::Close() {
  return impl_->Close();
}

StatusOr<PlacementReport> Session::Placement() {
  return impl_->Placement();
}

StatusOr<std::string> Session::Placement(const Node& node) {
  return impl_->Placement(node);
}

StatusOr<std::vector<PlanMemoryUse>> Session::MemoryPlan(
    const std::vector<std::pair<Output, Shape>>& feeds, const std::vector<Output>& fetches,
    const std::vector<Node*>& targets) {
  HR_RETURN_IF_ERROR(impl_->CheckUsable());
  StepSignature signature{.fetches = fetches, .targets = {targets.begin(), targets.end()}};
  std::vector<PartialShape> shapes;
  for (const auto& [output, shape] : feeds) {
    signature.feeds.push_back(output);
    shapes.push_back(PartialShape(shape));
  }
  HR_RETURN_IF_ERROR(impl_->StepFor(signature).status());  // for its checks
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Output& fed = feeds[i].first;
    if (fed.shape().IsCompatibleWith(shapes[i])) continue;
    return InvalidArgument("Cannot feed value of shape ", shapes[i].ToString(), " for Tensor '",
                           fed.name(), "', which has shape '", fed.shape().ToString(), "'");
  }
  HR_ASSIGN_OR_RETURN(std::unique_ptr<CompiledStep> compiled,
                      impl_->Compile(signature, std::move(shapes)));
  if (compiled->plan == nullptr) {
    return Unimplemented(
        "the step has control flow or ops that wait; its memory is known only when it runs");
  }
  return compiled->plan->memory();
}

std::vector<std::pair<std::string, int64_t>> Session::PeakMemory() const {
  std::vector<std::pair<std::string, int64_t>> peaks;
  for (const auto& device : impl_->devices().devices()) {
    peaks.emplace_back(device->name(), device->allocator().stats().peak_bytes);
  }
  return peaks;
}

const Graph& Session::graph() const {
  return impl_->graph();
}
const SessionOptions& Session::options() const {
  return impl_->options();
}
DeviceSet& Session::devices() const {
  return impl_->devices();
}
const std::shared_ptr<ResourceStore>& Session::resources() const {
  return impl_->resources();
}

Callable::Callable(std::shared_ptr<Session::Impl> session, std::shared_ptr<SessionStep> step)
    : session_(std::move(session)), step_(std::move(step)) {}

Status Callable::operator()(std::span<const Tensor> feeds, std::vector<Tensor>* fetches,
                            const RunOptions& options, RunMetadata* metadata) const {
  if (step_ == nullptr) return FailedPrecondition("an empty callable was called");
  std::vector<Tensor> none;
  return session_->RunStep(*step_, feeds, fetches == nullptr ? none : *fetches, options, metadata);
}

}  // namespace headrace
