// What each file of the module adds to it.
#pragma once

#include <nanobind/nanobind.h>

namespace headrace::python {

void BindGraph(nanobind::module_& m);
void BindSession(nanobind::module_& m);
void BindTrain(nanobind::module_& m);
void BindFiles(nanobind::module_& m);
void BindFunctions(nanobind::module_& m);

}  // namespace headrace::python
