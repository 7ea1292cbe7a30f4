// Python functions that graphs call (tf.py_func).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bind.h"
#include "convert.h"
#include "gil.h"
#include "headrace/base/strings.h"
#include "headrace/ops/script/py_func.h"

namespace headrace::python {
namespace {

Status ToStatus(nb::python_error& error, std::string_view token) {
  const std::string text = StrCat(nb::cast<std::string>(error.type().attr("__name__")), ": ",
                                  nb::str(error.value()).c_str(), "\n", error.what());
  if (error.matches(PyExc_ValueError) || error.matches(PyExc_TypeError)) return absl::InvalidArgumentError(text);
  if (error.matches(PyExc_StopIteration)) return absl::OutOfRangeError(text);
  if (error.matches(PyExc_MemoryError)) return absl::ResourceExhaustedError(text);
  if (error.matches(PyExc_NotImplementedError)) return absl::UnimplementedError(text);
  return absl::UnknownError(text);
}

// `function` gets arrays and gives a list of (array, dtype).
Status Call(const nb::object& function, std::string_view token, std::span<const Tensor> in, std::vector<Tensor>& out) {
  const AcquiredGil acquired;
  try {
    nb::list arguments;
    for (const Tensor& tensor : in) arguments.append(ToPython(tensor));
    nb::object results = function(arguments);
    for (nb::handle result : results) out.push_back(ToTensor(result[0], static_cast<DType>(nb::cast<int>(result[1]))));
    return absl::OkStatus();
  } catch (nb::python_error& error) {
    return ToStatus(error, token);
  } catch (const std::exception& error) {
    return absl::UnknownError(error.what());
  }
}

}  // namespace

void BindFunctions(nb::module_& m) {
  using namespace nb::literals;
  m.def("register_function", [](std::string token, nb::object function) {
    // Shared, because the engine copies the std::function without the GIL.
    std::shared_ptr<nb::object> shared(new nb::object(std::move(function)), [](nb::object* object) {
      if (!Py_IsInitialized()) return;
      const AcquiredGil acquired;
      delete object;
    });
    HostFunctions::Global().Register(token, [shared, token](std::span<const Tensor> in, std::vector<Tensor>& out) {
      return Call(*shared, token, in, out);
    });
  }, "token"_a, "function"_a, "What nodes of PyFunc with that token call: (list of arrays) -> list of (array, dtype).");
  m.def("remove_function", [](std::string_view token) {
    const ReleasedGil released;
    HostFunctions::Global().Remove(token);
  });
}

}  // namespace headrace::python
