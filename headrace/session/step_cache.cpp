#include "headrace/session/internal/step_cache.h"

#include "absl/hash/hash.h"

namespace headrace {
namespace {

size_t HashOf(const StepSignature& signature) {
  size_t hash = signature.feeds.size();
  for (const Output& feed : signature.feeds) hash = absl::HashOf(hash, feed.node, feed.index);
  for (const Output& fetch : signature.fetches)
    hash = absl::HashOf(hash, fetch.node, fetch.index + 1);
  for (const Node* target : signature.targets) hash = absl::HashOf(hash, target, -1);
  return hash;
}

// Looking a step up by names copies none of them.
template <class Visit>
void EachWord(const StepNames& names, Visit visit) {
  static const std::string kSeparator;
  for (const auto& [name, value] : names.feeds) visit(name);
  visit(kSeparator);
  for (const std::string& name : names.fetches) visit(name);
  visit(kSeparator);
  for (const std::string& name : names.targets) visit(name);
}

size_t HashOf(const StepNames& names) {
  size_t hash = 0;
  EachWord(names, [&](const std::string& word) { hash = absl::HashOf(hash, word); });
  return hash;
}

bool Same(const StepNames& names, const std::vector<std::string>& words) {
  size_t at = 0;
  bool same = true;
  EachWord(names, [&](const std::string& word) {
    same = same && at < words.size() && words[at++] == word;
  });
  return same && at == words.size();
}

}  // namespace

std::shared_ptr<SessionStep> StepCache::Use(Entries::iterator entry) {
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->step;
}

std::shared_ptr<SessionStep> StepCache::Find(const StepNames& names) {
  const size_t hash = HashOf(names);
  std::lock_guard lock(mutex_);
  const auto found = by_names_.find(hash);
  if (found == by_names_.end()) return nullptr;
  for (const Named& named : found->second) {
    if (Same(names, named.words)) return Use(named.entry);
  }
  return nullptr;
}

StatusOr<std::shared_ptr<SessionStep>> StepCache::FindOrMake(
    const StepSignature& signature,
    absl::FunctionRef<StatusOr<std::shared_ptr<SessionStep>>()> make) {
  const size_t hash = HashOf(signature);
  Entries surplus;
  std::lock_guard lock(mutex_);
  if (const auto found = by_signature_.find(hash); found != by_signature_.end()) {
    for (const Entries::iterator entry : found->second) {
      if (entry->step->signature() == signature) return Use(entry);
    }
  }
  HR_ASSIGN_OR_RETURN(std::shared_ptr<SessionStep> made, make());
  entries_.push_front(Entry{.step = made, .hash = hash, .name_hashes = {}});
  by_signature_[hash].push_back(entries_.begin());
  surplus = TakeSurplus();
  return made;
}

void StepCache::Remember(const StepNames& names, const std::shared_ptr<SessionStep>& step) {
  const size_t hash = HashOf(names);
  std::lock_guard lock(mutex_);
  std::vector<Named>& alike = by_names_[hash];
  for (const Named& named : alike) {
    if (Same(names, named.words)) return;  // another thread was faster
  }
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->step != step) continue;
    Named named{.words = {}, .entry = entry};
    EachWord(names, [&](const std::string& word) { named.words.push_back(word); });
    alike.push_back(std::move(named));
    entry->name_hashes.push_back(hash);
    return;
  }
}

StepCache::Entries StepCache::TakeSurplus() {
  Entries surplus;
  for (auto entry = entries_.end(); entries_.size() > most_ && entry != entries_.begin();) {
    const auto oldest = std::prev(entry);
    if (oldest->step.use_count() > 1) {
      entry = oldest;
      continue;
    }
    std::vector<Entries::iterator>& alike = by_signature_[oldest->hash];
    std::erase(alike, oldest);
    if (alike.empty()) by_signature_.erase(oldest->hash);
    for (const size_t hash : oldest->name_hashes) {
      const auto named = by_names_.find(hash);
      std::erase_if(named->second, [&](const Named& n) { return n.entry == oldest; });
      if (named->second.empty()) by_names_.erase(named);
    }
    surplus.splice(surplus.begin(), entries_, oldest);
  }
  return surplus;
}

void StepCache::ReleaseAll() {
  std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) entry.step->Release();
  by_signature_.clear();
  by_names_.clear();
  entries_.clear();
}

}  // namespace headrace
