// The steps that a session keeps, by signature and by the names that they were asked for with.
//
//   if (auto step = cache.Find(names)) return step;
//   HR_ASSIGN_OR_RETURN(auto step, cache.FindOrMake(signature, [&] { return Make(signature); }));
//   cache.Remember(names, step);
//
// A program that asks for something new in every run would otherwise keep the memory of all its
// steps: beyond `most` the one that was asked for longest ago is dropped, unless somebody (a
// callable, a run) holds it. Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "headrace/session/internal/session_step.h"
#include "headrace/session/session.h"

namespace headrace {

// What RunByName is given, without the values.
struct StepNames {
  const Session::NamedFeeds& feeds;
  const std::vector<std::string>& fetches;
  const std::vector<std::string>& targets;
};

class StepCache {
 public:
  explicit StepCache(size_t most) : most_(most) {}

  // Null if no step is kept under these names.
  std::shared_ptr<SessionStep> Find(const StepNames& names);
  // Errors: those of `make`, which is called if there is no step of this signature.
  StatusOr<std::shared_ptr<SessionStep>> FindOrMake(
      const StepSignature& signature,
      absl::FunctionRef<StatusOr<std::shared_ptr<SessionStep>>()> make);
  // From now on `step` is found by these names too, as long as it is kept.
  void Remember(const StepNames& names, const std::shared_ptr<SessionStep>& step);

  // Drops all steps and releases what they hold, in callables as well. REQUIRES: none runs.
  void ReleaseAll();

 private:
  struct Entry {
    std::shared_ptr<SessionStep> step;
    size_t hash = 0;                  // its key in by_signature_
    std::vector<size_t> name_hashes;  // its keys in by_names_
  };
  using Entries = std::list<Entry>;  // the one asked for last in front
  struct Named {
    std::vector<std::string> words;  // feeds, "", fetches, "", targets
    Entries::iterator entry;
  };

  std::shared_ptr<SessionStep> Use(Entries::iterator entry);
  // Takes what is too much out of the tables; the caller destroys it without the lock.
  Entries TakeSurplus();

  const size_t most_;
  std::mutex mutex_;
  Entries entries_;
  absl::flat_hash_map<size_t, std::vector<Entries::iterator>> by_signature_;
  absl::flat_hash_map<size_t, std::vector<Named>> by_names_;
};

}  // namespace headrace
