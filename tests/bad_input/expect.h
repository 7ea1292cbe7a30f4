// How the tests of bad input say what they expect: a table of what a person does wrong, the code of
// the error, and parts of its text (which node, where, what would have been right).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "headrace/headrace.h"

namespace headrace::bad_input {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kNotFound = absl::StatusCode::kNotFound;
constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kDataLoss = absl::StatusCode::kDataLoss;
constexpr auto kCancelled = absl::StatusCode::kCancelled;

// EXPECTs that `status` has that code and each of the parts in its text.
inline void ExpectError(const Status& status, absl::StatusCode code,
                        const std::vector<std::string>& parts) {
  EXPECT_EQ(status.code(), code) << status;
  for (const std::string& part : parts) {
    EXPECT_THAT(std::string(Message(status)), ::testing::HasSubstr(part));
  }
}

// Something done wrong while a graph is built.
struct BuildCase {
  const char* what;
  std::function<void(Graph&)> build;
  absl::StatusCode code;
  std::vector<std::string> parts;
};

// Each on a graph of its own. The graph keeps the error, and a session on it gives it too.
inline void ExpectBuildErrors(const std::vector<BuildCase>& cases) {
  for (const BuildCase& c : cases) {
    SCOPED_TRACE(c.what);
    Graph g;
    c.build(g);
    ExpectError(g.status(), c.code, c.parts);
    EXPECT_EQ(Session::Create(g).status(), g.status());
  }
}

inline std::unique_ptr<Session> MakeSession(const Graph& g, SessionOptions options = {}) {
  auto session = Session::Create(g, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

// A fresh folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "/bad_input_XXXXXX";
    path_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
    EXPECT_NE(path_, "");
  }
  ~Folder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return JoinPath(path_, name); }

 private:
  std::string path_;
};

}  // namespace headrace::bad_input
