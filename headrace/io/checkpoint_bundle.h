// Checkpoints as TensorFlow's V2 savers write them: `prefix.index` (a sorted table: name -> dtype,
// shape, place, checksum) and `prefix.data-00000-of-00001` (the bytes of all variables in a row).
//
//   HR_ASSIGN_OR_RETURN(auto writer, BundleWriter::Create("logs/model.ckpt-100"));
//   HR_RETURN_IF_ERROR(writer->Add("layer/weights", weights));
//   HR_RETURN_IF_ERROR(writer->Finish());
//   HR_ASSIGN_OR_RETURN(auto reader, BundleReader::Open("logs/model.ckpt-100"));
//   HR_ASSIGN_OR_RETURN(Tensor w, reader->Read("layer/weights"));
//
// A reader is thread-safe, a writer is not. Tensors are copied neither way: their bytes go straight
// from and to their own memory, so that a variable of several GiB needs no second copy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/status.h"
#include "headrace/io/tensor_slice.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// Nothing can be seen under the prefix before Finish, and a crash at any moment leaves the old
// checkpoint of that prefix (or none) or the new one: bytes go to temporary names, are synced,
// renamed, and the index comes last. Where a checkpoint of the same prefix exists, the new bytes
// take the name data-00000-of-00002 (or, if that is taken, -of-00001), so that the rename of the
// index alone switches from old to new.
class BundleWriter {
 public:
  struct Options {
    bool sync = true;  // wait until the bytes are on the disk
  };
  // Makes the folder of `prefix` if there is none. Errors: those of the file system.
  static StatusOr<std::unique_ptr<BundleWriter>> Create(const std::string& prefix,
                                                        const Options& options);
  static StatusOr<std::unique_ptr<BundleWriter>> Create(const std::string& prefix);
  ~BundleWriter();  // without Finish: removes what was written

  // Errors: InvalidArgument for a name given before, an empty one, or a dtype that cannot be saved.
  Status Add(std::string_view name, const Tensor& value);
  // `value` is the part `slice` of a variable of shape `full_shape`; the other parts follow or lie
  // in another bundle that MergeBundles joins with this one.
  Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                  const Tensor& value);
  // The checkpoint exists once this is OK. After an error nothing of it is left.
  Status Finish();

  int64_t bytes_written() const;

 private:
  struct State;
  explicit BundleWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Joins bundles that several writers made (each of one or more shards) into one: their data files
// are renamed, their indexes replaced by one. Errors: InvalidArgument for a variable that two of
// them hold.
Status MergeBundles(std::span<const std::string> prefixes, const std::string& merged_prefix);

struct CheckpointVariable {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t size_bytes = 0;           // in the file
  std::vector<TensorSlice> slices;  // empty unless it is stored in parts
};

// Reads V2 bundles, of any number of shards, and the older V1 files (where `prefix` is the file
// itself).
class BundleReader {
 public:
  // Errors: NotFound when there is no such checkpoint; DataLoss for a damaged or empty index;
  // InvalidArgument for a file `prefix` that is no V1 checkpoint; Unimplemented for one of another
  // byte order or a later version.
  static StatusOr<std::unique_ptr<BundleReader>> Open(const std::string& prefix);
  ~BundleReader();

  const std::string& prefix() const;
  // In the order of names.
  const std::vector<CheckpointVariable>& variables() const;
  // Null if there is none of that name.
  const CheckpointVariable* Find(std::string_view name) const;

  // The whole variable, put together if it is stored in parts. Errors: NotFound (the nearest names
  // are listed) for an unknown name or a missing data file, DataLoss (file and variable are named)
  // for bytes that do not have their checksum or are not there, FailedPrecondition when parts are
  // missing.
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = nullptr) const;
  // The part `slice` of it, however it is stored.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = nullptr) const;

  // Without reading the tensors: every data file is there and long enough. Errors: NotFound,
  // DataLoss.
  Status CheckFiles() const;

 private:
  struct State;
  explicit BundleReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Deletes the files of a checkpoint (index, data, and `prefix.meta` if asked). No error if there
// are none.
Status RemoveCheckpoint(const std::string& prefix, bool with_meta_graph);

}  // namespace headrace
