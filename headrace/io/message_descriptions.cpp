#include "headrace/io/message_descriptions.h"

#include <set>
#include <string_view>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "headrace/io/proto/checkpoint.pb.h"
#include "headrace/io/proto/config.pb.h"
#include "headrace/io/proto/error_codes.pb.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto/example.pb.h"
#include "headrace/io/proto/meta_graph.pb.h"

namespace headrace {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;

// Our C++ classes live in a package of their own, so that they do not clash with TensorFlow's in one process; elsewhere the
// messages have TensorFlow's names.
constexpr std::string_view kOurs = ".headrace.proto.", kTheirs = ".tensorflow.";

void Rename(DescriptorProto& message) {
  for (auto& field : *message.mutable_field()) {
    if (field.type_name().starts_with(kOurs))
      field.set_type_name(std::string(kTheirs) + field.type_name().substr(kOurs.size()));
  }
  for (DescriptorProto& nested : *message.mutable_nested_type()) Rename(nested);
}

void Add(const FileDescriptor& file, std::set<const FileDescriptor*>& added, FileDescriptorSet& all) {
  if (!added.insert(&file).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) Add(*file.dependency(i), added, all);
  FileDescriptorProto& proto = *all.add_file();
  file.CopyTo(&proto);
  constexpr std::string_view kPackage = "headrace.proto";
  if (!proto.package().starts_with(kPackage)) return;
  proto.set_package("tensorflow" + proto.package().substr(kPackage.size()));
  for (DescriptorProto& message : *proto.mutable_message_type()) Rename(message);
}

}  // namespace

std::string MessageDescriptions() {
  FileDescriptorSet all;
  std::set<const FileDescriptor*> added;
  for (const FileDescriptor* file :
       {proto::BundleHeaderProto::descriptor()->file(), proto::ConfigProto::descriptor()->file(),
        proto::Event::descriptor()->file(), proto::Example::descriptor()->file(),
        proto::MetaGraphDef::descriptor()->file()}) {
    Add(*file, added, all);
  }
  return all.SerializeAsString();
}

}  // namespace headrace
