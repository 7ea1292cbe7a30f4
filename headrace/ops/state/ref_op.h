// How builders of ops that change a variable make their node: colocated with every ref input, as
// TensorFlow does.
#pragma once

#include <initializer_list>
#include <optional>

#include "headrace/ops/options.h"

namespace headrace {

class RefColocation {
 public:
  RefColocation(std::initializer_list<Output> refs) {
    size_t i = 0;
    for (const Output& ref : refs) {
      if (ref.valid() && i < std::size(scopes_)) scopes_[i++].emplace(*ref.graph(), *ref.node);
    }
  }
  ~RefColocation() {  // inner scopes end first
    for (size_t i = std::size(scopes_); i-- > 0;) scopes_[i].reset();
  }

 private:
  std::optional<ColocateWith> scopes_[4];
};

}  // namespace headrace
