#include "headrace/base/file.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), std::min<size_t>(bytes.size(), size_t{1} << 30));
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoError(errno, "cannot write", path);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

}  // namespace

Status ErrnoError(int error_number, std::string_view what, std::string_view path) {
  absl::StatusCode code = absl::StatusCode::kUnknown;
  switch (error_number) {
    case ENOENT: case ENOTDIR: code = absl::StatusCode::kNotFound; break;
    case EACCES: case EPERM: case EROFS: code = absl::StatusCode::kPermissionDenied; break;
    case EEXIST: code = absl::StatusCode::kAlreadyExists; break;
    case ENOSPC: case EDQUOT: case EFBIG: case EMFILE: case ENFILE: code = absl::StatusCode::kResourceExhausted; break;
    case EISDIR: case EINVAL: case ENAMETOOLONG: code = absl::StatusCode::kInvalidArgument; break;
    default: break;
  }
  return Status(code, StrCat(what, " '", path, "': ", std::strerror(error_number)));
}

StatusOr<std::string> ReadFile(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrnoError(errno, "cannot open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return ErrnoError(errno, "cannot stat", path);
  if (S_ISDIR(info.st_mode)) return ErrnoError(EISDIR, "cannot read", path);
  // Some of them never end (/dev/zero).
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
    return InvalidArgument("cannot read '", path, "': it is a device, must be a file or a pipe");
  }
  std::string contents;
  contents.reserve(static_cast<size_t>(info.st_size));
  char block[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.get(), block, sizeof(block));
    if (n == 0) return contents;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "cannot read", path);
    contents.append(block, static_cast<size_t>(n));
  }
}

Status WriteFileAtomically(const std::string& path, std::string_view contents) {
  const std::string sibling = StrCat(path, ".tmp", ::getpid());
  Descriptor file(::open(sibling.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return ErrnoError(errno, "cannot create", sibling);
  Status status = WriteAll(file.get(), contents, sibling);
  if (status.ok() && ::fsync(file.get()) != 0) status = ErrnoError(errno, "cannot sync", sibling);
  if (file.Close() != 0 && status.ok()) status = ErrnoError(errno, "cannot close", sibling);
  if (status.ok() && ::rename(sibling.c_str(), path.c_str()) != 0) {
    status = ErrnoError(errno, "cannot rename to", path);
  }
  if (!status.ok()) {
    ::unlink(sibling.c_str());
    return status;
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor parent(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
  return absl::OkStatus();
}

Status MakeFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return ErrnoError(error.value(), "cannot make folder", path);
  return absl::OkStatus();
}

bool FileExists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) != 0) return ErrnoError(errno, "cannot remove", path);
  return absl::OkStatus();
}

StatusOr<std::vector<std::string>> ListFolder(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator it(path, error), end;
  for (; !error && it != end; it.increment(error)) names.push_back(it->path().filename().string());
  if (error) return ErrnoError(error.value(), "cannot list", path);
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<std::vector<std::string>> MatchingFiles(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_PERIOD, nullptr, &found);
  const std::string_view fixed = std::string_view(pattern).substr(0, pattern.find_first_of("*?[\\"));
  const char* const folder = fixed.find('/') == std::string_view::npos ? "./" : "";
  std::vector<std::string> paths;
  for (size_t i = 0; result == 0 && i < found.gl_pathc; ++i) {
    const std::string_view path = found.gl_pathv[i];
    if (path != "." && path != ".." && !path.ends_with("/.") && !path.ends_with("/..")) paths.push_back(StrCat(folder, path));
  }
  ::globfree(&found);
  if (result == GLOB_NOSPACE) return absl::ResourceExhaustedError(StrCat("no memory for the names that match '", pattern, "'"));
  if (result == GLOB_ABORTED) return ErrnoError(errno, "cannot list what matches", pattern);
  return paths;
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  if (folder.empty() || (!name.empty() && name.front() == '/')) return std::string(name);
  return StrCat(folder, folder.back() == '/' ? "" : "/", name);
}

}  // namespace headrace
