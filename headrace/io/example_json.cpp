#include "headrace/io/example_json.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>

#include "headrace/base/strings.h"
#include "headrace/io/proto/example.pb.h"

namespace headrace {

StatusOr<std::string> ExampleFromJson(std::string_view json) {
  namespace util = google::protobuf::util;
  const std::unique_ptr<util::TypeResolver> types(util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", proto::Example::descriptor()->file()->pool()));
  std::string bytes;
  const auto parsed = util::JsonToBinaryString(
      types.get(), StrCat("type.googleapis.com/", proto::Example::descriptor()->full_name()),
      std::string(json), &bytes);
  if (!parsed.ok()) return InvalidArgument("Error while parsing JSON: ", parsed.ToString());
  return bytes;
}

}  // namespace headrace
