// Errors: every fallible function returns absl::Status or absl::StatusOr<T>; nothing throws.
//
//   absl::Status Save(const Graph& g) {
//     HR_ASSIGN_OR_RETURN(File file, OpenFile(path));
//     HR_RETURN_IF_ERROR(file.Append(bytes));
//     return absl::OkStatus();
//   }
//
// A message says what, where and what would have been right.
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace headrace {

using absl::Status;
using absl::StatusOr;

// The same code with `prefix` put in front of the message (payloads kept); OK stays OK.
Status Annotate(const Status& status, std::string_view prefix);

}  // namespace headrace

#define HR_CONCAT_INNER_(a, b) a##b
#define HR_CONCAT_(a, b) HR_CONCAT_INNER_(a, b)

// Returns from the enclosing function if `expr` (an absl::Status) is not OK.
#define HR_RETURN_IF_ERROR(expr)                         \
  do {                                                   \
    if (::absl::Status hr_status_ = (expr); !hr_status_.ok()) [[unlikely]] \
      return hr_status_;                                 \
  } while (false)

// Declares or assigns `lhs` from an absl::StatusOr, or returns its error.
#define HR_ASSIGN_OR_RETURN(lhs, expr) HR_ASSIGN_OR_RETURN_IMPL_(HR_CONCAT_(hr_or_, __LINE__), lhs, expr)
#define HR_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) [[unlikely]]                     \
    return std::move(tmp).status();               \
  lhs = *std::move(tmp)
