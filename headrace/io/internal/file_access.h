// Files by descriptor: reading at offsets, appending in large pieces. Errors name the path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

// Bytes that can be read by position, so that threads may share them.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // For messages.
  virtual const std::string& path() const = 0;
  // When it was opened.
  virtual int64_t size_bytes() const = 0;
  // Fewer than `size` bytes only at the end.
  virtual StatusOr<size_t> ReadAt(int64_t offset, void* out, size_t size) const = 0;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string bytes, std::string path)
      : bytes_(std::move(bytes)), path_(std::move(path)) {}
  const std::string& path() const override { return path_; }
  int64_t size_bytes() const override { return static_cast<int64_t>(bytes_.size()); }
  StatusOr<size_t> ReadAt(int64_t offset, void* out, size_t size) const override {
    if (offset < 0 || offset > size_bytes()) return size_t{0};
    return bytes_.copy(static_cast<char*>(out), size, static_cast<size_t>(offset));
  }

 private:
  std::string bytes_;
  std::string path_;
};

class InputFile final : public ByteSource {
 public:
  static StatusOr<std::unique_ptr<InputFile>> Open(const std::string& path);
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const override { return path_; }
  int64_t size_bytes() const override { return size_bytes_; }
  StatusOr<size_t> ReadAt(int64_t offset, void* out, size_t size) const override;

 private:
  InputFile(int fd, std::string path, int64_t size_bytes)
      : fd_(fd), path_(std::move(path)), size_bytes_(size_bytes) {}
  int fd_;
  std::string path_;
  int64_t size_bytes_;
};

// Buffers small pieces; large ones go straight from the caller's memory to the kernel.
class OutputFile {
 public:
  struct Options {
    bool must_be_new = false;  // AlreadyExists instead of emptying an existing file
    bool append = false;       // keep what is there
  };
  static StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path,
                                                      const Options& options);
  static StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path) {
    return Create(path, Options());
  }
  ~OutputFile();  // closes, losing what is buffered: Close reports errors
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size_bytes() const { return size_bytes_; }  // with what is buffered
  Status Append(std::string_view bytes);
  Status Flush();  // to the kernel
  Status Sync();   // to the disk
  Status Close();

 private:
  OutputFile(int fd, std::string path, int64_t size_bytes)
      : fd_(fd), path_(std::move(path)), size_bytes_(size_bytes) {}
  Status WriteThrough(std::string_view bytes);
  int fd_;
  std::string path_;
  int64_t size_bytes_;
  std::string buffer_;
};

// Moves a file onto `to`, replacing it.
Status RenameFile(const std::string& from, const std::string& to);
// Makes renames in the folder of `path` last through a power cut.
Status SyncFolderOf(const std::string& path);

}  // namespace headrace
