#include "headrace/io/checkpoint_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "headrace/base/file.h"
#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_state.h"
#include "headrace/io/internal/bundle_index.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kGolden = HEADRACE_SOURCE_DIR "/tests/golden/checkpoint/";

class TempFolder {
 public:
  TempFolder() : path_(StrCat(::testing::TempDir(), "/bundle", ::getpid(), "_", count_++)) {
    std::filesystem::remove_all(path_);
    EXPECT_TRUE(MakeFolders(path_).ok());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return StrCat(path_, "/", name); }
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::string path_;
};

Tensor Numbers(const Shape& shape, float start = 0) {
  Tensor t(DType::kFloat32, shape);
  std::iota(t.data<float>(), t.data<float>() + t.num_elements(), start);
  return t;
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::kString)
    return std::ranges::equal(a.flat<std::string>(), b.flat<std::string>());
  return a.num_elements() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0;
}

std::string MessageOf(const Status& status) {
  return std::string(Message(status));
}

// ---- files made by TensorFlow 1.15

// The numbers of a golden file, as a tensor of the dtype that it names.
Tensor FromJson(const nlohmann::json& value) {
  std::vector<int64_t> dims = value["shape"].get<std::vector<int64_t>>();
  Tensor tensor(*ParseDType(value["dtype"].get<std::string>()),
                Shape(std::span<const int64_t>(dims)));
  const auto number = [](const nlohmann::json& x) {
    if (!x.is_string()) return x.get<double>();
    return x == "nan" ? std::nan("") : *ParseDouble(x.get<std::string>());
  };
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    DispatchDType<kPlainTypes - kQuantizedTypes>(tensor.dtype(), [&]<class T>() {
      const nlohmann::json& x = value["data"][static_cast<size_t>(i)];
      T& out = tensor.data<T>()[i];
      if constexpr (std::is_same_v<T, std::complex<float>> ||
                    std::is_same_v<T, std::complex<double>>) {
        out = T(x[0].get<double>(), x[1].get<double>());
      } else if constexpr (std::is_integral_v<T>) {
        out = x.get<T>();
      } else {
        out = static_cast<T>(number(x));
      }
    });
  }
  return tensor;
}

nlohmann::json GoldenJson() {
  return nlohmann::json::parse(*ReadFile(kGolden + "checkpoint.json"));
}

void ExpectContents(const BundleReader& reader, const nlohmann::json& contents) {
  EXPECT_EQ(reader.variables().size(), contents.size());
  for (const auto& [name, value] : contents.items()) {
    auto tensor = reader.Read(name);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    if (tensor->dtype() == DType::kString) {
      EXPECT_EQ(value["dtype"], "string");
      continue;  // see StringsOfTensorFlow
    }
    EXPECT_TRUE(SameBytes(*tensor, FromJson(value))) << name << " " << tensor->ToString(100) << "\n"
                                                     << value;
  }
}

TEST(BundleReader, ReadsWhatTensorFlowWrote) {
  const auto golden = GoldenJson();
  auto reader = BundleReader::Open(kGolden + "v2/model.ckpt-3");
  ASSERT_TRUE(reader.ok()) << reader.status();
  ExpectContents(**reader, golden["v2"]["model.ckpt-3"]["contents"]);
  EXPECT_TRUE((*reader)->CheckFiles().ok());
  const auto& list = golden["v2"]["model.ckpt-3"]["list_variables"];
  ASSERT_EQ(list.size(), (*reader)->variables().size());
  for (size_t i = 0; i < list.size(); ++i)
    EXPECT_EQ((*reader)->variables()[i].name, list[i][0].get<std::string>());
}

TEST(BundleReader, StringsOfTensorFlow) {
  auto reader = BundleReader::Open(kGolden + "v2/model.ckpt-3");
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(SameBytes(*(*reader)->Read("string/scalar"), Tensor::Scalar<std::string>("hello")));
  auto matrix = (*reader)->Read("string/matrix");
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->shape(), (Shape{2, 2}));
  EXPECT_EQ(matrix->data<std::string>()[0], "");
  EXPECT_EQ(matrix->data<std::string>()[1], "a");
  EXPECT_EQ(matrix->data<std::string>()[2], std::string(200, 'b'));
  EXPECT_THAT(matrix->data<std::string>()[3], HasSubstr("caf"));
}

