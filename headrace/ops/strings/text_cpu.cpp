#include <cstdio>

#include "headrace/base/strings.h"
#include "headrace/ops/array/check_kernels.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/strings/map_strings.h"
#include "headrace/ops/strings/text_kernels.h"
#include "headrace/ops/strings/unicode_letters.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// How one number is written; the parts of a printf format, which is put together here and nowhere
// else.
struct NumberFormat {
  std::string flags;  // of " +-0#"
  int width = 0, precision = -1;
  char letter = 'f';

  template <class T>
  std::string Text(T value) const {
    std::string format = StrCat("%", flags, "*");
    if constexpr (std::is_integral_v<T>) {
      return Print(StrCat(format, "lld"), width, static_cast<long long>(value));  // NOLINT
    } else {
      StrAppend(&format, ".*", std::string(1, letter));
      return Print(format, width, precision, static_cast<double>(value));
    }
  }

 private:
  template <class... A>
  static std::string Print(const std::string& format, A... arguments) {
    const int size = std::snprintf(nullptr, 0, format.c_str(), arguments...);
    std::string text(static_cast<size_t>(size), '\0');
    std::snprintf(text.data(), text.size() + 1, format.c_str(), arguments...);
    return text;
  }
};

class AsStringKernel final : public Kernel {
 public:
  explicit AsStringKernel(NumberFormat format) : format_(std::move(format)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
    std::string* text = out->data<std::string>();
    DispatchDType<kNumberTypes | DTypeSet(DType::kBool)>(in.dtype(), [&]<class T>() {
      const T* x = in.data<T>();
      ctx.workers().ParallelFor(in.num_elements(), 200.0, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if constexpr (std::is_same_v<T, bool>) {
            text[i] = x[i] ? "true" : "false";
          } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                               std::is_same_v<T, std::complex<double>>) {
            text[i] = StrCat("(", format_.Text(x[i].real()), ",", format_.Text(x[i].imag()), ")");
          } else {
            text[i] = format_.Text(x[i]);
          }
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const NumberFormat format_;
};

bool StartsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

int64_t CountCharacters(const std::string& text) {
  int64_t count = 0;
  for (char byte : text) count += StartsCharacter(byte) ? 1 : 0;
  return count;
}

Status ByteLength(KernelContext& ctx) {
  return MapStrings<int32_t>(ctx, [](const std::string& text, int32_t& length) {
    length = static_cast<int32_t>(text.size());
  });
}
Status CharacterLength(KernelContext& ctx) {
  return MapStrings<int32_t>(ctx, [](const std::string& text, int32_t& length) {
    length = static_cast<int32_t>(CountCharacters(text));
  });
}

class SubstrKernel final : public Kernel {
 public:
  explicit SubstrKernel(bool characters) : characters_(characters) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &text = ctx.input(0), &position = ctx.input(1), &length = ctx.input(2);
    if (position.shape() != length.shape()) {
      return InvalidArgument("pos and len should have the same shape, got: ",
                             position.shape().ToString(), " vs. ", length.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(text.shape(), position.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const auto strides = RowMajorStrides(shape), text_strides = RowMajorStrides(text.shape()),
               part_strides = RowMajorStrides(position.shape());
    for (int64_t i = 0; i < out->num_elements(); ++i) {
      int64_t from = 0, part = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        const int64_t at = i / strides[d] % shape.dim(d);
        const int t = d - (shape.rank() - text.rank()), p = d - (shape.rank() - position.rank());
        if (t >= 0 && text.dim(t) != 1) from += at * text_strides[t];
        if (p >= 0 && position.dim(p) != 1) part += at * part_strides[p];
      }
      const std::string& whole = text.data<std::string>()[from];
      const int64_t begin = IntAt(position, part), count = IntAt(length, part);
      std::string& result = out->data<std::string>()[i];
      if (!(characters_ ? Characters(whole, begin, count, result)
                        : Bytes(whole, begin, count, result))) {
        return InvalidArgument("pos ", begin, " out of range for string",
                               characters_ ? std::string() : StrCat(" b'", whole, "'"),
                               " at index ", i);
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool Bytes(const std::string& whole, int64_t begin, int64_t count, std::string& result) {
    const auto size = static_cast<int64_t>(whole.size());
    if (begin < 0) begin += size;
    if (begin < 0 || begin > size) return false;
    result = whole.substr(static_cast<size_t>(begin),
                          count < 0 ? std::string::npos : static_cast<size_t>(count));
    return true;
  }

  static bool Characters(const std::string& whole, int64_t begin, int64_t count,
                         std::string& result) {
    const int64_t size = CountCharacters(whole);
    if (begin < 0) begin += size;
    if (begin < 0 || begin > size) return false;
    const size_t first = Offset(whole, 0, begin);
    result = whole.substr(first, Offset(whole, first, std::max<int64_t>(count, 0)) - first);
    return true;
  }

  // Where the character stands that comes `count` after the one at `from`.
  static size_t Offset(const std::string& whole, size_t from, int64_t count) {
    for (; count > 0 && from < whole.size(); --count) {
      do ++from;
      while (from < whole.size() && !StartsCharacter(whole[from]));
    }
    return from;
  }

  const bool characters_;
};

Status LowerUtf8(KernelContext& ctx) {
  return MapStrings<std::string>(
      ctx, [](const std::string& text, std::string& out) { out = LowerOfUtf8(text); });
}
Status UpperUtf8(KernelContext& ctx) {
  return MapStrings<std::string>(
      ctx, [](const std::string& text, std::string& out) { out = UpperOfUtf8(text); });
}
Status Lower(KernelContext& ctx) {
  return MapStrings<std::string>(
      ctx, [](const std::string& text, std::string& out) { out = ToLower(text); });
}
Status Upper(KernelContext& ctx) {
  return MapStrings<std::string>(
      ctx, [](const std::string& text, std::string& out) { out = ToUpper(text); });
}
Status Strip(KernelContext& ctx) {
  return MapStrings<std::string>(ctx, [](const std::string& text, std::string& out) {
    constexpr std::string_view kSpace = " \t\n\v\f\r";
    const size_t begin = text.find_first_not_of(kSpace);
    out = begin == std::string::npos
              ? std::string()
              : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
  });
}

// "[[1 2 3 ... 7 8 9]\n [...]]"
class Picture {
 public:
  Picture(const Tensor& tensor, int64_t edge) : tensor_(tensor), edge_(edge) {}

  std::string Draw() {
    if (tensor_.rank() == 0) return Element(0);
    if (tensor_.num_elements() == 0)
      return tensor_.rank() == 1 || tensor_.dim(0) == 0 ? "[]" : Empty();
    Part(0, 0, tensor_.num_elements());
    return std::move(text_);
  }

 private:
  std::string Element(int64_t i) const {
    const std::string text = ElementText(tensor_, i);
    return tensor_.dtype() == DType::kString ? StrCat("\"", text, "\"") : text;
  }

  std::string Empty() {
    Part(0, 0, 0);
    return std::move(text_);
  }

  // `size` elements from `begin` on: all that is below one place of the dimensions before `d`.
  void Part(int d, int64_t begin, int64_t size) {
    if (d == tensor_.rank()) {
      text_ += Element(begin);
      return;
    }
    const int64_t count = tensor_.dim(d), step = count == 0 ? 0 : size / count;
    const bool last = d == tensor_.rank() - 1, all = edge_ < 0 || count <= 2 * edge_;
    text_ += '[';
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) Separate(d, last);
      if (!all && i == edge_) {
        text_ += "...";
        i = count - edge_ - 1;
        continue;
      }
      Part(d + 1, begin + i * step, step);
    }
    text_ += ']';
  }

  void Separate(int d, bool last) {
    if (last) {
      text_ += ' ';
    } else {
      text_.append(static_cast<size_t>(tensor_.rank() - d - 1), '\n');
      text_.append(static_cast<size_t>(d + 1), ' ');
    }
  }

  const Tensor& tensor_;
  const int64_t edge_;
  std::string text_;
};

class StringFormatKernel final : public Kernel {
 public:
  StringFormatKernel(std::string text, std::string placeholder, int64_t summarize)
      : text_(std::move(text)), placeholder_(std::move(placeholder)), summarize_(summarize) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckPlaceholders(ctx.node()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
    std::string& result = *out->data<std::string>();
    result.clear();
    size_t at = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const size_t place = text_.find(placeholder_, at);
      StrAppend(&result, text_.substr(at, place - at), Picture(ctx.input(i), summarize_).Draw());
      at = place + placeholder_.size();
    }
    result += text_.substr(at);
    return absl::OkStatus();
  }

 private:
  const std::string text_, placeholder_;
  const int64_t summarize_;
};

// Of bytes, or with `encoding` "utf-8" of characters.
template <Status (*kOfBytes)(KernelContext&), Status (*kOfCharacters)(KernelContext&)>
StatusOr<std::unique_ptr<Kernel>> MakeCaseKernel(const KernelInit& init) {
  const std::string& encoding = init.Attr<std::string>("encoding");
  if (encoding.empty()) return MakeFunctionKernel<kOfBytes>(init);
  if (encoding == "utf-8") return MakeFunctionKernel<kOfCharacters>(init);
  return InvalidArgument("only utf-8 or '' (no encoding) is supported, received ", encoding);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeAsStringCpu(const KernelInit& init) {
  const DType type = init.input_type(0);
  const bool scientific = init.Attr<bool>("scientific"), shortest = init.Attr<bool>("shortest");
  const int64_t precision = init.Attr<int64_t>("precision"), width = init.Attr<int64_t>("width");
  const std::string& fill = init.Attr<std::string>("fill");
  constexpr int64_t kMost = 1 << 20;  // a wider one is a mistake
  if (!IsFloating(type) && !IsComplex(type)) {
    if (scientific || shortest) {
      return InvalidArgument("scientific and shortest format not supported for datatype ",
                             CppTypeName(type));
    }
    if (precision >= 0)
      return InvalidArgument("precision not supported for datatype ", CppTypeName(type));
  }
  if (fill.size() > 1) return InvalidArgument("Fill string must be one or fewer characters");
  if (!fill.empty() && std::string_view(" +-0").find(fill[0]) == std::string_view::npos)
    return InvalidArgument("Fill argument not supported: \"", fill, "\"");
  if (scientific && shortest)
    return InvalidArgument("Cannot select both scientific and shortest notation");
  if (width > kMost || precision > kMost)
    return InvalidArgument("width and precision may be at most ", kMost);
  NumberFormat format;
  if (width > -1) format.flags = fill;
  format.width = static_cast<int>(std::max<int64_t>(width, 0));
  format.precision = static_cast<int>(std::max<int64_t>(precision, -1));
  format.letter = scientific ? 'e' : shortest ? 'g' : 'f';
  return std::make_unique<AsStringKernel>(std::move(format));
}
StatusOr<std::unique_ptr<Kernel>> MakeStringLengthCpu(const KernelInit& init) {
  return init.Attr<std::string>("unit") == "BYTE" ? MakeFunctionKernel<ByteLength>(init)
                                                  : MakeFunctionKernel<CharacterLength>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSubstrCpu(const KernelInit& init) {
  return std::make_unique<SubstrKernel>(init.Attr<std::string>("unit") == "UTF8_CHAR");
}
StatusOr<std::unique_ptr<Kernel>> MakeStringLowerCpu(const KernelInit& init) {
  return MakeCaseKernel<Lower, LowerUtf8>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeStringUpperCpu(const KernelInit& init) {
  return MakeCaseKernel<Upper, UpperUtf8>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeStringStripCpu(const KernelInit& init) {
  return MakeFunctionKernel<Strip>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeStringFormatCpu(const KernelInit& init) {
  return std::make_unique<StringFormatKernel>(init.Attr<std::string>("template"),
                                              init.Attr<std::string>("placeholder"),
                                              init.Attr<int64_t>("summarize"));
}

}  // namespace headrace
