#include "headrace/io/csv_record.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<std::optional<std::string>> CsvRecord::Next() {
  if (text_.empty() && !owed_) return std::optional<std::string>();
  if (owed_ && text_.empty()) {  // the record ended with a delimiter
    owed_ = false;
    return std::optional<std::string>(std::string());
  }
  const size_t content = text_.find_first_not_of("\r\n");
  if (content == std::string_view::npos) {
    text_ = {};
    owed_ = false;
    return std::optional<std::string>();
  }
  text_.remove_prefix(content);
  HR_ASSIGN_OR_RETURN(std::string field, format_.quotes && text_[0] == '"' ? Quoted() : Plain());
  return std::optional<std::string>(std::move(field));
}

StatusOr<std::string> CsvRecord::Plain() {
  const size_t end = std::min(text_.find(format_.delimiter), text_.size());
  const std::string_view field = text_.substr(0, end);
  if (field.find_first_of(format_.quotes ? "\"\r\n" : "\r\n") != std::string_view::npos)
    return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
  std::string result(field);
  Pass(end);
  return result;
}

StatusOr<std::string> CsvRecord::Quoted() {
  std::string field;
  for (size_t at = 1; at < text_.size(); ++at) {
    if (text_[at] != '"') {
      field += text_[at];
      continue;
    }
    if (at + 1 == text_.size() || text_[at + 1] == format_.delimiter) {
      Pass(at + 1);
      return field;
    }
    if (text_[at + 1] != '"')
      return InvalidArgument("Quote inside a string has to be escaped by another quote");
    field += '"';
    ++at;
  }
  return InvalidArgument("Quoted field has to end with quote followed by delim or end");
}

// The field ends at `end`, with a delimiter or the record.
void CsvRecord::Pass(size_t end) {
  owed_ = end < text_.size();
  text_.remove_prefix(std::min(end + 1, text_.size()));
}

}  // namespace headrace