TEST(BundleReader, ReadsShardedRenamedAndV1) {
  const auto golden = GoldenJson();
  const std::pair<const char*, const char*> cases[] = {
      {"sharded", "sharded/sharded"}, {"renamed", "renamed/renamed.ckpt"}, {"v1", "v1/v1.ckpt"}};
  for (const auto& [key, prefix] : cases) {
    auto reader = BundleReader::Open(kGolden + prefix);
    ASSERT_TRUE(reader.ok()) << reader.status();
    ExpectContents(**reader, golden[key]["contents"]);
    EXPECT_TRUE((*reader)->CheckFiles().ok());
  }
}

TEST(BundleReader, PartsOfPartitionedVariables) {
  auto reader = BundleReader::Open(kGolden + "v2/model.ckpt-3");
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->Find("p/part")->slices.size(), 3u);
  const Tensor whole = *(*reader)->Read("p/part");
  for (const char* text : {"0,3:0,2", "-:-", "2,4:1,1", "6,1:-", "1,0:-"}) {
    const TensorSlice slice = *TensorSlice::Parse(text);
    auto part = (*reader)->ReadSlice("p/part", slice);
    ASSERT_TRUE(part.ok()) << part.status();
    Tensor expected(DType::kFloat32, *slice.ShapeIn(whole.shape()));
    CopyOverlap(TensorSlice::Full(2).Explicit(whole.shape()), whole, slice.Explicit(whole.shape()),
                &expected);
    EXPECT_TRUE(SameBytes(*part, expected)) << text;
  }
  // A part of what is stored whole.
  auto cut = (*reader)->ReadSlice("f32/matrix", *TensorSlice::Parse("1,1:2,2"));
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->data<float>()[0], (*reader)->Read("f32/matrix")->data<float>()[6]);
  EXPECT_FALSE((*reader)->ReadSlice("f32/matrix", *TensorSlice::Parse("1,3:2,2")).ok());
}

// Byte for byte what TensorFlow makes of the same values, index and data.
TEST(BundleWriter, WritesTheBytesOfTensorFlow) {
  for (const char* prefix : {"v2/model.ckpt-3", "v2/model.ckpt-2", "renamed/renamed.ckpt"}) {
    auto reader = BundleReader::Open(kGolden + prefix);
    ASSERT_TRUE(reader.ok());
    struct Piece {
      std::string name;
      TensorSlice slice;
      bool whole;
    };
    std::map<std::pair<int64_t, std::string>, Piece>
        pieces;  // in the order in which they were added
    const auto index = ReadBundleIndex(kGolden + prefix);
    ASSERT_TRUE(index.ok());
    for (const CheckpointVariable& v : (*reader)->variables()) {
      if (v.slices.empty()) {
        pieces[{index->entries.at(v.name).offset(), v.name}] = {v.name, {}, true};
      }
      for (size_t i = 0; i < v.slices.size(); ++i) {
        // The three parts lie one after the other behind what precedes them.
        pieces[{418 + static_cast<int64_t>(i), v.name}] = {v.name, v.slices[i], false};
      }
    }
    TempFolder folder;
    auto writer = BundleWriter::Create(folder / "ours");
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const auto& [place, piece] : pieces) {
      const Shape& full = (*reader)->Find(piece.name)->shape;
      const Status status =
          piece.whole ? (*writer)->Add(piece.name, *(*reader)->Read(piece.name))
                      : (*writer)->AddSlice(piece.name, full, piece.slice,
                                            *(*reader)->ReadSlice(piece.name, piece.slice));
      ASSERT_TRUE(status.ok()) << status;
    }
    ASSERT_TRUE((*writer)->Finish().ok());
    for (const char* suffix : {".data-00000-of-00001", ".index"}) {
      EXPECT_EQ(*ReadFile(folder / (std::string("ours") + suffix)),
                *ReadFile(kGolden + prefix + suffix))
          << prefix << suffix;
    }
  }
}

