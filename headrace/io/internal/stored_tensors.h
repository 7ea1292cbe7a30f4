// Where the values of a checkpoint lie, and how one stored piece is read: the two file formats
// behind BundleReader.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/status.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/internal/table.h"

namespace headrace {

// One piece of a variable, or all of it.
struct StoredPiece {
  TensorSlice slice;  // explicit
  Shape shape;
  std::string key;  // of its entry in the table
  // In a V2 bundle:
  int shard = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t masked_crc = 0;
};

struct StoredVariable {
  CheckpointVariable about;
  std::vector<StoredPiece> pieces;
};

// Thread-safe once opened.
class StoredTensors {
 public:
  virtual ~StoredTensors() = default;
  const std::vector<StoredVariable>& variables() const { return variables_; }
  // Is the piece where it should be, and of the right size? To be asked before memory is taken.
  virtual Status Check(const StoredVariable& variable, const StoredPiece& piece) const = 0;
  // REQUIRES: Check is OK; `out` has the piece's shape.
  virtual Status Load(const StoredVariable& variable, const StoredPiece& piece,
                      Tensor* out) const = 0;

 protected:
  std::vector<StoredVariable> variables_;  // in the order of names
};

StatusOr<std::unique_ptr<StoredTensors>> OpenBundle(const std::string& prefix);
StatusOr<std::unique_ptr<StoredTensors>> OpenV1File(const std::string& path);

}  // namespace headrace
