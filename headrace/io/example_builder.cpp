#include "headrace/io/example_builder.h"

#include <utility>

#include "headrace/io/varint.h"

namespace headrace {
namespace {

// Numbers of the fields of a Feature.
constexpr uint64_t kBytes = 1, kFloats = 2, kInts = 3;

void AppendDelimited(uint64_t field, std::string_view bytes, std::string* out) {
  AppendVarint(field << 3 | 2, out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

}  // namespace

void ExampleBuilder::AddFeature(std::string_view name, uint64_t kind) {
  std::string feature, entry;
  AppendDelimited(kind, list_, &feature);
  AppendDelimited(1, name, &entry);
  AppendDelimited(2, feature, &entry);
  AppendDelimited(1, entry, &features_);
  list_.clear();
}

ExampleBuilder& ExampleBuilder::Add(std::string_view name, std::span<const float> values) {
  AppendDelimited(1, {reinterpret_cast<const char*>(values.data()), values.size_bytes()}, &list_);
  AddFeature(name, kFloats);
  return *this;
}

ExampleBuilder& ExampleBuilder::Add(std::string_view name, std::span<const int64_t> values) {
  std::string packed;
  for (const int64_t value : values) AppendVarint(static_cast<uint64_t>(value), &packed);
  AppendDelimited(1, packed, &list_);
  AddFeature(name, kInts);
  return *this;
}

ExampleBuilder& ExampleBuilder::Add(std::string_view name, std::span<const std::string> values) {
  for (const std::string& value : values) AppendDelimited(1, value, &list_);
  AddFeature(name, kBytes);
  return *this;
}

ExampleBuilder& ExampleBuilder::Add(std::string_view name, std::string_view bytes) {
  AppendDelimited(1, bytes, &list_);
  AddFeature(name, kBytes);
  return *this;
}

std::string ExampleBuilder::Take() {
  std::string example;
  AppendDelimited(1, std::exchange(features_, {}), &example);
  return example;
}

}  // namespace headrace
