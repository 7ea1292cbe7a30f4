#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

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

// The name of a text field that is not UTF-8, or null. Bytes are refused there by the binary form, but not by
// the parser of text: what came in could not be written again.
const pb::FieldDescriptor* FindBadText(const pb::Message& message) {
  const pb::Reflection& reflection = *message.GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
        const pb::Message& inner = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                        : reflection.GetMessage(message, field);
        if (const pb::FieldDescriptor* bad = FindBadText(inner)) return bad;
      } else if (field->type() == pb::FieldDescriptor::TYPE_STRING) {
        std::string scratch;
        const std::string& text = field->is_repeated()
                                      ? reflection.GetRepeatedStringReference(message, field, i, &scratch)
                                      : reflection.GetStringReference(message, field, &scratch);
        if (!pb::internal::IsStructurallyValidUTF8(text)) return field;
      }
    }
  }
  return nullptr;
}

// A number given as "d.ddde+XX", laid out as Python prints it: "1.0", "0.05", "1e-05", "1e+16".
std::string LayOut(std::string_view scientific) {
  const size_t e = scientific.find('e');
  if (e == std::string_view::npos) return std::string(scientific);  // inf, nan
  std::string_view mantissa = scientific.substr(0, e), power = scientific.substr(e + 1);
  std::string text;
  if (mantissa.front() == '-') {
    text = "-";
    mantissa.remove_prefix(1);
  }
  std::string digits(mantissa.substr(0, 1));
  if (mantissa.size() > 2) digits += mantissa.substr(2);
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  if (power.front() == '+') power.remove_prefix(1);
  const int exponent = static_cast<int>(ParseInt(power).value_or(0));
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    if (count > 1) digits.insert(1, ".");
    const int size = std::abs(exponent);
    return StrCat(text, digits, exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "", size);
  }
  if (exponent < 0)
    return StrCat(text, "0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  if (count <= exponent + 1)
    return StrCat(text, digits, std::string(static_cast<size_t>(exponent + 1 - count), '0'), ".0");
  return StrCat(text, digits.substr(0, static_cast<size_t>(exponent) + 1), ".",
                digits.substr(static_cast<size_t>(exponent) + 1));
}

// Numbers as the text files that Python writes have them, so that a file that is read and written
// again does not change.
class PythonNumbers final : public pb::TextFormat::FastFieldValuePrinter {
 public:
  void PrintFloat(float value, pb::TextFormat::BaseTextGenerator* out) const override {
    char text[32];
    for (int digits = 6; digits <= 9; ++digits) {
      std::snprintf(text, sizeof(text), "%.*e", digits - 1, static_cast<double>(value));
      if (std::strtof(text, nullptr) == value) break;
    }
    out->PrintString(std::isnan(value) ? "nan" : LayOut(text));
  }
  void PrintDouble(double value, pb::TextFormat::BaseTextGenerator* out) const override {
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
    out->PrintString(std::isnan(value) ? "nan" : LayOut({text, static_cast<size_t>(end - text)}));
  }
};

std::string Print(const pb::Message& message, bool single_line) {
  pb::TextFormat::Printer printer;
  printer.SetSingleLineMode(single_line);
  printer.SetDefaultFieldValuePrinter(new PythonNumbers);  // taken over
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

}  // namespace

std::string PrintText(const pb::Message& message) {
  return Print(message, false);
}

std::string PrintShortText(const pb::Message& message) {
  std::string text = Print(message, true);
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
  if (parser.Parse(&input, message)) {
    const pb::FieldDescriptor* bad = FindBadText(*message);
    if (bad == nullptr) return absl::OkStatus();
    return InvalidArgument(file, ": field '", bad->name(), "' of a ", bad->containing_type()->name(), " is not UTF-8");
  }
  if (!errors.status().ok()) return errors.status();
  return InvalidArgument(file, ": not the text of a ", message->GetDescriptor()->name());
}

StatusOr<std::string> SerializeBinary(const pb::Message& message) {
  const size_t size = message.ByteSizeLong();
  if (size > kMaxMessageBytes) {
    return InvalidArgument("a ", message.GetDescriptor()->name(), " of ",
                           HumanBytes(static_cast<int64_t>(size)),
                           " is beyond what the format can hold (2 GiB)");
  }
  std::string bytes;
  bytes.reserve(size);
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
    if (coded.HadError())
      return Internal("a ", message.GetDescriptor()->name(), " could not be serialised");
  }
  return bytes;
}

Status ParseBinary(std::string_view bytes, std::string_view file, pb::Message* message) {
  if (bytes.size() > kMaxMessageBytes) {
    return DataLoss(file, ": ", bytes.size(), " bytes are too many for a ",
                    message->GetDescriptor()->name(), " (2 GiB)");
  }
  pb::LogSilencer silence;  // what is wrong is in our error
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss(file, ": these ", bytes.size(), " bytes are not a ",
                    message->GetDescriptor()->name(), " (cut short, damaged, or of another kind)");
  }
  return absl::OkStatus();
}

}  // namespace headrace