// ---- our own

TEST(BundleWriter, RoundTripsEveryDType) {
  TempFolder folder;
  auto writer = BundleWriter::Create(folder / "sub/model");
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::vector<Tensor> tensors;
  for (int i = 1; i <= 23; ++i) {
    const DType type = static_cast<DType>(i);
    if (!IsPlain(type)) continue;
    Tensor t(type, Shape{3, 5});
    for (size_t k = 0; k < t.size_bytes(); ++k) {
      static_cast<uint8_t*>(t.raw_data())[k] =
          static_cast<uint8_t>(type == DType::kBool ? k % 2 : k * 7 + 1);
    }
    tensors.push_back(t);
  }
  tensors.push_back(Tensor::Of<std::string>({"", "x", std::string(100000, 'y')}));
  tensors.push_back(Tensor(DType::kString, Shape{0}));
  tensors.push_back(Tensor(DType::kFloat32, Shape{2, 0}));
  for (size_t i = 0; i < tensors.size(); ++i)
    ASSERT_TRUE((*writer)->Add(StrCat("v", i), tensors[i]).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(*ListFolder(folder / "sub"),
            (std::vector<std::string>{"model.data-00000-of-00001", "model.index"}));
  auto reader = BundleReader::Open(folder / "sub/model");
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto read = (*reader)->Read(StrCat("v", i));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(SameBytes(*read, tensors[i])) << i;
  }
}

TEST(BundleWriter, ManyVariablesNeedSeveralBlocks) {
  TempFolder folder;
  auto writer = BundleWriter::Create(folder / "m", {.sync = false});
  ASSERT_TRUE(writer.ok());
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(
        (*writer)->Add(StrCat("a/long/scope/of/variable_", i), Tensor::Scalar<int32_t>(i)).ok());
  }
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_GT(std::filesystem::file_size(folder / "m.index"), 262144u);
  auto reader = BundleReader::Open(folder / "m");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->variables().size(), 20000u);
  EXPECT_EQ((*reader)->Read("a/long/scope/of/variable_17171")->scalar<int32_t>(), 17171);
}

TEST(BundleWriter, RefusesWhatCannotBeSaved) {
  TempFolder folder;
  auto writer = BundleWriter::Create(folder / "m");
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Add("a", Numbers(Shape{2})).ok());
  EXPECT_THAT(MessageOf((*writer)->Add("a", Numbers(Shape{2}))),
              HasSubstr("'a' is already in checkpoint"));
  EXPECT_FALSE((*writer)->Add("", Numbers(Shape{2})).ok());
  EXPECT_THAT(MessageOf((*writer)->Add("r", Tensor(DType::kResource, Shape{}))),
              HasSubstr("dtype resource"));
  EXPECT_FALSE((*writer)->Add("none", Tensor()).ok());
  const TensorSlice half = *TensorSlice::Parse("0,2:-");
  EXPECT_FALSE((*writer)->AddSlice("a", Shape{4, 2}, half, Numbers(Shape{2, 2})).ok());
  EXPECT_THAT(MessageOf((*writer)->AddSlice("s", Shape{4, 2}, half, Numbers(Shape{1, 2}))),
              HasSubstr("has shape [1,2]; expected [2,2]"));
  ASSERT_TRUE((*writer)->AddSlice("s", Shape{4, 2}, half, Numbers(Shape{2, 2})).ok());
  EXPECT_FALSE((*writer)
                   ->AddSlice("s", Shape{5, 2}, *TensorSlice::Parse("2,2:-"), Numbers(Shape{2, 2}))
                   .ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ((*writer)->Finish().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ((*writer)->Add("b", Numbers(Shape{2})).code(), absl::StatusCode::kFailedPrecondition);
  auto reader = BundleReader::Open(folder / "m");
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)->Read("a").ok());
  const Status missing = (*reader)->Read("s").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(missing), HasSubstr("parts for 4 of 8 elements"));
  EXPECT_TRUE((*reader)->ReadSlice("s", half).ok());
  EXPECT_FALSE(BundleWriter::Create("").ok());
  EXPECT_FALSE(BundleWriter::Create(folder / "").ok());
}

