// The fields of one line of comma-separated values, one after the other.
//
//   CsvRecord record("1,\"two, or so\",3", {});
//   for (;;) { HR_ASSIGN_OR_RETURN(auto field, record.Next()); if (!field) break; ... }
//
// Not thread-safe. Source: RFC 4180, and TensorFlow DecodeCSV for what it leaves open.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;  // fields may stand in double quotes
};

class CsvRecord {
 public:
  // `text` lives as long as the record.
  CsvRecord(std::string_view text, CsvFormat format) : text_(text), format_(format) {}

  // The next field; nothing at the end. Errors: InvalidArgument "Unquoted fields cannot have
  // quotes/CRLFs inside".
  StatusOr<std::optional<std::string>> Next();

 private:
  StatusOr<std::string> Plain();
  StatusOr<std::string> Quoted();
  void Pass(size_t end);

  std::string_view text_;
  const CsvFormat format_;
  bool owed_ = false;  // a delimiter was read: a field follows, if only an empty one
};

}  // namespace headrace
