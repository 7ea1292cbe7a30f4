#include "headrace/runtime/trace.h"

#include <algorithm>
#include <chrono>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

std::string_view KindText(TraceEvent::Kind kind) {
  switch (kind) {
    case TraceEvent::Kind::kCompute:
      return "compute";
    case TraceEvent::Kind::kRead:
      return "read";
    case TraceEvent::Kind::kSend:
      return "send";
    case TraceEvent::Kind::kReceive:
      return "receive";
  }
  return "";
}

// Names are UTF-8 already.
std::string Json(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      StrAppend(&escaped, "\\u00", c >> 4, std::string(1, kHex[c & 15]));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Microseconds(int64_t ns) {
  const std::string rest = StrCat(ns % 1000 + 1000);
  return StrCat(ns / 1000, ".", std::string_view(rest).substr(1));
}

}  // namespace

int64_t StepTrace::Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void StepTrace::Add(std::vector<TraceEvent> events) {
  std::lock_guard lock(mutex_);
  events_.insert(events_.end(), events.begin(), events.end());
}

std::vector<TraceEvent> StepTrace::events() const {
  std::vector<TraceEvent> sorted;
  {
    std::lock_guard lock(mutex_);
    sorted = events_;
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.start_ns < b.start_ns;
  });
  return sorted;
}

std::string StepTrace::ToChromeTrace() const {
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  std::string_view separator = "\n";
  for (size_t i = 0; i < devices_.size(); ++i) {
    StrAppend(&text, separator, "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": ", i,
              ", \"args\": {\"name\": \"", Json(devices_[i]), "\"}}");
    separator = ",\n";
  }
  for (const TraceEvent& event : events()) {
    StrAppend(&text, separator, "{\"ph\": \"X\", \"cat\": \"", KindText(event.kind),
              "\", \"name\": \"", Json(event.node->op_name()), "\", \"pid\": ", event.device,
              ", \"tid\": ", event.lane, ", \"ts\": ", Microseconds(event.start_ns),
              ", \"dur\": ", Microseconds(event.end_ns - event.start_ns));
    StrAppend(&text, ", \"args\": {\"name\": \"", Json(event.node->name()),
              "\", \"bytes\": ", event.output_bytes, ", \"line\": \"",
              Json(event.node->location().ToString()), "\"}}");
    separator = ",\n";
  }
  text += "\n]}\n";
  return text;
}

}  // namespace headrace
