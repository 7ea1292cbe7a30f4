#include "headrace/base/strings.h"
#include "headrace/ops/data/lookup_kernels.h"
#include "headrace/ops/data/lookup_table.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

// ---------------------------------------------------------------- tables

TableTypes TypesOf(const KernelInit& init) {
  return {.key_type = init.Attr<DType>("key_dtype"), .value_type = init.Attr<DType>("value_dtype")};
}

// A node that shares a table must describe the one that is there.
Status CheckSame(const TableTypes& there, const TableTypes& asked) {
  if (there.key_type == asked.key_type && there.value_type == asked.value_type &&
      there.value_shape == asked.value_shape) {
    return absl::OkStatus();
  }
  return InvalidArgument("Conflicting key/value dtypes ", CppTypeName(asked.key_type), "->",
                         CppTypeName(asked.value_type), asked.value_shape.ToString(), " with ",
                         CppTypeName(there.key_type), "->", CppTypeName(there.value_type),
                         there.value_shape.ToString(), " for the table of this name");
}

template <class Make>
StatusOr<std::unique_ptr<Kernel>> TableKernel(const KernelInit& init, const TableTypes& types,
                                              Make make) {
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<LookupTable> table,
      FindOrMake<LookupTable>(init, [&](std::string) -> StatusOr<std::shared_ptr<LookupTable>> {
        return make(types);
      }));
  HR_RETURN_IF_ERROR(CheckSame(table->types(), types));
  return MakeHandleKernel(init, std::move(table));
}

StatusOr<Shape> ValueShapeOf(const KernelInit& init) {
  const PartialShape shape = init.attrs().GetOr<PartialShape>("value_shape", PartialShape(Shape()));
  if (shape.is_fully_known()) return shape.ToShape();
  return InvalidArgument("value_shape must be fully known, got ", shape.ToString());
}

// Its keys come with the step.
class DenseTableKernel final : public Kernel {
 public:
  DenseTableKernel(const KernelInit& init, TableTypes types)
      : init_(init), types_(std::move(types)) {}

  Status Compute(KernelContext& ctx) override {
    if (handle_ == nullptr) {
      const DenseTableOptions options{.empty_key = ctx.input(0),
                                      .deleted_key = ctx.num_inputs() > 1 ? ctx.input(1) : Tensor(),
                                      .buckets = init_.Attr<int64_t>("initial_num_buckets"),
                                      .max_load_factor = init_.Attr<float>("max_load_factor")};
      HR_ASSIGN_OR_RETURN(handle_, TableKernel(init_, types_, [&](const TableTypes& types) {
                            return MakeDenseTable(types, options);
                          }));
    }
    return handle_->Compute(ctx);
  }

 private:
  const KernelInit init_;
  const TableTypes types_;
  std::unique_ptr<Kernel> handle_;
};

// ---------------------------------------------------------------- what uses them

// The table behind input 0, which takes the dtypes of the node's other inputs and outputs.
StatusOr<std::shared_ptr<LookupTable>> TableInput(
    KernelContext& ctx, std::initializer_list<bool> inputs_are_keys = {},
    std::initializer_list<bool> outputs_are_keys = {}) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<LookupTable> table,
                      ResourceInput<LookupTable>(ctx, 0, "a lookup table"));
  const TableTypes& types = table->types();
  std::vector<std::string> have{DTypeName(ctx.node().input_type(0))}, expected = have;
  std::vector<std::string> gives, should_give;
  const auto type_of = [&](bool is_key) {
    return CppTypeName(is_key ? types.key_type : types.value_type);
  };
  int i = 1;
  for (const bool is_key : inputs_are_keys) {
    have.push_back(CppTypeName(ctx.input(i++).dtype()));
    expected.push_back(type_of(is_key));
  }
  i = 0;
  for (const bool is_key : outputs_are_keys) {
    gives.push_back(CppTypeName(ctx.output_type(i++)));
    should_give.push_back(type_of(is_key));
  }
  if (have == expected && gives == should_give) return table;
  return InvalidArgument("Signature mismatch, have: ", StrJoin(have, ", "), "->",
                         StrJoin(gives, ", "), " expected: ", StrJoin(expected, ", "), "->",
                         StrJoin(should_give, ", "));
}

