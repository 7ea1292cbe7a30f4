// Values between Python and the engine: errors, dtypes, NumPy arrays, attributes, handles of outputs.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "headrace/graph/gradients.h"
#include "headrace/graph/graph.h"
#include "headrace/tensor/tensor.h"

namespace headrace::python {

namespace nb = nanobind;

// An output in Python is one integer, node id * 2^16 + index; an invalid one is -1. A node is its id.
using Handle = int64_t;
inline constexpr int kIndexBits = 16;
Handle ToHandle(Output output);
// Throws IndexError for what is no output of the graph.
Output FromHandle(Graph& graph, Handle handle);
std::vector<Output> FromHandles(Graph& graph, const nb::sequence& handles);
Node* NodeOf(Graph& graph, int64_t id);
// A gradient of Python: None, a handle, or (values, indices, dense_shape).
Gradient ToGradient(Graph& graph, nb::handle value);

// Throws what the function set by set_error_factory makes of (code, message), by default a RuntimeError.
[[noreturn]] void Throw(const Status& status);
inline void Check(const Status& status) {
  if (!status.ok()) [[unlikely]]
    Throw(status);
}
template <class T>
T Get(StatusOr<T> value) {
  if (!value.ok()) [[unlikely]]
    Throw(value.status());
  return *std::move(value);
}
void SetErrorFactory(nb::object factory);

// NumPy's C API; call once when the module is made.
void ImportNumPy();
// A tensor of `type` from an array, number, string or nested list. C-contiguous arrays of the dtype are not copied: the
// tensor keeps the array alive. kInvalid takes the dtype that NumPy finds. Throws TypeError or ValueError.
Tensor ToTensor(nb::handle value, DType type);
// An array, or for rank 0 a NumPy scalar (bytes for a string). Bytes that nobody else holds are not copied.
nb::object ToPython(Tensor tensor);
// Python's shape: None, or a tuple in which -1 is unknown.
nb::object ToPython(const PartialShape& shape);
PartialShape ToShape(nb::handle shape);
nb::object ToPython(const AttrValue& value);
// `kind` as the op's definition has it; kNone: from the Python type.
AttrValue ToAttr(nb::handle value, AttrKind kind, std::string_view name);

// nullptr when no program line is known.
Location ToLocation(std::string_view file, uint32_t line);

}  // namespace headrace::python
