#include "headrace/base/strings.h"
#include "headrace/ops/script/py_func.h"
#include "headrace/ops/script/py_func_kernels.h"

namespace headrace {
namespace {

class PyFuncKernel final : public Kernel {
 public:
  explicit PyFuncKernel(std::string token) : token_(std::move(token)) {}

  Status Compute(KernelContext& ctx) override {
    const std::shared_ptr<const HostFunction> function = HostFunctions::Global().Find(token_);
    if (function == nullptr) {
      return InvalidArgument("callback ", token_,
                             " is not found: the program that made this graph must register it in this process, too");
    }
    std::vector<Tensor> in, out;
    // Copies where the bytes belong to the step's arena: the function may keep what it gets.
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& input = ctx.input(i);
      in.push_back(input.owns_buffer() ? input : input.Clone());
    }
    HR_RETURN_IF_ERROR((*function)(in, out));
    const int wanted = ctx.node().num_outputs();
    if (static_cast<int>(out.size()) != wanted) {
      return InvalidArgument(token_, " returns ", out.size(), " values, but expects to see ", wanted, " values.");
    }
    for (int i = 0; i < wanted; ++i) {
      Tensor& tensor = out[static_cast<size_t>(i)];
      if (tensor.dtype() != ctx.output_type(i)) {
        return InvalidArgument(i, "-th value returned by ", token_, " is ", DTypeName(tensor.dtype()), ", but expects ",
                               DTypeName(ctx.output_type(i)));
      }
      ctx.SetOutput(i, std::move(tensor));
    }
    return absl::OkStatus();
  }

 private:
  const std::string token_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakePyFuncCpu(const KernelInit& init) {
  return std::make_unique<PyFuncKernel>(init.Attr<std::string>("token"));
}

}  // namespace headrace
