// Checkpoints, event files and data that are missing, damaged or do not fit; disks that are full or
// read-only.
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "headrace/io/record_file.h"
#include "tests/bad_input/expect.h"

namespace headrace::bad_input {
namespace {

constexpr auto kFull = absl::StatusCode::kResourceExhausted;

struct Model {
  explicit Model(int64_t size = 4) {
    w = Variable(g, Zeros(g, {size}), {.name = "w"});
    b = Variable(g, {1.0f, 2.0f}, {.name = "b"});
    fed = Placeholder(g, DType::kFloat32, {size}, {.name = "fed"});
    set = Assign(w.ref(), fed).node;
    init = GlobalVariablesInitializer(g);
    saver.emplace(g);
    session = MakeSession(g);
    EXPECT_TRUE(session->Run({}, {}, {init}).ok());
  }
  void Set(float value) {
    Tensor values(DType::kFloat32, w.shape().ToShape());
    std::ranges::fill(values.flat<float>(), value);
    EXPECT_TRUE(session->Run({{fed, values}}, {}, {set}).ok());
  }
  float Get() { return session->Run({}, {w.value()})->at(0).data<float>()[0]; }

  Graph g;
  Variable w, b;
  Output fed;
  Node *set = nullptr, *init = nullptr;
  std::optional<Saver> saver;
  std::unique_ptr<Session> session;
};

void Overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Whole records from the start of a file; `end` is how it ends.
int CountRecords(const std::string& path, Status* end) {
  auto reader = RecordReader::Open(path);
  *end = reader.status();
  std::string_view record;
  for (int records = 0; reader.ok(); ++records) {
    const StatusOr<bool> more = (*reader)->Next(&record);
    *end = more.status();
    if (!more.ok() || !*more) return records;
  }
  return 0;
}

// Restoring is all or nothing: after an error the variables have the values they had.
TEST(BadInput, DamagedCheckpoints) {
  Folder folder;
  Model m;
  m.Set(7);
  ASSERT_TRUE(m.saver->Save(*m.session, folder / "m").ok());
  for (const std::string file : {"m.index", "m.data-00000-of-00001"}) {
    const std::string bytes = ReadFile(folder / file).value();
    int errors = 0;
    const auto restore = [&](const std::string& damaged, size_t at) {
      Overwrite(folder / file, damaged);
      m.Set(3);
      const Status status = m.saver->Restore(*m.session, folder / "m");
      if (status.ok()) {
        EXPECT_EQ(m.Get(), 7) << file << " at " << at;  // the byte meant nothing
        return;
      }
      ++errors;
      EXPECT_TRUE(absl::IsDataLoss(status) || absl::IsUnimplemented(status) ||
                  absl::IsInvalidArgument(status) || absl::IsNotFound(status))
          << status;
      EXPECT_THAT(std::string(Message(status)), ::testing::HasSubstr(folder / "m"));
      EXPECT_EQ(m.Get(), 3) << file << " at " << at << ": " << status;
    };
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
      restore(damaged, i);
      restore(bytes.substr(0, i), i);
      if (i < bytes.size() / 4 || file != "m.index") {
        EXPECT_EQ(m.saver->Restore(*m.session, folder / "m").code(), kDataLoss)
            << file << " cut at " << i;
      }
    }
    EXPECT_GT(errors, static_cast<int>(bytes.size()));
    Overwrite(folder / file, bytes);
  }
  m.Set(3);
  ASSERT_TRUE(m.saver->Restore(*m.session, folder / "m").ok());
  EXPECT_EQ(m.Get(), 7);
}

TEST(BadInput, CheckpointsThatLackSomething) {
  Folder folder;
  Model m;
  ASSERT_TRUE(m.saver->Save(*m.session, folder / "m").ok());
  ExpectError(m.saver->Restore(*m.session, folder / "n"), kNotFound,
              {"no checkpoint", "/n'", "/n.index'"});
  ExpectError(LatestCheckpoint(folder / "none").status(), kNotFound, {"none"});
  Overwrite(folder / "empty.index", "");
  ExpectError(m.saver->Restore(*m.session, folder / "empty"), kDataLoss,
              {"empty.index", "0 bytes"});
  Overwrite(folder / "text.index", std::string(100, 'x'));
  ExpectError(m.saver->Restore(*m.session, folder / "text"), kDataLoss,
              {"text.index", "not a table"});
  ExpectError(m.saver->Restore(*m.session, folder.path()), kInvalid, {folder.path()});
  std::filesystem::remove(folder / "m.data-00000-of-00001");
  ExpectError(m.saver->Restore(*m.session, folder / "m"), kNotFound, {"m.data-00000-of-00001"});

  Graph other;
  Variable w(other, {1.0f, 2.0f, 3.0f}, {.name = "w"}), c(other, 1.0f, {.name = "c"});
  Saver asks(other);
  ASSERT_TRUE(m.saver->Save(*m.session, folder / "m").ok());
  auto session = MakeSession(other);
  ExpectError(asks.Restore(*session, folder / "m"), kNotFound,
              {"1 of 2 variables are not in it",
               "'c' (checkpoint_test.cpp:", "[3] in the graph and [4] in the checkpoint"});
  // Steps that are written by hand meet the same errors in the kernel.
  ExpectError(session
                  ->Run({{asks.filename(), Tensor::Scalar<std::string>(folder / "m")}}, {},
                        {asks.restore_op()})
                  .status(),
              kNotFound, {"RestoreV2", "Key c not found", "did you mean"});
  ExpectError(
      session
          ->Run({{asks.filename(), Tensor::Of<std::string>({"a", "b"})}}, {}, {asks.restore_op()})
          .status(),
      kInvalid, {"Cannot feed value of shape [2]"});
}

// Limits the size of each file, or mounts a disk of that size, which needs rights: what is full in
// the end.
class SmallDisk {
 public:
  SmallDisk(size_t bytes, bool mounted) : mounted_(mounted) {
    if (mounted) {
      const std::string options = StrCat("size=", bytes);
      usable_ = ::mount("none", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
      return;
    }
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    usable_ = ::setrlimit(RLIMIT_FSIZE, &small) == 0;
  }
  ~SmallDisk() {
    if (mounted_ && usable_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    if (mounted_) return;
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  bool usable() const { return usable_; }
  std::string operator/(std::string_view name) const { return folder_ / name; }
  const std::string& path() const { return folder_.path(); }

 private:
  Folder folder_;
  const bool mounted_;
  bool usable_ = false;
  rlimit before_{};
};

TEST(BadInput, FullDiskUnderASaver) {
  constexpr int64_t kFloats = 100000;  // 400 KB
  for (const bool mounted : {false, true}) {
    SCOPED_TRACE(mounted ? "a small disk" : "a limit on files");
    Model m(kFloats);
    m.Set(7);
    SmallDisk disk(mounted ? 700 << 10 : 300 << 10, mounted);
    if (!disk.usable()) continue;  // no rights to mount
    if (!mounted) {                // the first save, without the limit
      const rlimit none{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
      rlimit small{};
      ::getrlimit(RLIMIT_FSIZE, &small);
      ::setrlimit(RLIMIT_FSIZE, &none);
      ASSERT_TRUE(m.saver->Save(*m.session, disk / "m", 1).ok());
      ::setrlimit(RLIMIT_FSIZE, &small);
    } else {
      ASSERT_TRUE(m.saver->Save(*m.session, disk / "m", 1).ok());
    }
    const auto files = ListFolder(disk.path()).value();
    m.Set(8);
    for (int i = 0; i < 3; ++i) {
      ExpectError(m.saver->Save(*m.session, disk / "m", 2).status(), kFull,
                  {"SaveV2", "cannot write", "m-2", mounted ? "No space left" : "File too large"});
      EXPECT_EQ(ListFolder(disk.path()).value(), files);  // nothing of it is left
    }
    EXPECT_EQ(m.saver->last_checkpoints(), std::vector<std::string>{disk / "m-1"});
    EXPECT_EQ(LatestCheckpoint(disk.path()).value(), disk / "m-1");
    EXPECT_EQ(m.Get(), 8);  // training can go on
    ASSERT_TRUE(m.saver->Restore(*m.session, disk / "m-1").ok());
    EXPECT_EQ(m.Get(), 7);
  }
}

TEST(BadInput, FullDiskUnderAnEventLog) {
  for (const bool mounted : {false, true}) {
    SCOPED_TRACE(mounted ? "a small disk" : "a limit on files");
    SmallDisk disk(64 << 10, mounted);
    if (!disk.usable()) continue;
    std::vector<std::string> warnings;
    SetLogSink([&](LogLevel, std::string_view text) { warnings.emplace_back(text); });
    auto events = EventWriter::Open(disk / "log");
    ASSERT_TRUE(events.ok()) << events.status();
    Status status;
    int64_t step = 0;
    for (; status.ok() && step < 1000000; ++step) {
      status = (*events)->AddScalar("loss", 0.5f, step);
      if (status.ok() && step % 100 == 99) status = (*events)->Flush();
    }
    ExpectError(status, kFull, {"cannot write", "events.out.tfevents"});
    EXPECT_EQ((*events)->AddScalar("loss", 0.5f, step), status);  // it stays: a gap would be hidden
    EXPECT_EQ((*events)->Close(), status);
    const std::string path = (*events)->path();
    events->reset();
    SetLogSink({});
    // What came before is there.
    Status end;
    const int read = CountRecords(path, &end) - 1;
    EXPECT_GT(read, 100);
    EXPECT_LE(read, step);
    // Training whose log cannot be made says so at once.
    EXPECT_FALSE(mounted && EventWriter::Open(disk / "other").ok());
  }
}

TEST(BadInput, FoldersThatCannotBeWritten) {
  Model m;
  Folder folder;
  ASSERT_TRUE(WriteFileAtomically(folder / "file", "x").ok());
  ExpectError(m.saver->Save(*m.session, folder / "file/m").status(), kNotFound, {"file"});
  ExpectError(EventWriter::Open(folder / "file/log").status(), kNotFound, {"file"});
  ExpectError(m.saver->Save(*m.session, "").status(), kInvalid, {"is a folder"});
  EXPECT_FALSE(m.saver->Save(*m.session, "/proc/nowhere/m").ok());
  EXPECT_FALSE(EventWriter::Open("/proc/nowhere/log").ok());
  if (::geteuid() == 0) {
    if (::mount("none", folder.path().c_str(), "tmpfs", MS_RDONLY, "") != 0)
      return;  // no right to mount
  } else {
    ::chmod(folder.path().c_str(), 0555);
  }
  constexpr auto kDenied = absl::StatusCode::kPermissionDenied;
  ExpectError(m.saver->Save(*m.session, folder / "m").status(), kDenied, {folder / "m"});
  ExpectError(m.saver->Save(*m.session, folder / "deeper/m").status(), kDenied,
              {folder / "deeper"});
  ExpectError(EventWriter::Open(folder.path()).status(), kDenied, {folder.path()});
  ExpectError(WriteMetaGraph(m.g, folder / "m.meta"), kDenied, {"m.meta"});
  ::geteuid() == 0 ? ::umount2(folder.path().c_str(), MNT_DETACH)
                   : ::chmod(folder.path().c_str(), 0755);
  EXPECT_TRUE(m.saver->Save(*m.session, folder / "m").ok());
}

TEST(BadInput, DamagedEventFiles) {
  Folder folder;
  std::string path;
  {
    auto events = EventWriter::Open(folder.path());
    ASSERT_TRUE(events.ok());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE((*events)->AddScalar("loss", 1, i).ok());
    path = (*events)->path();
  }
  const std::string bytes = ReadFile(path).value();
  Status end;
  EXPECT_EQ(CountRecords(path, &end), 6);
  EXPECT_TRUE(end.ok()) << end;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    Overwrite(path, damaged);
    EXPECT_LT(CountRecords(path, &end), 6);
    EXPECT_EQ(end.code(), kDataLoss) << end;
    EXPECT_THAT(std::string(Message(end)), ::testing::HasSubstr(path));
  }
  ExpectError(RecordReader::Open(folder / "none").status(), kNotFound, {"none"});
}

// protocol buffers complain on stderr where a tag is no UTF-8, and TensorBoard refuses the whole
// event.
TEST(BadInput, TagsThatAreNoText) {
  Folder folder;
  ::testing::internal::CaptureStderr();
  {
    auto events = EventWriter::Open(folder.path());
    ASSERT_TRUE(events.ok());
    EXPECT_TRUE((*events)
                    ->AddScalar("a\xff"
                                "b",
                                1, 1)
                    .ok());
    EXPECT_TRUE((*events)->AddHistogram("h\xc3", Tensor::Of<float>({1, 2}), 1).ok());
    EXPECT_TRUE(
        (*events)->AddImages("i\x80", Tensor::Of<uint8_t>({1, 2, 3, 4}, {1, 2, 2, 1}), 1).ok());
    EXPECT_TRUE((*events)->AddRunMetadata("m\xff", "", 1).ok());
    EXPECT_TRUE(
        (*events)->AddSessionLog(EventWriter::SessionStatus::kStart, 1, "p\xff", "t\xff").ok());
    Graph g;
    Output tag = Placeholder(g, DType::kString, PartialShape(Shape()), {.name = "tag"});
    Output summary = NodeBuilder("ScalarSummary", "s", Location::Current())
                         .Input(tag)
                         .Input(Const(g, 1.0f))
                         .Build();
    auto out = MakeSession(g)->Run({{tag, Tensor::Scalar<std::string>("g\xff")}}, {summary});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_TRUE(AddSummary(**events, (*out)[0], 2).ok());
    EXPECT_EQ((*events)
                  ->AddSummary("\x0a\x05\x0a\x03"
                               "a\xff"
                               "b",
                               3)
                  .code(),
              kDataLoss);  // bytes of somebody else
    EXPECT_TRUE((*events)->Close().ok());
    const std::string bytes = ReadFile((*events)->path()).value();
    for (const char* tag : {"a\xef\xbf\xbd"
                            "b",
                            "h\xef\xbf\xbd", "i\xef\xbf\xbd/image/0", "m\xef\xbf\xbd",
                            "p\xef\xbf\xbd", "t\xef\xbf\xbd", "g\xef\xbf\xbd"}) {
      EXPECT_NE(bytes.find(tag), std::string::npos) << tag;
    }
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(BadInput, DataThatIsNot) {
  Folder folder;
  ExpectError(ReadIdxFile(folder / "none").status(), kNotFound, {"none", "none.gz"});
  Overwrite(folder / "text", "not an idx file at all");
  ExpectError(ReadIdxFile(folder / "text").status(), kInvalid, {"text"});
  const std::string header("\0\0\x08\x01\0\0\0\x0a", 8);
  Overwrite(folder / "short", header + "12345");
  ExpectError(ReadIdxFile(folder / "short").status(), kDataLoss, {"short"});
  Overwrite(folder / "long", header + "12345678901234");
  ExpectError(ReadIdxFile(folder / "long").status(), kDataLoss, {"long"});
  Overwrite(folder / "empty", "");
  EXPECT_FALSE(ReadIdxFile(folder / "empty").ok());
  ExpectError(ReadIdxFile(folder.path()).status(), kInvalid, {folder.path()});
}

}  // namespace
}  // namespace headrace::bad_input
