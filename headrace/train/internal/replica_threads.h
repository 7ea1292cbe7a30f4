// A thread for each replica, until all have ended.
#pragma once

#include <functional>

#include "headrace/base/cancellation.h"
#include "headrace/base/status.h"

namespace headrace::train {

// Runs `train` once for each replica, all at the same time, and waits for all. The first error
// cancels the token that they share, and is returned; so does `outer` (may be null), and its
// deadline is the token's. A replica without an error ends by itself only.
Status RunReplicas(int replicas, Cancellation* outer,
                   const std::function<Status(int replica, Cancellation& cancellation)>& train);

}  // namespace headrace::train
