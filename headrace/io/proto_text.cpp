#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <limits>

#include "headrace/base/strings.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

namespace pb = google::protobuf;

constexpr int kMaxDepth = 100;  // of nested messages: deeper ones could exhaust the stack
constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

// Keeps the first error: those that follow are mostly its consequences.
class FirstError final : public pb::io::ErrorCollector {
 public:
  explicit FirstError(std::string_view file) : file_(file) {}
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (!status_.ok()) return;
    const std::string where =
        line < 0 ? StrCat(file_) : StrCat(file_, ":", line + 1, ":", static_cast<int>(column) + 1);
    status_ = InvalidArgument(where, ": ", message);
  }
  const Status& status() const { return status_; }

 private:
  std::string_view file_;
  Status status_;
};

}  // namespace

std::string PrintText(const pb::Message& message) {
  std::string text;
  pb::TextFormat::PrintToString(message, &text);
  return text;
}

std::string PrintShortText(const pb::Message& message) {
  pb::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

Status ParseText(std::string_view text, std::string_view file, pb::Message* message) {
  if (text.size() > kMaxMessageBytes) {
    return InvalidArgument(file, ": ", text.size(), " bytes of text; at most ", kMaxMessageBytes);
  }
  pb::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  FirstError errors(file);
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kMaxDepth);
  if (parser.Parse(&input, message)) return absl::OkStatus();
  if (!errors.status().ok()) return errors.status();
  return InvalidArgument(file, ": not the text of a ", message->GetDescriptor()->name());
}

StatusOr<std::string> SerializeBinary(const pb::Message& message) {
  const size_t size = message.ByteSizeLong();
  if (size > kMaxMessageBytes) {
    return InvalidArgument("a ", message.GetDescriptor()->name(), " of ", HumanBytes(static_cast<int64_t>(size)),
                           " is beyond what the format can hold (2 GiB)");
  }
  std::string bytes;
  bytes.reserve(size);
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
    if (coded.HadError()) return Internal("a ", message.GetDescriptor()->name(), " could not be serialised");
  }
  return bytes;
}

Status ParseBinary(std::string_view bytes, std::string_view file, pb::Message* message) {
  if (bytes.size() > kMaxMessageBytes) {
    return DataLoss(file, ": ", bytes.size(), " bytes are too many for a ", message->GetDescriptor()->name(), " (2 GiB)");
  }
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss(file, ": these ", bytes.size(), " bytes are not a ", message->GetDescriptor()->name(),
                    " (cut short, damaged, or of another kind)");
  }
  return absl::OkStatus();
}

}  // namespace headrace
