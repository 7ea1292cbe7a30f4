// Makes serialized tf.train.Example messages.
//
//   ExampleBuilder example;
//   example.Add("label", int64_t{3}).Add("image", pixels);
//   HR_RETURN_IF_ERROR(writer->Append(example.Take()));
//
// Features stand in the order in which they are added; a name that comes twice holds what it was
// given last. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headrace {

class ExampleBuilder {
 public:
  ExampleBuilder& Add(std::string_view name, std::span<const float> values);
  ExampleBuilder& Add(std::string_view name, std::span<const int64_t> values);
  ExampleBuilder& Add(std::string_view name, std::span<const std::string> values);
  ExampleBuilder& Add(std::string_view name, float value) {
    return Add(name, std::span(&value, 1));
  }
  ExampleBuilder& Add(std::string_view name, int64_t value) {
    return Add(name, std::span(&value, 1));
  }
  ExampleBuilder& Add(std::string_view name, std::string_view bytes);

  // The message; the builder is empty then.
  std::string Take();

 private:
  void AddFeature(std::string_view name, uint64_t kind);  // with list_ as its values
  std::string features_, list_;
};

}  // namespace headrace
