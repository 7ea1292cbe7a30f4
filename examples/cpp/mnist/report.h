// What a training run found out, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/headrace.h"

namespace mnist {

struct Report {
  std::string model, mode;
  int replicas = 1, backup_replicas = 0;
  std::vector<std::string> devices;
  int64_t steps = 0;
  double examples_per_second = 0, steps_per_second = 0, step_ms_p50 = 0;
  double loss_first = 0, loss_last = 0, test_accuracy = 0;
  std::string weights_sha256;
  headrace::StalenessHistogram staleness;
  std::vector<int64_t> dropped;  // gradients that came too late, of each replica
  int64_t peak_rss_bytes = 0;

  std::string ToJson() const;
};

// Hex SHA-256 over the bytes of the tensors, one after the other.
std::string Sha256(const std::vector<headrace::Tensor>& tensors);
// High-water mark of this process's resident memory.
int64_t PeakRssBytes();

}  // namespace mnist
