// DecodeCSV.
#include <algorithm>
#include <optional>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/strings/parse_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;
  std::string missing;
  std::vector<int64_t> columns;  // wanted, increasing; empty: all
};

// Reads the fields of one record, one after the other.
class CsvRecord {
 public:
  CsvRecord(std::string_view text, const CsvFormat& format) : text_(text), format_(format) {}

  // The next field; nothing at the end.
  StatusOr<std::optional<std::string>> Next() {
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

 private:
  StatusOr<std::string> Plain() {
    const size_t end = std::min(text_.find(format_.delimiter), text_.size());
    const std::string_view field = text_.substr(0, end);
    if (field.find_first_of(format_.quotes ? "\"\r\n" : "\r\n") != std::string_view::npos)
      return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
    std::string result(field);
    Pass(end);
    return result;
  }

  StatusOr<std::string> Quoted() {
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
  void Pass(size_t end) {
    owed_ = end < text_.size();
    text_.remove_prefix(std::min(end + 1, text_.size()));
  }

  std::string_view text_;
  const CsvFormat& format_;
  bool owed_ = false;  // a delimiter was read: a field follows, if only an empty one
};

class DecodeCsvKernel final : public Kernel {
 public:
  explicit DecodeCsvKernel(CsvFormat format) : format_(std::move(format)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& records = ctx.input(0);
    const int columns = ctx.num_inputs() - 1;
    std::vector<Tensor*> out(static_cast<size_t>(columns));
    for (int i = 0; i < columns; ++i) {
      if (ctx.input(i + 1).num_elements() > 1) {
        return InvalidArgument("There should only be 1 default per field but field ", i, " has ",
                               ctx.input(i + 1).num_elements());
      }
      HR_ASSIGN_OR_RETURN(out[i], ctx.Output(i, records.shape()));
    }
    for (int64_t i = 0; i < records.num_elements(); ++i) {
      HR_RETURN_IF_ERROR(ReadFields(records.data<std::string>()[i]));
      if (static_cast<int>(fields_.size()) != columns) {
        return InvalidArgument("Expect ", columns, " fields but have ", fields_.size(),
                               " in record ", i);
      }
      for (int f = 0; f < columns; ++f) HR_RETURN_IF_ERROR(Store(f, i, ctx.input(f + 1), *out[f]));
    }
    return absl::OkStatus();
  }

 private:
  Status ReadFields(std::string_view text) {
    fields_.clear();
    CsvRecord record(text, format_);
    for (int64_t column = 0;; ++column) {
      if (!format_.columns.empty() && fields_.size() == format_.columns.size()) break;
      HR_ASSIGN_OR_RETURN(std::optional<std::string> field, record.Next());
      if (!field) break;
      if (format_.columns.empty() || format_.columns[fields_.size()] == column)
        fields_.push_back(*std::move(field));
    }
    return absl::OkStatus();
  }

  Status Store(int f, int64_t record, const Tensor& otherwise, Tensor& out) const {
    const std::string& field = fields_[f];
    const bool missing = field.empty() || field == format_.missing;
    if (missing && otherwise.num_elements() == 0) {
      return InvalidArgument("Field ", f, " is required but missing in record ", record, "!");
    }
    bool valid = true;
    DispatchDType<DTypeSet{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64,
                           DType::kString}>(out.dtype(), [&]<class T>() {
      T& value = out.data<T>()[record];
      if (missing) {
        value = *otherwise.data<T>();
      } else if constexpr (std::is_same_v<T, std::string>) {
        value = field;
      } else {
        valid = TextToNumber(field, value);
      }
    });
    if (valid) return absl::OkStatus();
    return InvalidArgument("Field ", f, " in record ", record, " is not a valid ",
                           CppTypeName(out.dtype()), ": ", field);
  }

  const CsvFormat format_;
  std::vector<std::string> fields_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDecodeCSVCpu(const KernelInit& init) {
  const std::string& delimiter = init.Attr<std::string>("field_delim");
  if (delimiter.size() != 1) return InvalidArgument("field_delim should be only 1 char");
  const auto& columns = init.Attr<AttrValue::Ints>("select_cols");
  if (!columns.empty()) {
    if (static_cast<int>(columns.size()) != init.node().num_outputs())
      return InvalidArgument("select_cols should match output size");
    if (columns[0] < 0) return InvalidArgument("select_cols should be non-negative indices");
    if (std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) != columns.end())
      return InvalidArgument("select_cols should be strictly increasing indices");
  }
  return std::make_unique<DecodeCsvKernel>(CsvFormat{.delimiter = delimiter[0],
                                                     .quotes = init.Attr<bool>("use_quote_delim"),
                                                     .missing = init.Attr<std::string>("na_value"),
                                                     .columns = columns});
}

}  // namespace headrace
