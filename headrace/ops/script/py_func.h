// Ops whose kernel is a function of the program.
//
//   HostFunctions::Global().Register("f", [](std::span<const Tensor> in, std::vector<Tensor>& out) {
//     out = {Tensor::Scalar(in[0].scalar<float>() * 2)};
//     return absl::OkStatus();
//   });
//   std::vector<Output> y = PyFunc(g, {x}, {DType::kFloat32}, "f");
//
// In a graph file such a node is a name only: it runs where the program has registered that name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

// Fills `out` with one tensor for each output of the node. May be called from several threads.
using HostFunction =
    std::function<Status(std::span<const Tensor> in, std::vector<Tensor>& out)>;

// The functions that nodes call, by token. Thread-safe.
class HostFunctions {
 public:
  static HostFunctions& Global();

  // Replaces a function of that token; calls that run keep the old one.
  void Register(std::string_view token, HostFunction function);
  void Remove(std::string_view token);
  std::shared_ptr<const HostFunction> Find(std::string_view token) const;  // null if there is none

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const HostFunction>, std::less<>> functions_;
};

struct PyFuncOptions {
  bool stateful = true;  // false: the same inputs give the same outputs, so a call may be shared or left out
  std::string name;
};

// The registered function `token`, called with the inputs on the host.
// Shapes: any -> unknown. DTypes: any.
// Errors: InvalidArgument for a token that is not registered, and when the function gives another number of tensors or other dtypes.
// Gradient: none. Source: TensorFlow PyFunc, PyFuncStateless.
std::vector<Output> PyFunc(Graph& g, std::span<const Output> inputs, std::span<const DType> output_types,
                           std::string_view token, PyFuncOptions o = {}, Location where = Location::Current());

}  // namespace headrace
