// Small file operations that report errors with the path. Paths are bytes, folders end without '/'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/status.h"

namespace headrace {

// The whole file. Errors: NotFound, PermissionDenied, or Unknown, each naming the path and errno.
StatusOr<std::string> ReadFile(const std::string& path);
// Replaces `path` so that a crash at any moment leaves either the old or the new contents: writes a
// sibling, fsyncs it, renames it, fsyncs the folder.
Status WriteFileAtomically(const std::string& path, std::string_view contents);
// Makes the folder and its parents; no error if it exists.
Status MakeFolders(const std::string& path);
bool FileExists(const std::string& path);
// Removes a file; NotFound if there is none.
Status RemoveFile(const std::string& path);
// Names (not paths) in a folder, sorted.
StatusOr<std::vector<std::string>> ListFolder(const std::string& path);
// Paths that match a pattern of '*', '?' and '[a-z]', none of which matches '/', sorted; none is no
// error. As in TensorFlow those of a pattern that names no folder before them begin with "./".
StatusOr<std::vector<std::string>> MatchingFiles(const std::string& pattern);
std::string JoinPath(std::string_view folder, std::string_view name);
// An error of the matching code with "<what> '<path>': <strerror>".
Status ErrnoError(int error_number, std::string_view what, std::string_view path);

}  // namespace headrace
