// A session with the Python graph that it keeps alive; a server, which sessions share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "headrace/session/session.h"

namespace headrace::python {

class Step;

// A task of a cluster that is this process: devices under the job's name, and variables and queues that outlive sessions.
class PyServer {
 public:
  explicit PyServer(const nanobind::dict& options);

  const std::shared_ptr<DeviceSet>& devices() const { return devices_; }
  const std::shared_ptr<ResourceStore>& resources() const { return resources_; }

 private:
  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
};

class PySession {
 public:
  // `server`: null for a session with devices and variables of its own.
  PySession(nanobind::object graph, const nanobind::dict& options, const PyServer* server);

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
