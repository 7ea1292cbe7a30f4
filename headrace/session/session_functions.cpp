#include "headrace/session/internal/session_functions.h"

#include <atomic>

#include "headrace/base/strings.h"
#include "headrace/device/fork.h"
#include "headrace/graph/function.h"

namespace headrace {
namespace {

struct Options {
  CompileEnvironment environment;
  bool deterministic = false;
};

class SessionFunction;

class Instance final : public FunctionInstance {
 public:
  Instance(std::shared_ptr<const SessionFunction> function, ResourceStore& session,
           std::shared_ptr<FunctionRuntime> runtime);
  StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> arguments,
                                    Cancellation& cancellation) override;

 private:
  void ShareResources(ResourceStore& session);
  StatusOr<std::unique_ptr<CompiledStep>> Compile(const StepSignature& signature,
                                                  std::vector<PartialShape> shapes) const;

  const std::shared_ptr<const SessionFunction> function_;
  // What belongs to nodes of the body (random sequences) lives here, with what they share with the
  // session.
  const std::shared_ptr<ResourceStore> store_ = std::make_shared<ResourceStore>();
  SessionStep step_;
  const int64_t born_ = ForkGeneration();
  std::atomic<int64_t> next_call_{1};
};

class SessionFunction final : public BoundFunction,
                              public std::enable_shared_from_this<SessionFunction> {
 public:
  SessionFunction(Function body, std::shared_ptr<FunctionRuntime> runtime, const Options& options,
                  ResourceStore& session)
      : body_(std::move(body)), runtime_(std::move(runtime)), options_(options), session_(session) {
    for (const Output& argument : body_.signature.arguments)
      argument_types_.push_back(argument.value_dtype());
    for (const Output& result : body_.signature.results) {
      result_types_.push_back(result.value_dtype());
      result_shapes_.push_back(result.shape());
    }
  }
  const std::string& name() const override { return body_.signature.name; }
  const std::vector<DType>& argument_types() const override { return argument_types_; }
  const std::vector<DType>& result_types() const override { return result_types_; }
  const std::vector<PartialShape>& result_shapes() const override { return result_shapes_; }
  std::shared_ptr<FunctionInstance> MakeInstance() const override {
    return std::make_shared<Instance>(shared_from_this(), session_, runtime_);
  }

  const Function& body() const { return body_; }
  const Options& options() const { return options_; }

 private:
  const Function body_;
  const std::shared_ptr<FunctionRuntime> runtime_;
  const Options options_;
  ResourceStore& session_;
  std::vector<DType> argument_types_, result_types_;
  std::vector<PartialShape> result_shapes_;
};

StepSignature SignatureOf(const FunctionSignature& function) {
  return {.feeds = function.arguments,
          .fetches = function.results,
          .targets = {function.effects.begin(), function.effects.end()}};
}

Instance::Instance(std::shared_ptr<const SessionFunction> function, ResourceStore& session,
                   std::shared_ptr<FunctionRuntime> runtime)
    : function_(std::move(function)),
      step_(SignatureOf(function_->body().signature),
            [this](const StepSignature& signature, std::vector<PartialShape> shapes) {
              return Compile(signature, std::move(shapes));
            }) {
  ShareResources(session);
  (void)store_->LookupOrCreate<FunctionRuntime>(
      FunctionRuntime::kContainer, FunctionRuntime::kName,
      [&]() -> StatusOr<std::shared_ptr<FunctionRuntime>> { return std::move(runtime); });
}

// Variables, tables and queues that the body names, and the session has, are the session's.
void Instance::ShareResources(ResourceStore& session) {
  const Graph& body = *function_->body().graph;
  for (int i = 0; i < body.num_nodes(); ++i) {
    const Node& node = *body.node(i);
    if (!node.attrs().Has("shared_name")) continue;
    std::string name = node.attrs().GetOr<std::string>("shared_name", "");
    if (name.empty()) name = node.name();
    const std::string container = node.attrs().GetOr<std::string>("container", "");
    const auto found = session.Lookup<Resource>(container, name);
    if (!found.ok()) continue;
    (void)store_->LookupOrCreate<Resource>(
        container, name, [&]() -> StatusOr<std::shared_ptr<Resource>> { return *found; });
  }
}

StatusOr<std::unique_ptr<CompiledStep>> Instance::Compile(const StepSignature& signature,
                                                          std::vector<PartialShape> shapes) const {
  CompileEnvironment environment = function_->options().environment;
  environment.resources = store_;
  return CompileStep({.feeds = signature.feeds,
                      .feed_shapes = std::move(shapes),
                      .fetches = signature.fetches,
                      .targets = signature.targets,
                      .device_of = [](const Node&) { return 0; }},
                     environment);
}

StatusOr<std::vector<Tensor>> Instance::Run(std::span<const Tensor> arguments,
                                            Cancellation& cancellation) {
  if (born_ != ForkGeneration()) [[unlikely]] {
    return FailedPrecondition("function '", function_->name(),
                              "' was made before a fork: its threads do not exist in this process");
  }
  StatusOr<CompiledStep*> compiled = step_.For(arguments);
  std::vector<Tensor> results;
  Status status = compiled.status();
  if (status.ok()) {
    const StepContext context{.step_id = next_call_.fetch_add(1, std::memory_order_relaxed),
                              .cancellation = &cancellation,
                              .resources = store_.get(),
                              .deterministic = function_->options().deterministic};
    status = (*compiled)->Run({.feeds = arguments, .fetches = &results, .context = &context});
  }
  if (!status.ok()) {
    if (cancellation.cancelled()) return status;
    return Annotate(status, StrCat("function '", function_->name(), "': "));
  }
  return results;
}

class Runtime final : public FunctionRuntime, public std::enable_shared_from_this<Runtime> {
 public:
  explicit Runtime(Options options) : options_(std::move(options)) {}

  StatusOr<std::shared_ptr<const BoundFunction>> Bind(const Node& caller,
                                                      const FunctionRef& function,
                                                      ResourceStore& resources) override {
    HR_ASSIGN_OR_RETURN(Function body, ImportFunction(caller.graph(), function.name));
    HR_RETURN_IF_ERROR(body.graph->status());
    return std::make_shared<SessionFunction>(std::move(body), shared_from_this(), options_,
                                             resources);
  }

 private:
  const Options options_;
};

}  // namespace

std::shared_ptr<FunctionRuntime> MakeFunctionRuntime(CompileEnvironment environment,
                                                     bool deterministic) {
  environment.resources.reset();
  return std::make_shared<Runtime>(Options{std::move(environment), deterministic});
}

}  // namespace headrace
