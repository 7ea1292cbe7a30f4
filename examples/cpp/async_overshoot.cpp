// Why stale gradients hurt, in one dimension. Two devices minimise w*w/2. Asynchronously both read the same weight, both step
// from it, and the second step, right for the old weight, overshoots the minimum. Synchronously their gradients are averaged
// and one step is taken.
//
//   async_overshoot [FILE.svg]   prints both paths as a table and plots them (default async_overshoot.svg)
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "headrace/headrace.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

constexpr float kStart = 1.0f, kRate = 0.75f;
constexpr int kRounds = 4, kReplicas = 2;

struct Point {
  int round, replica;  // replica -1: both together
  float read, weight;  // the weight its gradient was computed from, and the weight after its update
  int64_t staleness;
};

struct Graphs {
  explicit Graphs(Graph& g) {
    Output fed;
    {
      DeviceScope parameters(g, "/cpu:0");
      w = Variable(g, kStart, {.name = "w"});
      gradient = Placeholder(g, DType::kFloat32, PartialShape(Shape()), {.name = "gradient"});
      update = GradientDescentOptimizer(kRate).ApplyGradients(std::vector<GradientAndVariable>{{{.dense = gradient}, w}});
    }
    for (int r = 0; r < kReplicas; ++r) {
      DeviceScope device(g, StrCat("/cpu:", r));
      gradients[r] = Gradients(0.5f * w.value() * w.value(), {w.value()})[0].Dense();
    }
    init = GlobalVariablesInitializer(g);
  }
  Variable w;
  Output gradient;
  std::array<Output, kReplicas> gradients;
  Node* update;
  Node* init;
};

// Each round both replicas read, then both update, in this order: the schedule of the textbook's figure.
StatusOr<std::vector<Point>> Async(Session& session, const Graphs& graphs) {
  UpdateClock clock(kReplicas, {});
  Cancellation cancellation;
  std::vector<Point> path;
  for (int round = 0; round < kRounds; ++round) {
    std::array<Tensor, kReplicas> weight, gradient;
    for (int r = 0; r < kReplicas; ++r) {
      HR_RETURN_IF_ERROR(clock.Read(r, cancellation, [&]() -> Status {
        HR_ASSIGN_OR_RETURN(auto out, session.Run({}, {graphs.w}));
        weight[r] = out[0];
        return absl::OkStatus();
      }));
    }
    for (int r = 0; r < kReplicas; ++r) {
      HR_ASSIGN_OR_RETURN(auto out, session.Run({{graphs.w, weight[r]}}, {graphs.gradients[r]}));
      gradient[r] = out[0];
    }
    for (int r = 0; r < kReplicas; ++r) {
      HR_RETURN_IF_ERROR(clock.Apply(r, cancellation, [&](int64_t staleness) -> Status {
        HR_RETURN_IF_ERROR(session.Run({{graphs.gradient, gradient[r]}}, {}, {graphs.update}).status());
        HR_ASSIGN_OR_RETURN(auto now, session.Run({}, {graphs.w}));
        path.push_back({round, r, weight[r].scalar<float>(), now[0].scalar<float>(), staleness});
        return absl::OkStatus();
      }));
    }
  }
  return path;
}

StatusOr<std::vector<Point>> Sync(Session& session, const Graphs& graphs) {
  std::vector<Point> path;
  for (int round = 0; round < kRounds; ++round) {
    HR_ASSIGN_OR_RETURN(auto out, session.Run({}, {graphs.w, graphs.gradients[0], graphs.gradients[1]}));
    const Tensor mean = Tensor::Scalar((out[1].scalar<float>() + out[2].scalar<float>()) / 2);
    HR_RETURN_IF_ERROR(session.Run({{graphs.gradient, mean}}, {}, {graphs.update}).status());
    HR_ASSIGN_OR_RETURN(auto now, session.Run({}, {graphs.w}));
    path.push_back({round, -1, out[0].scalar<float>(), now[0].scalar<float>(), 0});
  }
  return path;
}

void Print(const char* mode, const std::vector<Point>& path) {
  for (const Point& p : path) {
    std::printf("%-6s %5d  %-7s  %8.5f  %9lld  %9.5f  %s\n", mode, p.round + 1, p.replica < 0 ? "both" : p.replica == 0 ? "0" : "1",
                p.read, static_cast<long long>(p.staleness), p.weight, p.read * p.weight < 0 ? "past the minimum" : "");
  }
}

// The parabola with both paths on it.
std::string Svg(const std::vector<Point>& async, const std::vector<Point>& sync) {
  const auto x = [](float w) { return 320 + 240 * w; };
  const auto y = [](float w) { return 300 - 480 * w * w / 2; };
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 340\" font-family=\"sans-serif\" font-size=\"14\">\n"
      "<rect width=\"640\" height=\"340\" fill=\"white\"/>\n<polyline fill=\"none\" stroke=\"#999\" points=\"";
  for (int i = -44; i <= 44; ++i) {
    const float w = static_cast<float>(i) / 40;
    StrAppend(&svg, x(w), ",", y(w), " ");
  }
  svg += "\"/>\n";
  const auto draw = [&](const std::vector<Point>& path, const char* colour, float lift) {
    StrAppend(&svg, "<polyline fill=\"none\" stroke=\"", colour, "\" stroke-width=\"1.5\" points=\"", x(kStart), ",",
              y(kStart) - lift, " ");
    for (const Point& p : path) StrAppend(&svg, x(p.weight), ",", y(p.weight) - lift, " ");
    svg += "\"/>\n";
    for (const Point& p : path) {
      StrAppend(&svg, "<circle r=\"4\" fill=\"", colour, "\" cx=\"", x(p.weight), "\" cy=\"", y(p.weight) - lift, "\"/>\n");
    }
  };
  draw(async, "#c33", 6);
  draw(sync, "#27c", 0);
  svg += "<text x=\"20\" y=\"28\" fill=\"#c33\">asynchronous: the second step is stale</text>\n"
         "<text x=\"20\" y=\"48\" fill=\"#27c\">synchronous</text>\n</svg>\n";
  return svg;
}

Status Compare(const char* svg_file) {
  Graph g;
  const Graphs graphs(g);
  SessionOptions options;
  options.devices.cpu_count = kReplicas;
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, options));
  HR_RETURN_IF_ERROR(session->Run({}, {}, {graphs.init}).status());
  HR_ASSIGN_OR_RETURN(const std::vector<Point> async, Async(*session, graphs));
  HR_RETURN_IF_ERROR(session->Run({}, {}, {graphs.init}).status());
  HR_ASSIGN_OR_RETURN(const std::vector<Point> sync, Sync(*session, graphs));
  std::printf("mode   round  replica  read      staleness  w after\n");
  Print("async", async);
  Print("sync", sync);
  HR_RETURN_IF_ERROR(WriteFileAtomically(svg_file, Svg(async, sync)));
  std::printf("plot: %s\n", svg_file);
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (const Status status = Compare(argc > 1 ? argv[1] : "async_overshoot.svg"); !status.ok()) {
    return std::fprintf(stderr, "async_overshoot: %s\n", status.ToString().c_str()), 1;
  }
  return 0;
}
