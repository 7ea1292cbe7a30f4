// Text building over Abseil, for std::string_view (Debian's Abseil has a string_view type of its own, so
// that its functions do not take the standard one).
//
//   StrCat("op '", name, "' got ", n, " inputs")
//   StrJoin(shapes, ", ", [](const Shape& s) { return s.ToString(); })
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "headrace/base/status.h"

namespace headrace {
namespace internal {

template <class T>
decltype(auto) StrPiece(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return absl::string_view(value.data(), value.size());
  } else {
    return (value);
  }
}

}  // namespace internal

template <class... T>
std::string StrCat(const T&... pieces) {
  return absl::StrCat(internal::StrPiece(pieces)...);
}
template <class... T>
void StrAppend(std::string* text, const T&... pieces) {
  absl::StrAppend(text, internal::StrPiece(pieces)...);
}

template <class Range>
std::string StrJoin(const Range& range, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& item : range) {
    if (!first) text.append(separator);
    first = false;
    StrAppend(&text, item);
  }
  return text;
}
// `format` makes something StrCat takes from each item.
template <class Range, class Format>
std::string StrJoin(const Range& range, std::string_view separator, Format format) {
  std::string text;
  bool first = true;
  for (const auto& item : range) {
    if (!first) text.append(separator);
    first = false;
    StrAppend(&text, format(item));
  }
  return text;
}

// Pieces between separators; StrSplit("", ',') is {""}.
std::vector<std::string_view> StrSplit(std::string_view text, char separator);
std::string ToLower(std::string_view text);  // ASCII
std::string ToUpper(std::string_view text);
std::string_view StripSpace(std::string_view text);
std::optional<int64_t> ParseInt(std::string_view text);  // the whole text, decimal
std::optional<double> ParseDouble(std::string_view text);
// C escapes for unprintable bytes and quotes.
std::string EscapeC(std::string_view text);
// "1.5 GiB", "12 B".
std::string HumanBytes(int64_t bytes);
// The message of an error, as a standard view that lives as long as `status`.
inline std::string_view Message(const Status& status) {
  return {status.message().data(), status.message().size()};
}
// Of `candidates`, those nearest to `name` by edit distance, at most `most`: for "did you mean".
std::vector<std::string> NearestNames(std::string_view name, const std::vector<std::string>& candidates,
                                      size_t most = 3);

// Errors of a code from StrCat pieces.
template <class... T>
Status InvalidArgument(const T&... pieces) {
  return absl::InvalidArgumentError(StrCat(pieces...));
}
template <class... T>
Status NotFound(const T&... pieces) {
  return absl::NotFoundError(StrCat(pieces...));
}
template <class... T>
Status FailedPrecondition(const T&... pieces) {
  return absl::FailedPreconditionError(StrCat(pieces...));
}
template <class... T>
Status Unimplemented(const T&... pieces) {
  return absl::UnimplementedError(StrCat(pieces...));
}
template <class... T>
Status Internal(const T&... pieces) {
  return absl::InternalError(StrCat(pieces...));
}
template <class... T>
Status OutOfRange(const T&... pieces) {
  return absl::OutOfRangeError(StrCat(pieces...));
}
template <class... T>
Status DataLoss(const T&... pieces) {
  return absl::DataLossError(StrCat(pieces...));
}

}  // namespace headrace
