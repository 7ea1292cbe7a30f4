// A place where kernels run: its name, memory, threads and order of work. Kinds: cpu, simulated (a GPU
// that computes with CPU kernels), cuda. Code outside device/ never asks for the kind, only for what it needs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/base/device_name.h"
#include "headrace/base/worker_pool.h"
#include "headrace/tensor/allocator.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

struct DeviceInfo {
  DeviceName name;          // full
  std::string type;         // "CPU", "GPU": what support tables and requests speak of
  int64_t memory_bytes = 0; // limit of its allocator; 0 = that of the machine
  bool simulated = false;
  int physical_index = 0;   // of the hardware (or simulated hardware) behind it
  std::string description;  // "simulated GPU, 256.0 MiB": for listings; "" for the CPU
};

// Copies between host memory and a device, since the device was opened.
struct CopyStats {
  int64_t copies_in = 0, bytes_in = 0;
  int64_t copies_out = 0, bytes_out = 0;
};

// Work in order, on a thread (or hardware queue) of its own.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void Enqueue(std::function<void()> work) = 0;
  // Waits until everything enqueued so far is done. The first error of the hardware, if any: a device that failed
  // keeps reporting it. From work on the stream itself it only reports.
  virtual Status Synchronize() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  const DeviceInfo& info() const { return info_; }
  const std::string& name() const { return name_; }  // full, canonical text
  const std::string& type() const { return info_.type; }

  virtual Allocator& allocator() = 0;
  virtual WorkerPool& workers() = 0;
  // nullptr: work runs on the thread that asks for the step (CPU devices).
  virtual Stream* stream() = 0;
  // True if host code may read its memory (CPU, simulated).
  virtual bool host_accessible() const { return true; }
  // True if its memory is not the host's: a value that crosses is copied, and host_args of ops stay outside.
  virtual bool separate_memory() const { return false; }
  // Blocking copies between plain host memory and this device, from or to `host`. Both tensors have equal dtype
  // and shape. They come after all work of the stream that was enqueued before.
  virtual Status CopyIn(const Tensor& host, Tensor& device) = 0;
  virtual Status CopyOut(const Tensor& device, Tensor& host) = 0;
  virtual CopyStats copy_stats() const { return {}; }

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)), name_(info_.name.ToString()) {}

 private:
  DeviceInfo info_;
  std::string name_;
};

}  // namespace headrace
