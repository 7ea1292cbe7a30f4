// Where nodes run: without requests, with requests, with a request that cannot be met, and with soft placement. Runs on any
// machine: GPUs are simulated.
#include <cstdio>

#include "headrace/headrace.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

void Title(const char* text) { std::printf("\n== %s\n", text); }

SessionOptions Logged(int gpus, bool soft = false) {
  SessionOptions options;
  options.devices.simulated_gpus = gpus;
  options.log_device_placement = true;
  options.allow_soft_placement = soft;
  return options;
}

Status Run(Graph& g, const SessionOptions& options, const std::vector<Output>& fetches, const std::vector<Node*>& targets = {}) {
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, options));
  return session->Run({}, fetches, targets).status();
}

Status Unannotated(int gpus) {
  Graph g;
  Output a = Const(g, {1.0f, 2.0f, 3.0f}, {.name = "a"});
  Output b = Const(g, {1.0f, 2.0f, 3.0f}, {.name = "b"});
  return Run(g, Logged(gpus), {a + b});
}

Status Pinned() {
  Graph g;
  Output a, b;
  {
    DeviceScope cpu(g, "/cpu:0");
    a = Const(g, {1.0f, 2.0f, 3.0f}, {.name = "a"});
    b = Const(g, {1.0f, 2.0f, 3.0f}, {.name = "b"});
  }
  DeviceScope gpu(g, "/gpu:1");
  return Run(g, Logged(2), {a + b});
}

// An int32 variable has no GPU kernel.
Status Int32Variable(bool soft) {
  Graph g;
  DeviceScope gpu(g, "/gpu:0");
  Variable a_gpu(g, int32_t{0}, {.name = "a_gpu"});
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, Logged(1, soft)));
  HR_RETURN_IF_ERROR(session->Run({}, {}, {a_gpu.initializer()}).status());
  HR_ASSIGN_OR_RETURN(const PlacementReport report, session->Placement());
  std::printf("%s", report.ToString().c_str());
  return absl::OkStatus();
}

Status Tour() {
  Title("a + b on a machine without GPU");
  HR_RETURN_IF_ERROR(Unannotated(0));
  Title("the same with one GPU");
  HR_RETURN_IF_ERROR(Unannotated(1));
  Title("constants on the CPU, the sum on the second GPU");
  HR_RETURN_IF_ERROR(Pinned());
  Title("an int32 variable on the GPU: an error that says what would be right");
  const Status refused = Int32Variable(/*soft=*/false);
  if (refused.ok()) return Internal("the request should have been refused");
  std::printf("%s\n", std::string(Message(refused)).c_str());
  Title("the same with soft placement");
  return Int32Variable(/*soft=*/true);
}

}  // namespace

int main() {
  if (const Status status = Tour(); !status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  return 0;
}
