#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "headrace/base/file.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/empty_kernels.h"
#include "headrace/ops/array/int_values.h"

namespace headrace {
namespace {

class EmptyKernel final : public Kernel {
 public:
  explicit EmptyKernel(Tensor zero) : zero_(std::move(zero)) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                 zero_.raw_data());
    return absl::OkStatus();
  }

 private:
  const Tensor zero_;
};

// Gives the pages back; `context` holds how many bytes there are.
struct Mapping {
  void* data;
  size_t bytes;
};
void Unmap(void* context) {
  Mapping* mapping = static_cast<Mapping*>(context);
  munmap(mapping->data, mapping->bytes);
  delete mapping;
}

StatusOr<Tensor> MapFile(const std::string& path, DType type, const Shape& shape) {
  const size_t bytes = static_cast<size_t>(shape.num_elements()) * SizeOf(type);
  if (bytes == 0) return Tensor(type, shape);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return ErrnoError(errno, "cannot open", path);
  struct stat info;
  if (fstat(file, &info) != 0 || static_cast<size_t>(info.st_size) < bytes) {
    close(file);
    return InvalidArgument("file '", path, "' has ", info.st_size, " bytes, a tensor ",
                           DTypeName(type), " ", shape.ToString(), " needs ", bytes);
  }
  void* data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  if (data == MAP_FAILED) return ErrnoError(error, "cannot map", path);
  return Tensor::Adopt(type, shape, Buffer::Wrap(data, bytes, Unmap, new Mapping{data, bytes}));
}

class ImmutableConstKernel final : public Kernel {
 public:
  ImmutableConstKernel(std::string path, DType type, const Shape& shape)
      : path_(std::move(path)), type_(type), shape_(shape) {}

  Status Compute(KernelContext& ctx) override {
    if (!value_.valid()) {
      HR_ASSIGN_OR_RETURN(value_, MapFile(path_, type_, shape_));
    }
    // A planned output has its place already: handing out the mapping would leave that place empty.
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape_));
    out->CopyElementsFrom(value_);
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  const DType type_;
  const Shape shape_;
  Tensor value_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeEmptyCpu(const KernelInit& init) {
  return std::make_unique<EmptyKernel>(ScalarTensor(0, init.output_type(0)));
}

StatusOr<std::unique_ptr<Kernel>> MakeImmutableConstCpu(const KernelInit& init) {
  const PartialShape& shape = init.Attr<PartialShape>("shape");
  if (!shape.is_fully_known())
    return InvalidArgument("attribute 'shape' must be fully known, got ", shape.ToString());
  return std::make_unique<ImmutableConstKernel>(init.Attr<std::string>("memory_region_name"),
                                                init.Attr<DType>("dtype"), shape.ToShape());
}

}  // namespace headrace
