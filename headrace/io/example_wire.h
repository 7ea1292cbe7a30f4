// tf.train.Example and tf.train.SequenceExample read where they lie, without objects of messages.
//
//   bool whole = VisitFeatures(bytes, [&](std::string_view name, std::string_view feature) {
//     FeatureValues values;
//     return ReadFeature(feature, &values) && CountValues(values) >= 0;
//   });
//
// Whatever the bytes are, nothing is read outside of them; views point into them. Functions tell by
// false or -1 that bytes are no such message. Fields that are not known are passed over, and of
// several values of a field that has one the last holds, as in any reader of protocol buffers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "headrace/io/varint.h"

namespace headrace {

// Takes fields off the front of a message.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool Varint(uint64_t* value) {
    if (!rest_.empty() && static_cast<int8_t>(rest_.front()) >= 0) [[likely]] {
      *value = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      return true;
    }
    return TakeVarint(&rest_, value);
  }
  bool Delimited(std::string_view* bytes) {
    uint64_t size = 0;
    return Varint(&size) && Take(size, bytes);
  }
  bool Fixed32(void* out) {
    std::string_view bytes;
    if (!Take(4, &bytes)) return false;
    std::memcpy(out, bytes.data(), 4);
    return true;
  }
  // Passes over what a tag is followed by; groups, which no message has had for long, are refused.
  bool Skip(uint64_t tag) {
    std::string_view bytes;
    uint64_t value = 0;
    if (tag >> 3 == 0) return false;
    switch (tag & 7) {
      case 0:
        return Varint(&value);
      case 1:
        return Take(8, &bytes);
      case 2:
        return Delimited(&bytes);
      case 5:
        return Take(4, &bytes);
      default:
        return false;
    }
  }

 private:
  bool Take(uint64_t size, std::string_view* bytes) {
    if (size > rest_.size()) return false;
    *bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  std::string_view rest_;
};

constexpr uint64_t DelimitedTag(uint64_t field) {
  return field << 3 | 2;
}

