// Where a value made on one device (or process) meets the consumer on another. The same interface is local and remote.
//
// Send never blocks. A value is delivered to one RecvAsync of the same key, whichever comes first. After Abort every
// pending and later call gets that status. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

class Rendezvous {
 public:
  struct Value {
    Tensor tensor;
    bool dead = false;  // the branch that makes it was not taken
  };
  using Done = std::function<void(StatusOr<Value>)>;

  virtual ~Rendezvous() = default;
  virtual Status Send(std::string_view key, Value value) = 0;
  virtual void RecvAsync(std::string_view key, Done done) = 0;
  virtual void Abort(Status reason) = 0;
};

std::unique_ptr<Rendezvous> MakeLocalRendezvous();

}  // namespace headrace
