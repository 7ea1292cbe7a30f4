#include "headrace/io/internal/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"

namespace headrace {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr size_t kMaxPiece = size_t{1} << 30;

}  // namespace

StatusOr<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(errno, "cannot open", path);
  struct stat info {};
  const int error = ::fstat(fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  if (error != 0) {
    ::close(fd);
    return ErrnoError(error, "cannot read", path);
  }
  return std::unique_ptr<InputFile>(new InputFile(fd, path, info.st_size));
}

InputFile::~InputFile() {
  ::close(fd_);
}

StatusOr<size_t> InputFile::ReadAt(int64_t offset, void* out, size_t size) const {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(fd_, static_cast<char*>(out) + done, std::min(size - done, kMaxPiece),
                              static_cast<off_t>(offset + static_cast<int64_t>(done)));
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "cannot read", path_);
    done += static_cast<size_t>(n);
  }
  return done;
}

StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path,
                                                         const Options& options) {
  const int mode = options.must_be_new ? O_EXCL : options.append ? O_APPEND : O_TRUNC;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0644);
  if (fd < 0) return ErrnoError(errno, "cannot create", path);
  struct stat info {};
  const int64_t size_bytes = ::fstat(fd, &info) == 0 ? info.st_size : 0;
  return std::unique_ptr<OutputFile>(new OutputFile(fd, path, size_bytes));
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status OutputFile::WriteThrough(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), kMaxPiece));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "cannot write", path_);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

Status OutputFile::Append(std::string_view bytes) {
  if (fd_ < 0) return FailedPrecondition("file '", path_, "' is closed");
  size_bytes_ += static_cast<int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() < kBufferBytes) {
    buffer_.append(bytes);
    return absl::OkStatus();
  }
  HR_RETURN_IF_ERROR(Flush());
  if (bytes.size() >= kBufferBytes) return WriteThrough(bytes);
  buffer_.assign(bytes);
  return absl::OkStatus();
}

Status OutputFile::Flush() {
  if (fd_ < 0) return FailedPrecondition("file '", path_, "' is closed");
  const Status status = WriteThrough(buffer_);
  buffer_.clear();
  return status;
}

Status OutputFile::Sync() {
  HR_RETURN_IF_ERROR(Flush());
  if (::fsync(fd_) != 0) return ErrnoError(errno, "cannot sync", path_);
  return absl::OkStatus();
}

Status OutputFile::Close() {
  if (fd_ < 0) return absl::OkStatus();
  Status status = Flush();
  if (::close(fd_) != 0 && status.ok()) status = ErrnoError(errno, "cannot close", path_);
  fd_ = -1;
  return status;
}

Status RenameFile(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return ErrnoError(errno, StrCat("cannot rename '", from, "' to"), to);
  return absl::OkStatus();
}

Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(errno, "cannot open", folder);
  // Some file systems cannot sync folders; then there is nothing better to do.
  const int error = ::fsync(fd) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
  ::close(fd);
  return error == 0 ? absl::OkStatus() : ErrnoError(error, "cannot sync", folder);
}

}  // namespace headrace
