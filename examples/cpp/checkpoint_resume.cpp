// Trains, is interrupted, and goes on from the checkpoint as if nothing had happened: the run that was cut in two ends with
// the same bits as the run that was not.
//
//   checkpoint_resume DIR
#include <cstdio>
#include <cstring>

#include "headrace/headrace.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

struct Problem {
  explicit Problem(Graph& g)
      : w(g, Tensor::Of<float>({0, 0, 0}), {.name = "w"}), global_step(GetOrCreateGlobalStep(g)) {
    Output target = Const(g, {1.0f, -2.0f, 3.0f});
    loss = ReduceSum(Square(w - target));
    train = AdamOptimizer(0.05).Minimize(loss, {.global_step = global_step});
    init = GlobalVariablesInitializer(g);
  }
  Variable w, global_step;
  Output loss;
  Node* train;
  Node* init;
};

// Runs to `steps` from the newest checkpoint in `dir`, if there is one, and saves.
StatusOr<Tensor> TrainTo(int64_t steps, const std::string& dir) {
  Graph g;
  Problem problem(g);
  Saver saver(g);
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g));
  if (const StatusOr<std::string> newest = LatestCheckpoint(dir); newest.ok()) {
    HR_RETURN_IF_ERROR(saver.Restore(*session, *newest));
  } else {
    HR_RETURN_IF_ERROR(session->Run({}, {}, {problem.init}).status());
  }
  HR_ASSIGN_OR_RETURN(auto out, session->Run({}, {problem.global_step}));
  std::printf("from step %lld to %lld\n", static_cast<long long>(out[0].scalar<int64_t>()), static_cast<long long>(steps));
  for (int64_t step = out[0].scalar<int64_t>(); step < steps; ++step) {
    HR_RETURN_IF_ERROR(session->Run({}, {}, {problem.train}).status());
  }
  HR_RETURN_IF_ERROR(saver.Save(*session, JoinPath(dir, "model.ckpt"), steps).status());
  HR_ASSIGN_OR_RETURN(const auto weights, session->Run({}, {problem.w}));
  std::printf("w = %s\n", weights[0].ToString().c_str());
  return weights[0];
}

Status Compare(const std::string& dir) {
  HR_RETURN_IF_ERROR(MakeFolders(JoinPath(dir, "cut")));
  HR_RETURN_IF_ERROR(MakeFolders(JoinPath(dir, "whole")));
  HR_RETURN_IF_ERROR(TrainTo(60, JoinPath(dir, "cut")).status());
  HR_ASSIGN_OR_RETURN(const Tensor resumed, TrainTo(150, JoinPath(dir, "cut")));
  HR_ASSIGN_OR_RETURN(const Tensor whole, TrainTo(150, JoinPath(dir, "whole")));
  if (std::memcmp(resumed.raw_data(), whole.raw_data(), whole.size_bytes()) != 0) return Internal("the weights differ");
  std::printf("the same bits\n");
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: checkpoint_resume DIR\n"), 1;
  if (const Status status = Compare(argv[1]); !status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  return 0;
}
