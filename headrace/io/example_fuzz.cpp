// Examples out of any bytes: never a crash, counts and values agree, and what is read can be read
// by protocol buffers too.
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/io/example_wire.h"
#include "headrace/io/proto/example.pb.h"

namespace {

template <class T>
void CheckValues(const headrace::FeatureValues& values, int64_t count) {
  std::vector<T> all(static_cast<size_t>(count));
  if (headrace::ReadValues(values.list, all.data(), count) != count) __builtin_trap();
}

// Whether all of it is sound.
bool Visit(std::string_view feature) {
  headrace::FeatureValues values;
  if (!headrace::ReadFeature(feature, &values)) return false;
  const int64_t count = headrace::CountValues(values);
  if (count < 0) return false;
  if (values.kind == headrace::FeatureKind::kBytes) CheckValues<std::string>(values, count);
  if (values.kind == headrace::FeatureKind::kFloat) CheckValues<float>(values, count);
  if (values.kind == headrace::FeatureKind::kInt64) CheckValues<int64_t>(values, count);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  headrace::VisitFeatureLists(bytes, [](std::string_view, std::string_view list) {
    return headrace::VisitField(list, 1, Visit);
  });
  size_t features = 0;
  const bool sound =
      headrace::VisitFeatures(bytes, [&](std::string_view, std::string_view feature) {
        ++features;
        return Visit(feature);
      });
  headrace::proto::Example example;
  if (!sound || !example.ParseFromString(bytes)) return 0;
  if (example.features().feature_size() > static_cast<int>(features)) __builtin_trap();
  return 0;
}