TEST(BundleWriter, NothingIsLeftWithoutFinish) {
  TempFolder folder;
  {
    auto writer = BundleWriter::Create(folder / "m");
    ASSERT_TRUE((*writer)->Add("a", Numbers(Shape{100000})).ok());
  }
  EXPECT_TRUE(ListFolder(folder.path())->empty());
}

// A limit on the size of files stands for a disk that fills up in the middle.
TEST(BundleWriter, FullDiskIsAnErrorAndLeavesTheOldCheckpoint) {
  TempFolder folder;
  auto writer = BundleWriter::Create(folder / "m");
  ASSERT_TRUE((*writer)->Add("a", Numbers(Shape{10})).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  auto failing = BundleWriter::Create(folder / "m");
  const Status add = (*failing)->Add("a", Numbers(Shape{1000000}));
  const Status again = (*failing)->Add("b", Numbers(Shape{1}));
  const Status finish = (*failing)->Finish();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(MessageOf(add), HasSubstr("cannot write"));
  EXPECT_EQ(again, add);
  EXPECT_EQ(finish, add);
  EXPECT_EQ(ListFolder(folder.path())->size(), 2u);
  EXPECT_TRUE((*BundleReader::Open(folder / "m"))->Read("a").ok());
  EXPECT_FALSE(BundleWriter::Create("/proc/nowhere/model").ok());
}

TEST(BundleWriter, OverwritingSwitchesWithOneRename) {
  TempFolder folder;
  for (int round = 1; round <= 3; ++round) {
    auto writer = BundleWriter::Create(folder / "m");
    ASSERT_TRUE((*writer)->Add("a", Numbers(Shape{10}, static_cast<float>(round))).ok());
    // Until Finish the old one is there.
    if (round > 1) {
      EXPECT_EQ((*BundleReader::Open(folder / "m"))->Read("a")->data<float>()[0],
                static_cast<float>(round - 1));
    }
    ASSERT_TRUE((*writer)->Finish().ok());
    EXPECT_EQ((*BundleReader::Open(folder / "m"))->Read("a")->data<float>()[0],
              static_cast<float>(round));
    const char* data = round == 2 ? "m.data-00000-of-00002" : "m.data-00000-of-00001";
    EXPECT_THAT(*ListFolder(folder.path()), ElementsAre(data, "m.index"));
  }
}

// The writer is killed at moments spread over its work; whatever is under the prefix can be read in
// full.
TEST(BundleWriter, SurvivesKillAtAnyMoment) {
  TempFolder folder;
  const auto save = [&](float value, const std::string& name) {
    auto writer = BundleWriter::Create(folder / name);
    for (int i = 0; writer.ok() && i < 20; ++i) {
      if (!(*writer)->Add(StrCat("v", i), Numbers(Shape{20000}, value)).ok()) return false;
    }
    return writer.ok() && (*writer)->Finish().ok();
  };
  ASSERT_TRUE(save(0, "same"));
  for (int i = 0; i < 12; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (float value = 1;; value += 1) save(value, "same");
    }
    ::usleep(static_cast<useconds_t>(3000 + i * 2700));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    auto reader = BundleReader::Open(folder / "same");
    ASSERT_TRUE(reader.ok()) << reader.status();
    const Tensor first = *(*reader)->Read("v0");
    for (int v = 1; v < 20; ++v) {
      auto read = (*reader)->Read(StrCat("v", v));
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_TRUE(SameBytes(*read, first));
    }
  }
}

