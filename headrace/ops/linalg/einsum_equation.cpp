#include "headrace/ops/linalg/einsum_equation.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Letters with '.' for "...".
StatusOr<std::string> ParseSubscripts(std::string_view text, std::string_view equation) {
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsLetter(text[i])) {
      labels.push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && labels.find('.') == std::string::npos) {
      labels.push_back('.');
      i += 2;
    } else {
      return InvalidArgument(
          "subscripts of an equation must be letters and at most one '...', got '", text, "' in '",
          equation, "'");
    }
  }
  return labels;
}

void AppendLabels(std::string_view subscripts, int ellipsis_rank, std::vector<int>& labels) {
  for (char c : subscripts) {
    if (c != '.') {
      labels.push_back(c);
      continue;
    }
    for (int i = ellipsis_rank - 1; i >= 0; --i) labels.push_back(EinsumLabels::kEllipsis + i);
  }
}

}  // namespace

StatusOr<EinsumEquation> ParseEinsum(std::string_view equation) {
  std::string text(equation);
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos) return InvalidArgument("Expecting '->' in equation: ", equation);
  EinsumEquation parsed;
  const std::string left = text.substr(0, arrow);
  for (std::string_view subscripts : StrSplit(left, ',')) {
    HR_ASSIGN_OR_RETURN(std::string labels, ParseSubscripts(subscripts, equation));
    parsed.inputs.push_back(std::move(labels));
  }
  HR_ASSIGN_OR_RETURN(parsed.output, ParseSubscripts(text.substr(arrow + 2), equation));
  for (char c : parsed.output) {
    const bool known = std::ranges::any_of(parsed.inputs, [c](const std::string& input) {
      return input.find(c) != std::string::npos;
    });
    if (!known && c != '.') {
      return InvalidArgument("the result of equation '", equation, "' has '", std::string(1, c),
                             "', which no operand has");
    }
  }
  return parsed;
}

StatusOr<EinsumLabels> LabelDimensions(const EinsumEquation& equation, std::span<const int> ranks) {
  if (ranks.size() != equation.inputs.size()) {
    return InvalidArgument("Expected ", equation.inputs.size(), " inputs but got: ", ranks.size());
  }
  EinsumLabels labels;
  int most = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const std::string& subscripts = equation.inputs[i];
    const bool ellipsis = subscripts.find('.') != std::string::npos;
    const int named = static_cast<int>(subscripts.size()) - (ellipsis ? 1 : 0);
    if (!ellipsis && ranks[i] != named) {
      return InvalidArgument("Expected input ", i, " to have rank ", named, " but got: ", ranks[i]);
    }
    if (ranks[i] < named) {
      return InvalidArgument("Expected input ", i, " to have rank at least ", named,
                             " but got: ", ranks[i]);
    }
    most = std::max(most, ranks[i] - named);
    AppendLabels(subscripts, ranks[i] - named, labels.inputs.emplace_back());
  }
  if (most > 0 && equation.output.find('.') == std::string::npos) {
    return InvalidArgument(
        "Output contains ", most,
        " broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.");
  }
  AppendLabels(equation.output, most, labels.output);
  return labels;
}

}  // namespace headrace
