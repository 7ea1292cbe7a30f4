#include "headrace/train/internal/checkpoint_fit.h"

#include <algorithm>
#include <cctype>

#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"

namespace headrace::train {
namespace {

constexpr size_t kMostLines = 8;  // of each kind, in an error

std::string Where(const Variable& variable) {
  const std::string place = variable.ref().node->location().ToString();
  return place.empty() ? "" : StrCat(" (", place, ")");
}

// "w" of "w_3", "w_1/Adam" -> "w/Adam": what the name would be had the model been built once.
std::string WithoutCopyNumbers(std::string_view name) {
  std::vector<std::string_view> parts = StrSplit(name, '/');
  for (std::string_view& part : parts) {
    const size_t line = part.rfind('_');
    if (line == std::string_view::npos || line == 0 || line + 1 == part.size()) continue;
    const std::string_view number = part.substr(line + 1);
    if (std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; }))
      part = part.substr(0, line);
  }
  return StrJoin(parts, "/");
}

class Findings {
 public:
  Findings(const BundleReader& reader, const std::map<std::string, Variable>& variables)
      : reader_(reader), variables_(variables) {
    for (const CheckpointVariable& variable : reader.variables()) {
      if (!variables.contains(variable.name)) unused_.push_back(variable.name);
    }
  }

  void Check() {
    for (const auto& [name, variable] : variables_) {
      const CheckpointVariable* stored = reader_.Find(name);
      if (stored == nullptr) {
        missing_.push_back(Missing(name, variable));
      } else if (stored->dtype != variable.dtype()) {
        unfit_.push_back(StrCat("'", name, "'", Where(variable), " is ",
                                DTypeName(variable.dtype()), " in the graph and ",
                                DTypeName(stored->dtype), " in the checkpoint"));
      } else if (!variable.shape().IsCompatibleWith(stored->shape)) {
        unfit_.push_back(StrCat("'", name, "'", Where(variable), " has shape ",
                                variable.shape().ToString(), " in the graph and ",
                                stored->shape.ToString(), " in the checkpoint"));
      }
    }
  }

  Status ToStatus() const {
    if (missing_.empty() && unfit_.empty()) return absl::OkStatus();
    std::string text = StrCat("checkpoint '", reader_.prefix(), "' does not fit the graph:");
    AddLines(missing_,
             StrCat(missing_.size(), " of ", variables_.size(), " variables are not in it"), text);
    AddLines(unfit_, StrCat(unfit_.size(), " are different"), text);
    if (!missing_.empty() && !unused_.empty())
      AddLines(unused_, "in the checkpoint, but not asked for", text);
    return missing_.empty() ? InvalidArgument(text) : NotFound(text);
  }

 private:
  std::string Missing(const std::string& name, const Variable& variable) const {
    std::string text = StrCat("'", name, "'", Where(variable));
    const std::string once = WithoutCopyNumbers(name);
    if (once != name && reader_.Find(once) != nullptr) {
      const auto copies = std::ranges::count_if(
          variables_, [&](const auto& entry) { return WithoutCopyNumbers(entry.first) == once; });
      return StrCat(text, ": the checkpoint has '", once, "', of which the graph has ", copies,
                    copies == 1 ? " copy" : " copies", "; was the model built more than once?");
    }
    const std::vector<std::string> nearest = NearestNames(name, unused_);
    if (nearest.empty()) return text;
    return StrCat(text, ": nearest are ", StrJoin(nearest, ", ", [&](const std::string& near) {
                    return StrCat("'", near, "' ", reader_.Find(near)->shape.ToString());
                  }));
  }

  static void AddLines(const std::vector<std::string>& lines, std::string_view title,
                       std::string& text) {
    if (lines.empty()) return;
    StrAppend(&text, "\n", title, ":");
    for (size_t i = 0; i < lines.size() && i < kMostLines; ++i) StrAppend(&text, "\n  ", lines[i]);
    if (lines.size() > kMostLines) StrAppend(&text, "\n  and ", lines.size() - kMostLines, " more");
  }

  const BundleReader& reader_;
  const std::map<std::string, Variable>& variables_;
  std::vector<std::string> unused_, missing_, unfit_;
};

}  // namespace

Status CheckFit(const std::string& path, const std::map<std::string, Variable>& variables) {
  HR_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(path));
  Findings findings(*reader, variables);
  findings.Check();
  return findings.ToStatus();
}

}  // namespace headrace::train
