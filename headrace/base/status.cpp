#include "headrace/base/status.h"

#include "absl/strings/cord.h"
#include "headrace/base/strings.h"

namespace headrace {

Status Annotate(const Status& status, std::string_view prefix) {
  if (status.ok()) return status;
  Status annotated(status.code(), StrCat(prefix, Message(status)));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    annotated.SetPayload(url, payload);
  });
  return annotated;
}

}  // namespace headrace
