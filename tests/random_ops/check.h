// Every way of running one program, against its nodes run one by one; and against float64.
#pragma once

#include <functional>
#include <string>

#include "tests/random_ops/program.h"

namespace headrace::random_ops {

// "" if plans and the general executor, optimised and not, on the CPU and on simulated GPUs, all
// give the very bits of the nodes run one by one, twice; else what differs first.
std::string CheckWays(const Program& program);

// "" if each node, of gradients too, gives in float64 for the same inputs what it gives in float32,
// within rounding.
std::string CheckAgainstFloat64(const Program& program);

// The smallest program found that `fails` still: single fetches, and leaves in place of steps.
Program Shrunk(Program program, const std::function<bool(const Program&)>& fails);

}  // namespace headrace::random_ops