TEST(MergeBundles, JoinsShardsAndParts) {
  TempFolder folder;
  const Tensor whole = Numbers(Shape{6, 2});
  for (int i = 0; i < 3; ++i) {
    auto writer = BundleWriter::Create(folder / StrCat("tmp/part-", i));
    ASSERT_TRUE((*writer)->Add(StrCat("own", i), Numbers(Shape{3}, static_cast<float>(i))).ok());
    TensorSlice slice;
    ASSERT_TRUE(slice.Append({2 * i, 2}).ok() && slice.Append({}).ok());
    ASSERT_TRUE((*writer)
                    ->AddSlice("shared", whole.shape(), slice, whole.SliceDim0(2 * i, 2 * i + 2))
                    .ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  const std::vector<std::string> parts{folder / "tmp/part-0", folder / "tmp/part-1",
                                       folder / "tmp/part-2"};
  ASSERT_TRUE(MergeBundles(parts, folder / "all").ok());
  EXPECT_TRUE(FileExists(folder / "all.data-00002-of-00003"));
  EXPECT_FALSE(FileExists(folder / "tmp/part-0.index"));
  auto reader = BundleReader::Open(folder / "all");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->variables().size(), 4u);
  EXPECT_TRUE(SameBytes(*(*reader)->Read("shared"), whole));
  EXPECT_TRUE(SameBytes(*(*reader)->Read("own2"), Numbers(Shape{3}, 2)));
}

TEST(MergeBundles, RefusesAVariableTwice) {
  TempFolder folder;
  std::vector<std::string> parts;
  for (int i = 0; i < 2; ++i) {
    parts.push_back(folder / StrCat("part-", i));
    auto writer = BundleWriter::Create(parts.back());
    ASSERT_TRUE((*writer)->Add("v", Numbers(Shape{3})).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  EXPECT_THAT(MessageOf(MergeBundles(parts, folder / "all")), HasSubstr("'v'"));
  EXPECT_TRUE(BundleReader::Open(parts[0]).ok());
}

TEST(BundleReader, UnknownNameListsTheNearest) {
  auto reader = BundleReader::Open(kGolden + "v2/model.ckpt-3");
  ASSERT_TRUE(reader.ok());
  const Status status = (*reader)->Read("f32/matrx").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(status),
              AllOf(HasSubstr("Key f32/matrx not found in checkpoint"), HasSubstr("f32/matrix")));
}

TEST(BundleReader, MissingFilesAreNamed) {
  const Status none = BundleReader::Open("/nonexistent/model").status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(none), HasSubstr("'/nonexistent/model.index'"));
  TempFolder folder;
  std::filesystem::copy(kGolden + "sharded", folder.path());
  std::filesystem::remove(folder / "sharded.data-00001-of-00002");
  auto reader = BundleReader::Open(folder / "sharded");
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)->Read("a").ok());
  const Status status = (*reader)->Read("b").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(status),
              AllOf(HasSubstr("variable 'b'"), HasSubstr("sharded.data-00001-of-00002")));
  EXPECT_EQ((*reader)->CheckFiles().code(), absl::StatusCode::kNotFound);
}

TEST(BundleReader, TruncatedDataIsNamed) {
  TempFolder folder;
  std::filesystem::copy(kGolden + "v2", folder.path());
  std::filesystem::resize_file(folder / "model.ckpt-3.data-00000-of-00001", 300);
  auto reader = BundleReader::Open(folder / "model.ckpt-3");
  ASSERT_TRUE(reader.ok());
  const Status status = (*reader)->Read("resource").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(MessageOf(status),
              AllOf(HasSubstr("'resource'"), HasSubstr("cut short"), HasSubstr("300 bytes")));
  EXPECT_EQ((*reader)->CheckFiles().code(), absl::StatusCode::kDataLoss);
}

