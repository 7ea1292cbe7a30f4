#include "headrace/device/internal/simulated_options.h"

#include <cstdlib>

#include "headrace/base/strings.h"

namespace headrace::internal {
namespace {

// `option` where it says something, else the environment variable, else `otherwise`.
StatusOr<int64_t> OptionOrVariable(int64_t option, bool stated, const char* variable, int64_t least,
                                   int64_t most, int64_t otherwise) {
  const char* text = stated ? nullptr : std::getenv(variable);
  if (!stated && (text == nullptr || *text == '\0')) return otherwise;
  const std::optional<int64_t> value = stated ? option : ParseInt(text);
  if (!value || *value < least || *value > most) {
    return InvalidArgument(stated ? "the option behind " : "", variable, " must be a number from ",
                           least, " to ", most, ", got ",
                           stated ? StrCat(option) : StrCat("'", text, "'"));
  }
  return *value;
}

}  // namespace

StatusOr<SimulatedOptions> ReadSimulatedOptions(const DeviceOptions& options) {
  constexpr int64_t kMostGpus = 64, kLeastBytes = 64 << 10, kMostBytes = int64_t{1} << 46;
  SimulatedOptions result;
  HR_ASSIGN_OR_RETURN(const int64_t count,
                      OptionOrVariable(options.simulated_gpus, options.simulated_gpus != -1,
                                       "HEADRACE_SIMULATED_GPUS", 0, kMostGpus, 0));
  result.count = static_cast<int>(count);
  HR_ASSIGN_OR_RETURN(
      result.setup.total_bytes,
      OptionOrVariable(options.simulated_gpu_bytes, options.simulated_gpu_bytes != 0,
                       "HEADRACE_SIMULATED_GPU_BYTES", kLeastBytes, kMostBytes, int64_t{1} << 30));
  result.setup.memory_fraction = options.gpu.per_process_gpu_memory_fraction;
  result.setup.memory_limit_bytes = options.gpu.memory_limit_bytes;
  result.setup.allow_growth = options.gpu.allow_growth;
  result.setup.user = options.user;
  return result;
}

}  // namespace headrace::internal
