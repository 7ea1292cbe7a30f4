// The names, numbers and types of our messages' fields against those of TensorFlow 1.15.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/proto/checkpoint.pb.h"
#include "headrace/io/proto/config.pb.h"
#include "headrace/io/proto/error_codes.pb.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto/example.pb.h"
#include "headrace/io/proto/meta_graph.pb.h"
#include "headrace/io/proto/step_stats.pb.h"

namespace headrace {
namespace {

namespace pb = google::protobuf;

template <class Descriptor>
std::string ShortName(const Descriptor& descriptor) {
  const std::string& name = descriptor.full_name();
  constexpr std::string_view kPackage = "headrace.proto.";
  return name.starts_with(kPackage) ? name.substr(kPackage.size()) : name;
}

void Describe(const pb::EnumDescriptor& e, std::set<std::string>* lines) {
  for (int i = 0; i < e.value_count(); ++i) {
    lines->insert(
        StrCat("enum ", ShortName(e), " ", e.value(i)->name(), " ", e.value(i)->number()));
  }
}

void Describe(const pb::Descriptor& message, std::set<std::string>* lines) {
  lines->insert(StrCat("message ", ShortName(message), " ", message.field_count()));
  for (int i = 0; i < message.field_count(); ++i) {
    const pb::FieldDescriptor& f = *message.field(i);
    const std::string kind = f.message_type() != nullptr ? ShortName(*f.message_type())
                             : f.enum_type() != nullptr  ? ShortName(*f.enum_type())
                                                         : "-";
    const pb::OneofDescriptor* oneof = f.containing_oneof();
    lines->insert(StrCat("field ", ShortName(f), " ", f.number(), " type ",
                         static_cast<int>(f.type()), " label ", static_cast<int>(f.label()),
                         " oneof ", oneof != nullptr ? oneof->name() : "-", " packed ",
                         f.is_packed() ? 1 : 0, " ", kind));
  }
  for (int i = 0; i < message.enum_type_count(); ++i) Describe(*message.enum_type(i), lines);
  for (int i = 0; i < message.nested_type_count(); ++i) Describe(*message.nested_type(i), lines);
}

TEST(Messages, FieldsAreThoseOfTensorFlow) {
  std::set<std::string> ours, theirs;
  const pb::FileDescriptor* const files[] = {
      proto::GraphDef::descriptor()->file(),     proto::BundleEntryProto::descriptor()->file(),
      proto::ConfigProto::descriptor()->file(),  proto::error::Code_descriptor()->file(),
      proto::Event::descriptor()->file(),        proto::Example::descriptor()->file(),
      proto::MetaGraphDef::descriptor()->file(), proto::StepStats::descriptor()->file()};
  for (const pb::FileDescriptor* file : files) {
    EXPECT_EQ(file->syntax(), pb::FileDescriptor::SYNTAX_PROTO3);
    for (int i = 0; i < file->enum_type_count(); ++i) Describe(*file->enum_type(i), &ours);
    for (int i = 0; i < file->message_type_count(); ++i) Describe(*file->message_type(i), &ours);
  }
  const auto golden = ReadFile(HEADRACE_SOURCE_DIR "/tests/golden/messages.txt");
  ASSERT_TRUE(golden.ok()) << golden.status();
  for (const std::string_view line : StrSplit(*golden, '\n')) {
    if (!line.empty()) theirs.emplace(line);
  }
  EXPECT_GT(theirs.size(), 800u);
  for (const std::string& line : theirs)
    EXPECT_TRUE(ours.contains(line)) << "missing here: " << line;
  for (const std::string& line : ours)
    EXPECT_TRUE(theirs.contains(line)) << "not in TensorFlow: " << line;
}

}  // namespace
}  // namespace headrace