// A new file each time: emptying one makes some file systems wait for the disk.
void Overwrite(const std::string& path, std::string_view bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

// Every value read from a damaged checkpoint is right, or there is an error.
TEST(BundleReader, EveryChangedByteIsFoundOrHarmless) {
  TempFolder folder;
  auto writer = BundleWriter::Create(folder / "m");
  ASSERT_TRUE((*writer)->Add("numbers", Numbers(Shape{3, 2})).ok());
  ASSERT_TRUE((*writer)->Add("text", Tensor::Of<std::string>({"one", "", "three"})).ok());
  ASSERT_TRUE(
      (*writer)->AddSlice("part", Shape{4}, *TensorSlice::Parse("0,2"), Numbers(Shape{2})).ok());
  ASSERT_TRUE(
      (*writer)->AddSlice("part", Shape{4}, *TensorSlice::Parse("2,2"), Numbers(Shape{2}, 2)).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  std::map<std::string, Tensor> good;
  for (const char* name : {"numbers", "text", "part"})
    good[name] = *(*BundleReader::Open(folder / "m"))->Read(name);
  int errors = 0;
  const auto check = [&](const std::string& what) {
    auto reader = BundleReader::Open(folder / "m");
    errors += !reader.ok();
    if (!reader.ok()) return;
    for (const auto& [name, expected] : good) {
      auto read = (*reader)->Read(name);
      errors += !read.ok();
      if (read.ok()) {
        EXPECT_TRUE(SameBytes(*read, expected)) << what << " " << name;
      }
    }
  };
  for (const std::string file : {"m.index", "m.data-00000-of-00001"}) {
    const std::string bytes = *ReadFile(folder / file);
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int change : {1, 0x80, 0xff}) {
        std::string bad = bytes;
        bad[i] = static_cast<char>(bad[i] ^ change);
        Overwrite(folder / file, bad);
        check(StrCat(file, " byte ", i));
      }
      Overwrite(folder / file, bytes.substr(0, i));
      check(StrCat(file, " cut at ", i));
    }
    Overwrite(folder / file, bytes);
    EXPECT_GT(errors, static_cast<int>(bytes.size()));
  }
}

// Wrong contents under right checksums: what a hostile file can have.
TEST(BundleReader, HostileIndexIsAnError) {
  TempFolder folder;
  auto writer = BundleWriter::Create(folder / "m");
  ASSERT_TRUE((*writer)->Add("v", Numbers(Shape{3, 2})).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  const BundleIndex good = *ReadBundleIndex(folder / "m");
  const auto reads = [&](const std::function<void(proto::BundleEntryProto&)>& change) {
    BundleIndex index = good;
    change(index.entries["v"]);
    EXPECT_TRUE(WriteBundleIndex(folder / "m", index, false).ok());
    auto reader = BundleReader::Open(folder / "m");
    return reader.ok() && (*reader)->Read("v").ok();
  };
  EXPECT_TRUE(reads([](auto&) {}));
  EXPECT_FALSE(reads([](auto& e) { e.set_size(int64_t{1} << 62); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_size(-24); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_offset(std::numeric_limits<int64_t>::max()); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_offset(-1); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_shard_id(7); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_shard_id(-1); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_dtype(proto::DT_STRING); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_dtype(proto::DT_RESOURCE); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_dtype(proto::DT_INVALID); }));
  EXPECT_FALSE(reads([](auto& e) { e.set_dtype(static_cast<proto::DataType>(77)); }));
  EXPECT_FALSE(reads([](auto& e) { e.mutable_shape()->set_unknown_rank(true); }));
  EXPECT_FALSE(
      reads([](auto& e) { e.mutable_shape()->mutable_dim(0)->set_size(int64_t{1} << 61); }));
  EXPECT_FALSE(reads([](auto& e) { e.mutable_shape()->mutable_dim(0)->set_size(-3); }));
  EXPECT_FALSE(reads([](auto& e) { e.add_slices(); }));
  EXPECT_FALSE(reads([](auto& e) { e.add_slices()->add_extent()->set_length(int64_t{1} << 62); }));
}

TEST(BundleReader, OtherFilesAreNotCheckpoints) {
  TempFolder folder;
  for (const std::string bytes :
       {"", "hello", "0123456789012345678901234567890123456789012345678901234567890"}) {
    std::ofstream(folder / "x.index") << bytes;
    EXPECT_EQ(BundleReader::Open(folder / "x").status().code(), absl::StatusCode::kDataLoss);
    std::ofstream(folder / "y") << bytes;
    EXPECT_FALSE(BundleReader::Open(folder / "y").ok());
  }
  EXPECT_FALSE(BundleReader::Open(folder.path()).ok());
}

TEST(CheckpointState, ReadsTensorFlowsFile) {
  auto state = ReadCheckpointState(kGolden + "v2");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->model_checkpoint_path, kGolden + "v2/model.ckpt-3");
  EXPECT_THAT(state->all_model_checkpoint_paths,
              ElementsAre(kGolden + "v2/model.ckpt-2", kGolden + "v2/model.ckpt-3"));
  EXPECT_EQ(*LatestCheckpoint(kGolden + "v2"), kGolden + "v2/model.ckpt-3");
}

