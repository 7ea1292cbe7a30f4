#include "headrace/ops/strings/unicode_letters.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "headrace/ops/strings/unicode_text.h"

namespace headrace {
namespace {

struct CaseRun {  // each `step`th character from first to last
  uint32_t first, last, step;
  int32_t difference;
};
struct LongCase {
  uint32_t code, becomes[3];
};
struct CodeRange {
  uint32_t first, last;
};
struct ScriptRun {
  uint32_t first;
  int32_t script;
};

#include "headrace/ops/strings/unicode_data.inc"

constexpr uint32_t kSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;

// The last entry that begins at `code` or before; null if there is none.
template <class Entry, class First>
const Entry* EntryAt(std::span<const Entry> table, uint32_t code, First first) {
  const auto after = std::ranges::upper_bound(table, code, {}, first);
  return after == table.begin() ? nullptr : &*std::prev(after);
}

bool IsIn(std::span<const CodeRange> table, uint32_t code) {
  const CodeRange* range = EntryAt(table, code, &CodeRange::first);
  return range != nullptr && code <= range->last;
}

// Where a sigma stands after a letter and before none: the end of a word.
bool IsFinal(const std::vector<uint32_t>& codes, size_t at) {
  const auto meets_letter = [](auto from, auto to) {
    const auto found =
        std::find_if_not(from, to, [](uint32_t code) { return IsIn(kCaseIgnored, code); });
    return found != to && IsIn(kCased, *found);
  };
  const auto here = codes.begin() + static_cast<std::ptrdiff_t>(at);
  return meets_letter(std::make_reverse_iterator(here), codes.rend()) &&
         !meets_letter(here + 1, codes.end());
}

void AppendInCase(uint32_t code, std::span<const CaseRun> runs, std::span<const LongCase> longer,
                  std::string& text) {
  const LongCase* several = EntryAt(longer, code, &LongCase::code);
  if (several != nullptr && several->code == code) {
    for (const uint32_t part : several->becomes)
      if (part != 0) AppendCharacter(part, TextForm::kUtf8, text);
    return;
  }
  const CaseRun* run = EntryAt(runs, code, &CaseRun::first);
  if (run != nullptr && code <= run->last && (code - run->first) % run->step == 0)
    code += static_cast<uint32_t>(run->difference);
  AppendCharacter(code, TextForm::kUtf8, text);
}

std::vector<uint32_t> CodesOf(std::string_view text) {
  std::vector<uint32_t> codes;
  codes.reserve(text.size());
  while (!text.empty()) {
    const Character next = NextOfUtf8(text);
    codes.push_back(next.code);
    text.remove_prefix(next.bytes);
  }
  return codes;
}

}  // namespace

std::string LowerOfUtf8(std::string_view text) {
  const std::vector<uint32_t> codes = CodesOf(text);
  std::string lower;
  lower.reserve(text.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] == kSigma) {
      AppendCharacter(IsFinal(codes, i) ? kFinalSigma : kSmallSigma, TextForm::kUtf8, lower);
    } else {
      AppendInCase(codes[i], kLower, kLongLower, lower);
    }
  }
  return lower;
}

std::string UpperOfUtf8(std::string_view text) {
  std::string upper;
  upper.reserve(text.size());
  for (const uint32_t code : CodesOf(text)) AppendInCase(code, kUpper, kLongUpper, upper);
  return upper;
}

int32_t ScriptOf(int32_t code) {
  if (code < 0 || code > 0x10FFFF) return -1;
  const std::span<const ScriptRun> table = kScripts;
  return EntryAt(table, static_cast<uint32_t>(code), &ScriptRun::first)->script;
}

}  // namespace headrace
