// A session with the Python graph that it keeps alive.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "headrace/session/session.h"

namespace headrace::python {

class Step;

class PySession {
 public:
  PySession(nanobind::object graph, const nanobind::dict& options);

  std::unique_ptr<Step> MakeStep(const nanobind::sequence& feeds, const nanobind::sequence& fetches,
                                 const nanobind::sequence& targets);
  void Close();

  Session& session() { return *session_; }
  Graph& graph() { return nanobind::cast<Graph&>(graph_); }

 private:
  nanobind::object graph_;
  std::unique_ptr<Session> session_;
};

}  // namespace headrace::python
