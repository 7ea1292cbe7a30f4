#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/tensor/dispatch.h"
#include "tools/commands/commands.h"
#include "tools/commands/table.h"

namespace headrace::tools {
namespace {

struct Options {
  std::string first, second, name;
  int most = 20;
};

Status List(const Options& options) {
  HR_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(options.first));
  Table table({"variable", "dtype", "shape", "bytes"});
  table.AlignRight(3);
  int64_t bytes = 0;
  for (const CheckpointVariable& variable : reader->variables()) {
    table.Add({variable.name, DTypeName(variable.dtype), variable.shape.ToString(), StrCat(variable.size_bytes)});
    bytes += variable.size_bytes;
  }
  std::fputs(table.ToString().c_str(), stdout);
  std::printf("%zu variables, %s\n", table.rows(), HumanBytes(bytes).c_str());
  return reader->CheckFiles();
}

Status Print(const Options& options) {
  HR_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(options.first));
  HR_ASSIGN_OR_RETURN(const Tensor value, reader->Read(options.name));
  std::printf("%s: %s\n", options.name.c_str(), value.ToString(options.most).c_str());
  return absl::OkStatus();
}

// The largest difference of two elements; NaN against NaN is none.
double LargestDifference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  DispatchDType<kRealTypes | DTypeSet(DType::kBool)>(a.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      const double x = static_cast<double>(a.data<T>()[i]), y = static_cast<double>(b.data<T>()[i]);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      largest = std::isnan(x - y) ? INFINITY : std::max(largest, std::abs(x - y));
    }
  });
  return largest;
}

bool EqualBytes(const Tensor& a, const Tensor& b) {
  if (a.dtype() != DType::kString) return a.size_bytes() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0;
  return std::ranges::equal(a.flat<std::string>(), b.flat<std::string>());
}

StatusOr<int> Diff(const Options& options) {
  HR_ASSIGN_OR_RETURN(const auto first, BundleReader::Open(options.first));
  HR_ASSIGN_OR_RETURN(const auto second, BundleReader::Open(options.second));
  Table table({"variable", "difference"});
  size_t equal = 0;
  for (const CheckpointVariable& a : first->variables()) {
    const CheckpointVariable* b = second->Find(a.name);
    if (b == nullptr) {
      table.Add({a.name, "only in the first"});
    } else if (a.dtype != b->dtype || !(a.shape == b->shape)) {
      table.Add({a.name, StrCat(DTypeName(a.dtype), " ", a.shape.ToString(), " against ", DTypeName(b->dtype), " ",
                                b->shape.ToString())});
    } else {
      HR_ASSIGN_OR_RETURN(const Tensor x, first->Read(a.name));
      HR_ASSIGN_OR_RETURN(const Tensor y, second->Read(a.name));
      if (EqualBytes(x, y)) {
        ++equal;
      } else {
        table.Add({a.name, kRealTypes.Contains(a.dtype) ? StrCat("up to ", LargestDifference(x, y)) : "other values"});
      }
    }
  }
  for (const CheckpointVariable& b : second->variables()) {
    if (first->Find(b.name) == nullptr) table.Add({b.name, "only in the second"});
  }
  if (table.rows() > 0) std::fputs(table.ToString().c_str(), stdout);
  std::printf("%zu variables are equal, %zu differ\n", equal, table.rows());
  return table.rows() == 0 ? 0 : 2;
}

}  // namespace

void AddCheckpointCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("ckpt", "Look into checkpoints: ls, cat, diff");
  command->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* list = command->add_subcommand("ls", "Variables with dtype, shape and size");
  list->add_option("PREFIX", options->first, "Such as logs/model.ckpt-1000")->required();
  list->callback([options, &exit_code] { exit_code = Report(List(*options)); });
  CLI::App* cat = command->add_subcommand("cat", "The values of one variable");
  cat->add_option("PREFIX", options->first, "Such as logs/model.ckpt-1000")->required();
  cat->add_option("NAME", options->name, "A variable, as ls prints it")->required();
  cat->add_option("--most", options->most, "Elements to print")->check(CLI::Range(1, 1 << 30))->capture_default_str();
  cat->callback([options, &exit_code] { exit_code = Report(Print(*options)); });
  CLI::App* diff = command->add_subcommand("diff", "What differs between two checkpoints; exit code 2 if anything does");
  diff->add_option("FIRST", options->first, "PREFIX of one checkpoint")->required();
  diff->add_option("SECOND", options->second, "PREFIX of the other")->required();
  diff->callback([options, &exit_code] {
    const StatusOr<int> code = Diff(*options);
    exit_code = code.ok() ? *code : Report(code.status());
  });
}

}  // namespace headrace::tools
