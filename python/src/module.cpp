// headrace._core: the engine as Python sees it. Thin: values in and out, errors as exceptions; names and conventions of
// TensorFlow 1 are in the Python package headrace.tf1.
#include "bind.h"
#include "convert.h"

NB_MODULE(_core, m) {
  using namespace headrace::python;
  nanobind::set_leak_warnings(false);  // graphs in module globals live until the process ends
  ImportNumPy();
  m.def("set_error_factory", &SetErrorFactory, nanobind::arg("factory"),
        "Sets the function (code, message) -> exception that makes the exceptions of failed calls.");
  BindGraph(m);
  BindSession(m);
  BindTrain(m);
  BindFiles(m);
  BindFunctions(m);
}
