// Tables out of text files.
#include "headrace/base/strings.h"
#include "headrace/io/text_file.h"
#include "headrace/ops/data/lookup_table.h"
#include "headrace/ops/data/table_rows.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/strings/parse_kernels.h"

namespace headrace {
namespace {

// A column of the file, as elements of one dtype.
class Column {
 public:
  Column(DType type, int64_t index) : index_(index), rows_(type, Shape()), cell_(type, Shape()) {}

  Status Add(std::string_view line, const std::vector<std::string_view>& fields, int64_t number) {
    if (index_ == TextTableSource::kLineNumber) return SetNumber(number);
    const std::string_view text =
        index_ == TextTableSource::kWholeLine ? line : fields[static_cast<size_t>(index_)];
    if (!SetText(text))
      return InvalidArgument("Field ", text, " in line ", number, " is not a valid ",
                             CppTypeName(cell_.dtype()), ".");
    rows_.Append(cell_, 0);
    return absl::OkStatus();
  }
  Tensor All() const { return rows_.All(); }

 private:
  Status SetNumber(int64_t number) {
    if (cell_.dtype() != DType::kInt64)
      return InvalidArgument("the number of a line is an int64, the table takes ",
                             CppTypeName(cell_.dtype()));
    *cell_.data<int64_t>() = number;
    rows_.Append(cell_, 0);
    return absl::OkStatus();
  }
  bool SetText(std::string_view text) {
    switch (cell_.dtype()) {
      case DType::kString:
        cell_.data<std::string>()->assign(text);
        return true;
      case DType::kInt32:
        return TextToNumber(text, *cell_.data<int32_t>());
      case DType::kInt64:
        return TextToNumber(text, *cell_.data<int64_t>());
      case DType::kFloat32:
        return TextToNumber(text, *cell_.data<float>());
      case DType::kFloat64:
        return TextToNumber(text, *cell_.data<double>());
      default:
        return false;
    }
  }

  const int64_t index_;
  TableRows rows_;
  Tensor cell_;
};

}  // namespace

Status FillFromText(LookupTable& table, const TextTableSource& source) {
  if (table.types().value_shape.rank() > 0 || table.types().key_shape.rank() > 0)
    return InvalidArgument("a file fills tables of single keys and values only");
  HR_ASSIGN_OR_RETURN(auto lines, LineReader::Open(source.path, {}));
  Column keys(table.types().key_type, source.key_index),
      values(table.types().value_type, source.value_index);
  const int64_t last = std::max(source.key_index, source.value_index);
  int64_t number = 0;
  for (; source.lines < 0 || number < source.lines; ++number) {
    std::string_view line;
    HR_ASSIGN_OR_RETURN(const bool more, lines->Next(&line));
    if (!more) break;
    std::vector<std::string_view> fields;
    if (last >= 0) {
      fields = StrSplit(line, source.delimiter);
      if (static_cast<int64_t>(fields.size()) <= last)
        return InvalidArgument("Invalid number of columns in ", source.path, " line ", number, " (",
                               line, ") : expected ", last, " got ", fields.size());
    }
    HR_RETURN_IF_ERROR(keys.Add(line, fields, number));
    HR_RETURN_IF_ERROR(values.Add(line, fields, number));
  }
  if (source.lines >= 0 && number < source.lines)
    return InvalidArgument("Invalid vocab_size in ", source.path, ": expected ", source.lines,
                           " but got ", number);
  return table.Import(keys.All(), values.All());
}

}  // namespace headrace
