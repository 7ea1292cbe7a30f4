// Nodes that only order others.
//
//   Node* train = Group(g, {apply_w, apply_b}, {.name = "train"});
#pragma once

#include <initializer_list>
#include <span>

#include "headrace/ops/options.h"

namespace headrace {

// Does nothing, after its control inputs. Source: TensorFlow NoOp. Gradient: none.
Node* NoOp(Graph& g, OpOptions o = {}, Location where = Location::Current());
// The same, and runs even when its control inputs are dead (a branch not taken).
Node* ControlTrigger(Graph& g, OpOptions o = {}, Location where = Location::Current());
// A NoOp that runs after all of `ops`, named "group_deps". Source: tf.group.
Node* Group(Graph& g, std::span<Node* const> ops, OpOptions o = {},
            Location where = Location::Current());
inline Node* Group(Graph& g, std::initializer_list<Node*> ops, OpOptions o = {},
                   Location where = Location::Current()) {
  return Group(g, std::span<Node* const>(ops.begin(), ops.size()), std::move(o), where);
}

}  // namespace headrace