TEST(CheckpointState, WritesTensorFlowsFile) {
  TempFolder folder;
  ASSERT_TRUE(
      WriteCheckpointState(folder.path(), {.model_checkpoint_path = folder / "model.ckpt-3",
                                           .all_model_checkpoint_paths = {folder / "model.ckpt-2",
                                                                          folder / "model.ckpt-3"}})
          .ok());
  EXPECT_EQ(*ReadFile(folder / "checkpoint"), *ReadFile(kGolden + "v2/checkpoint"));
  const CheckpointState full{.model_checkpoint_path = "/elsewhere/b",
                             .all_model_checkpoint_paths = {"/elsewhere/a", "/elsewhere/b"},
                             .all_model_checkpoint_timestamps = {1.5e9, 1600000000.25},
                             .last_preserved_timestamp = 1.25};
  ASSERT_TRUE(WriteCheckpointState(folder.path(), full).ok());
  auto read = ReadCheckpointState(folder.path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->all_model_checkpoint_paths, full.all_model_checkpoint_paths);
  EXPECT_EQ(read->all_model_checkpoint_timestamps, full.all_model_checkpoint_timestamps);
  EXPECT_EQ(read->last_preserved_timestamp, 1.25);
  EXPECT_FALSE(WriteCheckpointState(folder.path(), {.all_model_checkpoint_timestamps = {1}}).ok());
}

TEST(CheckpointState, ErrorsNameFileAndLine) {
  TempFolder folder;
  EXPECT_EQ(ReadCheckpointState(folder.path()).status().code(), absl::StatusCode::kNotFound);
  std::ofstream(folder / "checkpoint") << "model_checkpoint_path: \"a\"\nnonsense\n";
  EXPECT_THAT(MessageOf(ReadCheckpointState(folder.path()).status()), HasSubstr("/checkpoint:"));
}

TEST(LatestCheckpoint, SkipsIncompleteOnesAndSaysSo) {
  TempFolder folder;
  std::filesystem::copy(kGolden + "v2", folder.path());
  std::vector<std::string> warnings;
  SetLogSink([&](LogLevel, std::string_view message) { warnings.emplace_back(message); });
  EXPECT_EQ(*LatestCheckpoint(folder.path()), folder / "model.ckpt-3");
  EXPECT_TRUE(warnings.empty());
  std::filesystem::resize_file(folder / "model.ckpt-3.data-00000-of-00001", 100);
  EXPECT_EQ(*LatestCheckpoint(folder.path()), folder / "model.ckpt-2");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("model.ckpt-3"), HasSubstr("cut short")));
  std::filesystem::remove(folder / "model.ckpt-2.index");
  EXPECT_EQ(LatestCheckpoint(folder.path()).status().code(), absl::StatusCode::kNotFound);
  SetLogSink({});
}

TEST(RemoveCheckpoint, RemovesAllItsFilesAndNoOthers) {
  TempFolder folder;
  std::filesystem::copy(kGolden + "v2", folder.path());
  ASSERT_TRUE(RemoveCheckpoint(folder / "model.ckpt-3", true).ok());
  EXPECT_THAT(*ListFolder(folder.path()),
              ElementsAre("checkpoint", "model.ckpt-2.data-00000-of-00001", "model.ckpt-2.index"));
  EXPECT_TRUE(RemoveCheckpoint(folder / "model.ckpt-3", true).ok());
}

}  // namespace
}  // namespace headrace
