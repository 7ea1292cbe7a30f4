#include <zlib.h>

#include "headrace/base/strings.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/strings/encode_kernels.h"
#include "headrace/ops/strings/map_strings.h"

namespace headrace {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

template <bool kPad>
Status EncodeBase64Text(KernelContext& ctx) {
  return MapStrings<std::string>(ctx, [](const std::string& bytes, std::string& text) {
    text.clear();
    uint32_t bits = 0;
    int have = 0;
    for (char byte : bytes) {
      bits = bits << 8 | static_cast<unsigned char>(byte);
      for (have += 8; have >= 6; have -= 6) text += kLetters[bits >> (have - 6) & 63];
    }
    if (have > 0) text += kLetters[bits << (6 - have) & 63];
    while (kPad && text.size() % 4 != 0) text += '=';
  });
}

Status DecodeBase64Text(KernelContext& ctx) {
  return TryMapStrings<std::string>(ctx, [](std::string_view text, std::string& bytes) -> Status {
    if (text.size() % 4 == 1) return InvalidArgument("Base64 string length cannot be 1 modulo 4.");
    // Padding fills up the last four letters, and needs not be there.
    if (text.size() % 4 == 0) {
      for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    }
    bytes.clear();
    uint32_t bits = 0;
    int have = 0;
    for (char letter : text) {
      const size_t value = kLetters.find(letter);
      if (value == std::string_view::npos)
        return InvalidArgument("Invalid character found in base64.");
      bits = bits << 6 | static_cast<uint32_t>(value);
      have += 6;
      if (have >= 8) bytes += static_cast<char>(bits >> (have -= 8));
    }
    return absl::OkStatus();
  });
}

Status Same(KernelContext& ctx) {
  return MapStrings<std::string>(ctx,
                                 [](const std::string& bytes, std::string& out) { out = bytes; });
}

// Ends an inflate stream whatever happens.
class Inflater {
 public:
  explicit Inflater(int window_bits) : started_(inflateInit2(&stream_, window_bits) == Z_OK) {}
  ~Inflater() {
    if (started_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // What has come until the bytes end: a stream that was cut off gives its beginning, as in
  // TensorFlow.
  Status Run(const std::string& bytes, std::string& out) {
    if (!started_) return absl::ResourceExhaustedError("no memory to decompress");
    out.clear();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    char part[16384];
    for (int result = Z_OK; result != Z_STREAM_END;) {
      stream_.next_out = reinterpret_cast<Bytef*>(part);
      stream_.avail_out = sizeof(part);
      result = inflate(&stream_, Z_NO_FLUSH);
      out.append(part, sizeof(part) - stream_.avail_out);
      if (result == Z_BUF_ERROR ||
          (result == Z_OK && stream_.avail_in == 0 && stream_.avail_out > 0))
        break;
      if (result != Z_OK && result != Z_STREAM_END) {
        return DataLoss("inflate() failed with error ", result, stream_.msg == nullptr ? "" : ": ",
                        stream_.msg == nullptr ? "" : stream_.msg);
      }
    }
    return absl::OkStatus();
  }

 private:
  z_stream stream_ = {};
  const bool started_;
};

template <int kWindowBits>
Status Decompress(KernelContext& ctx) {
  return TryMapStrings<std::string>(ctx, [](const std::string& bytes, std::string& out) -> Status {
    if (bytes.size() > UINT32_MAX) return InvalidArgument("more than 4 GiB of compressed bytes");
    return Inflater(kWindowBits).Run(bytes, out);
  });
}

Status Serialize(KernelContext& ctx) {
  proto::TensorProto message;
  HR_RETURN_IF_ERROR(TensorToProto(ctx.input(0), &message, TensorEncoding::kBytes));
  HR_ASSIGN_OR_RETURN(std::string bytes, SerializeBinary(message));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<std::string>() = std::move(bytes);
  return absl::OkStatus();
}

Status Parse(KernelContext& ctx) {
  const Tensor& serialized = ctx.input(0);
  if (serialized.rank() != 0) {
    return InvalidArgument("Expected `serialized` to be a scalar, got shape: ",
                           serialized.shape().ToString());
  }
  const std::string& bytes = serialized.scalar<std::string>();
  proto::TensorProto message;
  if (!ParseBinary(bytes, "serialized", &message).ok()) {
    return InvalidArgument("Could not parse `serialized` as TensorProto: '", EscapeC(bytes), "'");
  }
  StatusOr<Tensor> tensor = TensorFromProto(message, {.allocator = &ctx.allocator()});
  if (!tensor.ok()) return Annotate(tensor.status(), StrCat("Cannot parse tensor from proto: "));
  if (tensor->dtype() != ctx.output_type(0)) {
    return InvalidArgument("Type mismatch between parsed tensor (", CppTypeName(tensor->dtype()),
                           ") and dtype (", CppTypeName(ctx.output_type(0)), ")");
  }
  ctx.SetOutput(0, *std::move(tensor));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeEncodeBase64Cpu(const KernelInit& init) {
  return init.Attr<bool>("pad") ? MakeFunctionKernel<EncodeBase64Text<true>>(init)
                                : MakeFunctionKernel<EncodeBase64Text<false>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodeBase64Cpu(const KernelInit& init) {
  return MakeFunctionKernel<DecodeBase64Text>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodeCompressedCpu(const KernelInit& init) {
  const std::string& type = init.Attr<std::string>("compression_type");
  if (type.empty()) return MakeFunctionKernel<Same>(init);
  if (type == "ZLIB") return MakeFunctionKernel<Decompress<MAX_WBITS>>(init);
  if (type == "GZIP") return MakeFunctionKernel<Decompress<MAX_WBITS + 16>>(init);
  return InvalidArgument("Only ZLIB, GZIP or NONE are supported compressions");
}
StatusOr<std::unique_ptr<Kernel>> MakeSerializeTensorCpu(const KernelInit& init) {
  return MakeFunctionKernel<Serialize>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeParseTensorCpu(const KernelInit& init) {
  return MakeFunctionKernel<Parse>(init);
}

}  // namespace headrace
