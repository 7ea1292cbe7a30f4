#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/strings/map_strings.h"
#include "headrace/ops/strings/parse_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

std::string_view WithoutSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

template <class T>
bool TextToFloating(std::string_view text, T& number) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const char* end = text.data() + text.size();
  const std::string lower = text.size() == 3 ? ToLower(text) : std::string();
  if (lower == "inf") {
    number = std::numeric_limits<T>::infinity();
  } else if (lower == "nan") {
    number = std::numeric_limits<T>::quiet_NaN();
  } else if (text.starts_with("0x") || text.starts_with("0X")) {
    uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
    if (error != std::errc() || stop != end) return false;
    number = static_cast<T>(value);
  } else {
    // from_chars takes words and a second sign, which are no numbers here.
    if (text.empty() || !(text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return false;
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (stop != end) return false;
    if (error == std::errc::result_out_of_range) {
      number = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
    } else if (error != std::errc()) {
      return false;
    }
  }
  if (negative) number = -number;
  return true;
}

class StringToNumberKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    Status status;
    DispatchDType<DTypeSet{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64}>(
        ctx.output_type(0), [&]<class T>() {
          status = TryMapStrings<T>(ctx, [](const std::string& text, T& number) -> Status {
            if (TextToNumber(text, number)) return absl::OkStatus();
            return InvalidArgument("StringToNumberOp could not correctly convert string: ", text);
          });
        });
    return status;
  }
};

// From the other order of bytes. Elements are turned round as a whole, as in TensorFlow: the parts of
// complex ones change places.
void TurnRound(Tensor& x) {
  const size_t element = SizeOf(x.dtype());
  char* at = static_cast<char*>(x.raw_data());
  for (int64_t i = 0; i < x.num_elements(); ++i, at += element) std::reverse(at, at + element);
}

class DecodeRawKernel final : public Kernel {
 public:
  explicit DecodeRawKernel(bool little_endian) : little_endian_(little_endian) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    const std::string* bytes = in.data<std::string>();
    const size_t element = SizeOf(ctx.output_type(0));
    const size_t size = in.num_elements() == 0 ? 0 : bytes[0].size();
    for (int64_t i = 1; i < in.num_elements(); ++i) {
      if (bytes[i].size() == size) continue;
      return InvalidArgument(
          "DecodeRaw requires input strings to all be the same size, but element ", i, " has size ",
          size, " != ", bytes[i].size());
    }
    if (size % element != 0) {
      return InvalidArgument("Input to DecodeRaw has length ", size, " that is not a multiple of ",
                             element, ", the size of ", CppTypeName(ctx.output_type(0)));
    }
    if (in.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    Shape shape = in.shape();
    shape.Append(static_cast<int64_t>(size / element));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    char* to = static_cast<char*>(out->raw_data());
    for (int64_t i = 0; i < in.num_elements() && size > 0; ++i, to += size)
      std::memcpy(to, bytes[i].data(), size);
    if (!little_endian_) TurnRound(*out);
    if (out->dtype() == DType::kBool) {  // any other byte would be no bool
      for (bool& value : out->flat<bool>()) {
        unsigned char byte = 0;
        std::memcpy(&byte, &value, 1);
        value = byte != 0;
      }
    }
    return absl::OkStatus();
  }

 private:
  const bool little_endian_;
};

// The first `fixed_length` bytes of each text, with zeros behind shorter ones.
class DecodePaddedRawKernel final : public Kernel {
 public:
  explicit DecodePaddedRawKernel(bool little_endian) : little_endian_(little_endian) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &in = ctx.input(0), &length = ctx.input(1);
    if (length.num_elements() != 1)
      return InvalidArgument("k must be scalar, got shape ", length.shape().ToString());
    const auto fixed_length = *length.data<int32_t>();
    const auto element = static_cast<int32_t>(SizeOf(ctx.output_type(0)));
    if (fixed_length <= 0)
      return InvalidArgument("fixed_length (", fixed_length, ") must be greater than zero.");
    if (fixed_length % element != 0)
      return InvalidArgument("fixed_length (", fixed_length,
                             ") must be a multiple of the size of out_type (", element, ")");
    std::vector<int64_t> dims(in.shape().dims().begin(), in.shape().dims().end());
    dims.push_back(fixed_length / element);
    HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    char* to = static_cast<char*>(out->raw_data());
    const auto size = static_cast<size_t>(fixed_length);
    for (const std::string& bytes : in.flat<std::string>()) {
      const size_t copied = bytes.copy(to, size);
      std::memset(to + copied, 0, size - copied);
      to += size;
    }
    if (!little_endian_) TurnRound(*out);
    return absl::OkStatus();
  }

 private:
  const bool little_endian_;
};

}  // namespace

template <class T>
bool TextToNumber(std::string_view text, T& number) {
  text = WithoutSpace(text);
  if (text.empty()) return false;
  if constexpr (std::is_integral_v<T>) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end;
  } else {
    return TextToFloating(text, number);
  }
}
template bool TextToNumber(std::string_view, float&);
template bool TextToNumber(std::string_view, double&);
template bool TextToNumber(std::string_view, int32_t&);
template bool TextToNumber(std::string_view, int64_t&);

StatusOr<std::unique_ptr<Kernel>> MakeStringToNumberCpu(const KernelInit&) {
  return std::make_unique<StringToNumberKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodeRawCpu(const KernelInit& init) {
  return std::make_unique<DecodeRawKernel>(init.Attr<bool>("little_endian"));
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodePaddedRawCpu(const KernelInit& init) {
  return std::make_unique<DecodePaddedRawKernel>(init.Attr<bool>("little_endian"));
}

}  // namespace headrace
