// Files of text lines, and files of records that all have one length.
//
//   HR_ASSIGN_OR_RETURN(auto lines, LineReader::Open("train.csv", {}));
//   std::string_view line;
//   for (;;) { HR_ASSIGN_OR_RETURN(bool more, lines->Next(&line)); if (!more) break; ... }
//
// A view that Next gives is valid until the next call. Errors name the file; after one, every
// further call returns it. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/io/compression.h"

namespace headrace {

class InputWindow;

// Lines without their ends: '\n', and each '\r'. The last line needs no end.
class LineReader {
 public:
  struct Options {
    Compression compression = Compression::kNone;
    int64_t start_offset = 0;  // where a line begins; uncompressed files only
  };
  // Errors: NotFound and others of the file system.
  static StatusOr<std::unique_ptr<LineReader>> Open(const std::string& path,
                                                    const Options& options);
  // From memory; `name` is for messages.
  static std::unique_ptr<LineReader> FromBytes(std::string bytes, std::string name,
                                               const Options& options);
  ~LineReader();

  // The next line; false at the end. Errors: DataLoss for damaged compressed data.
  StatusOr<bool> Next(std::string_view* line);
  // Where the next line begins (of the uncompressed data).
  int64_t offset() const;

 private:
  explicit LineReader(std::unique_ptr<InputWindow> window);
  StatusOr<bool> Read(std::string_view* line);
  std::unique_ptr<InputWindow> window_;
  size_t to_skip_ = 0;
  std::string without_returns_;
  Status status_;
};

// Records of `record_bytes`, between a header and a footer that are left out.
class FixedRecordReader {
 public:
  struct Options {
    int64_t record_bytes = 0;
    int64_t header_bytes = 0;
    int64_t footer_bytes = 0;
    int64_t hop_bytes = 0;  // from the begin of a record to that of the next; 0: record_bytes
    Compression compression = Compression::kNone;
  };
  // Errors: InvalidArgument for options out of range; those of the file system.
  static StatusOr<std::unique_ptr<FixedRecordReader>> Open(const std::string& path,
                                                           const Options& options);
  static StatusOr<std::unique_ptr<FixedRecordReader>> FromBytes(std::string bytes, std::string name,
                                                                const Options& options);
  ~FixedRecordReader();

  // The next record; false where less than a record and the footer is left. Errors: DataLoss for
  // damaged compressed data.
  StatusOr<bool> Next(std::string_view* record);
  // Bytes that were passed, in the uncompressed data.
  int64_t offset() const;
  // Bytes of the file behind the header and the records so far, footer included; only after Next
  // was false.
  int64_t left_bytes() const;

 private:
  FixedRecordReader(std::unique_ptr<InputWindow> window, const Options& options);
  StatusOr<bool> Read(std::string_view* record);
  std::unique_ptr<InputWindow> window_;
  const Options options_;
  int64_t to_skip_ = 0;
  Status status_;
};

}  // namespace headrace