Status Find(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx, {true, false}, {false}));
  const Tensor &keys = ctx.input(1), &default_value = ctx.input(2);
  const Shape& wanted = table->types().value_shape;
  if (default_value.shape() != wanted)
    return InvalidArgument("Expected shape ", wanted.ToString(), " for default value, got ",
                           default_value.shape().ToString());
  HR_ASSIGN_OR_RETURN(const Shape shape, table->ValuesShape(keys.shape()));
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(0, shape));
  return table->Find(keys, default_value, *values);
}

Status Insert(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx, {true, false}));
  HR_RETURN_IF_ERROR(table->CheckValues(ctx.input(1).shape(), ctx.input(2).shape()));
  return table->Insert(ctx.input(1), ctx.input(2));
}

// What a dense table of scalars exports has a dimension more.
Tensor WithoutColumn(const Tensor& x, const Shape& element) {
  return element.rank() == 0 && x.rank() == 2 && x.dim(1) == 1 ? x.Reshaped({x.dim(0)}) : x;
}

Status Import(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx, {true, false}));
  const Tensor keys = WithoutColumn(ctx.input(1), table->types().key_shape);
  const Tensor values = WithoutColumn(ctx.input(2), table->types().value_shape);
  HR_RETURN_IF_ERROR(table->CheckValues(keys.shape(), values.shape()));
  return table->Import(keys, values);
}

Status Remove(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx, {true}));
  HR_RETURN_IF_ERROR(table->ValuesShape(ctx.input(1).shape()).status());
  return table->Remove(ctx.input(1));
}

Status Size(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int64_t>() = table->size();
  return absl::OkStatus();
}

Status Export(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx, {}, {true, false}));
  auto [keys, values] = table->Export();
  ctx.SetOutput(0, std::move(keys));
  ctx.SetOutput(1, std::move(values));
  return absl::OkStatus();
}

class FromTextFileKernel final : public Kernel {
 public:
  explicit FromTextFileKernel(TextTableSource source) : source_(std::move(source)) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const auto table, TableInput(ctx));
    if (ctx.input(1).num_elements() != 1)
      return InvalidArgument("filename should be a single string, but got ",
                             ctx.input(1).shape().ToString());
    TextTableSource source = source_;
    source.path = *ctx.input(1).data<std::string>();
    if (source.path.empty()) return InvalidArgument("filename cannot be empty.");
    return FillFromText(*table, source);
  }

 private:
  const TextTableSource source_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeHashTableCpu(const KernelInit& init) {
  return TableKernel(init, TypesOf(init), MakeStaticTable);
}
StatusOr<std::unique_ptr<Kernel>> MakeMutableHashTableCpu(const KernelInit& init) {
  TableTypes types = TypesOf(init);
  HR_ASSIGN_OR_RETURN(types.value_shape, ValueShapeOf(init));
  return TableKernel(init, types, MakeMutableTable);
}
StatusOr<std::unique_ptr<Kernel>> MakeDenseHashTableCpu(const KernelInit& init) {
  TableTypes types = TypesOf(init);
  HR_ASSIGN_OR_RETURN(types.value_shape, ValueShapeOf(init));
  return std::make_unique<DenseTableKernel>(init, std::move(types));
}
StatusOr<std::unique_ptr<Kernel>> MakeInitializeTableFromTextFileCpu(const KernelInit& init) {
  const std::string& delimiter = init.Attr<std::string>("delimiter");
  if (delimiter.size() != 1) return InvalidArgument("delimiter should be only 1 char");
  const int64_t lines = init.Attr<int64_t>("vocab_size");
  if (lines == 0) return InvalidArgument("vocab_size must be -1 or above 0, got 0");
  return std::make_unique<FromTextFileKernel>(
      TextTableSource{.key_index = init.Attr<int64_t>("key_index"),
                      .value_index = init.Attr<int64_t>("value_index"),
                      .lines = lines,
                      .delimiter = delimiter[0]});
}
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableFindCpu(const KernelInit& init) {
  return MakeFunctionKernel<Find>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableInsertCpu(const KernelInit& init) {
  return MakeFunctionKernel<Insert>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableImportCpu(const KernelInit& init) {
  return MakeFunctionKernel<Import>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableRemoveCpu(const KernelInit& init) {
  return MakeFunctionKernel<Remove>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableSizeCpu(const KernelInit& init) {
  return MakeFunctionKernel<Size>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableExportCpu(const KernelInit& init) {
  return MakeFunctionKernel<Export>(init);
}

}  // namespace headrace
