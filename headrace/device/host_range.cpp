#include <sys/mman.h>

#include "headrace/device/pool_allocator.h"

namespace headrace {
namespace {

class HostRange final : public MemoryRange {
 public:
  HostRange(char* base, size_t capacity_bytes) : base_(base), capacity_bytes_(capacity_bytes) {}
  ~HostRange() override { munmap(base_, capacity_bytes_); }

  char* base() const override { return base_; }
  size_t capacity_bytes() const override { return capacity_bytes_; }
  size_t granularity_bytes() const override { return size_t{2} << 20; }
  bool Resize(size_t bytes) override {
    if (bytes > backed_bytes_) {
      if (mprotect(base_, bytes, PROT_READ | PROT_WRITE) != 0) return false;
    } else if (bytes < backed_bytes_) {
      // Pages go back to the system, and a use after free is caught.
      madvise(base_ + bytes, backed_bytes_ - bytes, MADV_DONTNEED);
      if (mprotect(base_ + bytes, backed_bytes_ - bytes, PROT_NONE) != 0) return false;
    }
    backed_bytes_ = bytes;
    return true;
  }

 private:
  char* const base_;
  const size_t capacity_bytes_;
  size_t backed_bytes_ = 0;
};

}  // namespace

std::unique_ptr<MemoryRange> MakeHostRange(size_t capacity_bytes) {
  constexpr size_t kPage = 4096;
  const size_t rounded = capacity_bytes / kPage * kPage;  // never more than the limit
  if (rounded == 0) return nullptr;
  void* base =
      mmap(nullptr, rounded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  return std::make_unique<HostRange>(static_cast<char*>(base), rounded);
}

}  // namespace headrace
