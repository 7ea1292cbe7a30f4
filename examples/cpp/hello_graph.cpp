// The smallest program: a graph of three nodes, run once.
#include <cstdio>

#include "headrace/headrace.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

int main() {
  Graph g;
  Output a = Const(g, {1.0f, 2.0f}, {.name = "a"});
  Output b = Const(g, {2.0f, 3.0f}, {.name = "b"});
  Output sum = a + b;

  auto session = Session::Create(g);
  if (!session.ok()) return std::fprintf(stderr, "%s\n", session.status().ToString().c_str()), 1;
  auto result = (*session)->Run({}, {sum});
  if (!result.ok()) return std::fprintf(stderr, "%s\n", result.status().ToString().c_str()), 1;
  std::printf("%s = %s\n", sum.name().c_str(), result->front().ToString().c_str());
  return 0;
}
