// A program as files that another interpreter of graphs reads.
#pragma once

#include <string>

#include "tests/random_ops/program.h"

namespace headrace::random_ops {

// PATH.graph.pb: the forward nodes, as GraphDef. PATH.values.pb: a GraphDef of constants, one for
// the value of each output ("n3_0" of n3:0), and for the gradient of the sum of the outputs that
// the string constant "ys" names with respect to an output ("gradient_n0_0"). Nothing is written
// when a step fails.
Status ExportProgram(const Program& program, const std::string& path);

}  // namespace headrace::random_ops
