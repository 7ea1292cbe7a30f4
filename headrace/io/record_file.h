// TFRecord files: each record is its length (8 bytes), a masked CRC-32C of that, the data, and a
// masked CRC-32C of the data.
//
//   HR_ASSIGN_OR_RETURN(auto writer, RecordWriter::Create("train.tfrecord"));
//   HR_RETURN_IF_ERROR(writer->Append(example_bytes));
//   HR_RETURN_IF_ERROR(writer->Close());
//   HR_ASSIGN_OR_RETURN(auto reader, RecordReader::Open("train.tfrecord"));
//   for (;;) { HR_ASSIGN_OR_RETURN(bool more, reader->Next(&record)); if (!more) break; ... }
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/io/compression.h"

namespace headrace {

class RecordWriter {
 public:
  struct Options {
    Compression compression = Compression::kNone;
    int level = -1;            // of compression, 1 to 9; -1: zlib's choice
    bool must_be_new = false;  // AlreadyExists instead of replacing a file
    bool append = false;       // add to an existing file
  };
  static StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path,
                                                        const Options& options);
  static StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path);
  ~RecordWriter();  // closes; Close reports errors

  // After an error of the file system every further call returns it.
  Status Append(std::string_view record);
  // Hands everything to the operating system, so that readers see it.
  Status Flush();
  // Flush, and wait until it is on the disk.
  Status Sync();
  Status Close();

  const std::string& path() const;
  // Of the file, with what is not flushed (without what a compressor holds).
  int64_t size_bytes() const;

 private:
  struct State;
  explicit RecordWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class RecordReader {
 public:
  struct Options {
    Compression compression = Compression::kNone;
    int64_t start_offset = 0;  // where a record begins; uncompressed files only
  };
  // Errors: NotFound and others of the file system.
  static StatusOr<std::unique_ptr<RecordReader>> Open(const std::string& path,
                                                      const Options& options);
  static StatusOr<std::unique_ptr<RecordReader>> Open(const std::string& path);
  // From memory; `name` is for messages.
  static std::unique_ptr<RecordReader> FromBytes(std::string bytes, std::string name,
                                                 const Options& options);
  ~RecordReader();

  // The next record, valid until the next call; false at the end. Errors: DataLoss with the file
  // and the place for a damaged or cut short record, after all that precede it; from then on every
  // call returns it.
  StatusOr<bool> Next(std::string_view* record);
  StatusOr<bool> Next(std::string* record);

  // Where the next record begins (of the uncompressed data).
  int64_t offset() const;
  int64_t records_read() const;

 private:
  struct State;
  explicit RecordReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headrace
