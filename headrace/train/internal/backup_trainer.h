// The synchronous trainer that does not wait for all replicas: SyncOptions with backup replicas.
#pragma once

#include <memory>

#include "headrace/train/replica_trainer.h"

namespace headrace::train {

StatusOr<std::unique_ptr<ReplicaTrainer>> MakeBackupTrainer(Graph& graph, const ReplicaModel& model,
                                                            const SyncOptions& options);

}  // namespace headrace::train