// visit(bytes) -> bool for each value of a field that holds bytes or messages; stops where it is
// false.
template <class Visit>
bool VisitField(std::string_view message, uint64_t field, Visit&& visit) {
  for (WireReader reader(message); !reader.done();) {
    uint64_t tag = 0;
    std::string_view bytes;
    if (!reader.Varint(&tag)) return false;
    if (tag == DelimitedTag(field)) {
      if (!reader.Delimited(&bytes) || !visit(bytes)) return false;
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return true;
}

// visit(key, value) -> bool for each entry of a map from strings to messages that is field 1.
template <class Visit>
bool VisitMap(std::string_view message, Visit&& visit) {
  return VisitField(message, 1, [&](std::string_view entry) {
    std::string_view key, value;
    for (WireReader reader(entry); !reader.done();) {
      uint64_t tag = 0;
      if (!reader.Varint(&tag)) return false;
      if (tag == DelimitedTag(1)) {
        if (!reader.Delimited(&key)) return false;
      } else if (tag == DelimitedTag(2)) {
        if (!reader.Delimited(&value)) return false;
      } else if (!reader.Skip(tag)) {
        return false;
      }
    }
    return visit(key, value);
  });
}

// visit(name, feature) -> bool for each feature of an Example, or of the context of a
// SequenceExample.
template <class Visit>
bool VisitFeatures(std::string_view example, Visit&& visit) {
  return VisitField(example, 1,
                    [&](std::string_view features) { return VisitMap(features, visit); });
}

// visit(name, list) -> bool for each list of features of a SequenceExample; the features of a list
// are its field 1.
template <class Visit>
bool VisitFeatureLists(std::string_view example, Visit&& visit) {
  return VisitField(example, 2, [&](std::string_view lists) { return VisitMap(lists, visit); });
}

// Numbers of the fields of a Feature.
enum class FeatureKind : uint8_t { kNone = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

struct FeatureValues {
  FeatureKind kind = FeatureKind::kNone;
  std::string_view list;  // the message BytesList, FloatList or Int64List
};

inline bool ReadFeature(std::string_view feature, FeatureValues* values) {
  *values = {};
  for (WireReader reader(feature); !reader.done();) {
    uint64_t tag = 0;
    if (!reader.Varint(&tag)) return false;
    if (tag >= DelimitedTag(1) && tag <= DelimitedTag(3) && (tag & 7) == 2) {
      values->kind = static_cast<FeatureKind>(tag >> 3);
      if (!reader.Delimited(&values->list)) return false;
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return true;
}

namespace internal {

template <class T>
int64_t ReadPacked(std::string_view packed, T* out, int64_t most, int64_t count);

template <>
inline int64_t ReadPacked(std::string_view packed, float* out, int64_t most, int64_t count) {
  if (packed.size() % sizeof(float) != 0) return -1;
  const auto more = static_cast<int64_t>(packed.size() / sizeof(float));
  if (count < most) {
    const int64_t taken = std::min(more, most - count);
    std::memcpy(out + count, packed.data(), static_cast<size_t>(taken) * sizeof(float));
  }
  return count + more;
}

template <>
inline int64_t ReadPacked(std::string_view packed, int64_t* out, int64_t most, int64_t count) {
  for (WireReader reader(packed); !reader.done(); ++count) {
    uint64_t value = 0;
    if (!reader.Varint(&value)) return -1;
    if (count < most) out[count] = static_cast<int64_t>(value);
  }
  return count;
}

inline bool ReadSingle(WireReader& reader, float* out) {
  return reader.Fixed32(out);
}
inline bool ReadSingle(WireReader& reader, int64_t* out) {
  uint64_t value = 0;
  if (!reader.Varint(&value)) return false;
  *out = static_cast<int64_t>(value);
  return true;
}

}  // namespace internal

// The numbers of a FloatList or Int64List, packed or not: the first `most` go to `out`. Returns how
// many there are, -1 for no such list. T: float, int64_t.
template <class T>
int64_t ReadNumbers(std::string_view list, T* out, int64_t most) {
  constexpr uint64_t kSingle = std::is_same_v<T, float> ? (1 << 3 | 5) : 1 << 3;
  int64_t count = 0;
  for (WireReader reader(list); !reader.done();) {
    uint64_t tag = 0;
    if (!reader.Varint(&tag)) return -1;
    if (tag == DelimitedTag(1)) {
      std::string_view packed;
      if (!reader.Delimited(&packed)) return -1;
      count = internal::ReadPacked(packed, out, most, count);
      if (count < 0) return -1;
    } else if (tag == kSingle) {
      T value{};
      if (!internal::ReadSingle(reader, &value)) return -1;
      if (count < most) out[count] = value;
      ++count;
    } else if (!reader.Skip(tag)) {
      return -1;
    }
  }
  return count;
}

// The same for the texts of a BytesList.
inline int64_t ReadTexts(std::string_view list, std::string* out, int64_t most) {
  int64_t count = 0;
  const bool whole = VisitField(list, 1, [&](std::string_view text) {
    if (count < most) out[count].assign(text);
    ++count;
    return true;
  });
  return whole ? count : -1;
}

inline int64_t ReadValues(std::string_view list, float* out, int64_t most) {
  return ReadNumbers(list, out, most);
}
inline int64_t ReadValues(std::string_view list, int64_t* out, int64_t most) {
  return ReadNumbers(list, out, most);
}
inline int64_t ReadValues(std::string_view list, std::string* out, int64_t most) {
  return ReadTexts(list, out, most);
}

// How many values there are; -1 for a damaged list.
inline int64_t CountValues(const FeatureValues& values) {
  switch (values.kind) {
    case FeatureKind::kBytes:
      return ReadTexts(values.list, nullptr, 0);
    case FeatureKind::kFloat:
      return ReadNumbers<float>(values.list, nullptr, 0);
    case FeatureKind::kInt64:
      return ReadNumbers<int64_t>(values.list, nullptr, 0);
    case FeatureKind::kNone:
      return 0;
  }
  return -1;
}

}  // namespace headrace
