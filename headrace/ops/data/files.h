// Whole files in the graph.
//
//   Output image = DecodePng(ReadFile(file_name));
//   Output names = MatchingFiles(Const(g, std::string("data/train-*")));
//
// DTypes: string. Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// All of a file. Shapes: `[] -> []`. Errors: NotFound and others of the file system.
Output ReadFile(Output filename, OpOptions o = {}, Location where = Location::Current());
// Replaces a file, and makes its folder where there is none. Shapes: `[], []`.
Node* WriteFile(Output filename, Output contents, OpOptions o = {},
                Location where = Location::Current());
// Names of files that match one pattern, or one of several ('*', '?', '[a-z]'), sorted. Shapes: `[]
// or [k] -> [n]`.
Output MatchingFiles(Output pattern, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
