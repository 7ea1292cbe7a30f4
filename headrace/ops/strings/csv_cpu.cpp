// DecodeCSV.
#include <algorithm>
#include <optional>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/io/csv_record.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/strings/parse_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

struct CsvOptions {
  CsvFormat format;
  std::string missing;
  std::vector<int64_t> columns;  // wanted, increasing; empty: all
};

class DecodeCsvKernel final : public Kernel {
 public:
  explicit DecodeCsvKernel(CsvOptions options) : options_(std::move(options)) {}

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
    CsvRecord record(text, options_.format);
    for (int64_t column = 0;; ++column) {
      if (!options_.columns.empty() && fields_.size() == options_.columns.size()) break;
      HR_ASSIGN_OR_RETURN(std::optional<std::string> field, record.Next());
      if (!field) break;
      if (options_.columns.empty() || options_.columns[fields_.size()] == column)
        fields_.push_back(*std::move(field));
    }
    return absl::OkStatus();
  }

  Status Store(int f, int64_t record, const Tensor& otherwise, Tensor& out) const {
    const std::string& field = fields_[f];
    const bool missing = field.empty() || field == options_.missing;
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

  const CsvOptions options_;
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
  return std::make_unique<DecodeCsvKernel>(CsvOptions{
      .format = {.delimiter = delimiter[0], .quotes = init.Attr<bool>("use_quote_delim")},
      .missing = init.Attr<std::string>("na_value"),
      .columns = columns});
}

}  // namespace headrace
