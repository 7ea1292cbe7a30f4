// What the files of rules share.
#pragma once

#include <initializer_list>
#include <vector>

#include "tests/random_ops/generator.h"

namespace headrace::random_ops {

// Numbers and bool among what the op's CPU kernels take for a type attribute.
DTypeSet TypesOf(const char* op, const char* attr);
void AppendNames(std::vector<Rule>& rules, std::initializer_list<const char*> names,
                 void (*make)(Generator&, const char*));
void AppendArrayRules(std::vector<Rule>& rules);

}  // namespace headrace::random_ops
