// CacheDataset: elements of the first pass are kept, in memory or in files of TensorFlow's format.
#include <cstdio>
#include <ctime>
#include <fstream>

#include "headrace/base/file.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

constexpr int64_t kMostElements = 10'000'000;  // of a file: what its keys have digits for

// A whole pass; nothing until one has ended.
struct KeptElements {
  std::mutex mutex;
  std::shared_ptr<const std::vector<Element>> all;
};

class CacheDataset : public UnaryDataset {
 public:
  using UnaryDataset::UnaryDataset;
  std::string_view name() const override { return "Cache"; }
  int64_t Cardinality() const override { return input().Cardinality(); }
};

class MemoryCacheDataset final : public CacheDataset {
 public:
  using CacheDataset::CacheDataset;

 private:
  class Position final : public UnaryIterator<MemoryCacheDataset> {
   public:
    Position(std::shared_ptr<const MemoryCacheDataset> dataset, std::string place,
             std::unique_ptr<Iterator> input, std::shared_ptr<KeptElements> kept)
        : UnaryIterator(std::move(dataset), std::move(place), std::move(input)),
          kept_(std::move(kept)) {
      std::lock_guard lock(kept_->mutex);
      all_ = kept_->all;
    }
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (all_ == nullptr) return Record(ctx, element);
      if (next_ == all_->size()) return false;
      element = (*all_)[next_++];
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Cache");
      state.Int(all_ != nullptr);
      const std::vector<Element>& elements = all_ != nullptr ? *all_ : recorded_;
      state.Int(static_cast<int64_t>(elements.size()));
      for (const Element& element : elements) state.Values(element);
      state.Int(static_cast<int64_t>(next_));
      return all_ != nullptr ? absl::OkStatus() : input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Cache"));
      HR_ASSIGN_OR_RETURN(const int64_t complete, state.IntIn(0, 1));
      HR_ASSIGN_OR_RETURN(const int64_t count, state.IntIn(0, int64_t{1} << 62));
      std::vector<Element> elements;
      for (int64_t i = 0; i < count; ++i) {
        HR_ASSIGN_OR_RETURN(Element element, state.Values());
        elements.push_back(std::move(element));
      }
      HR_ASSIGN_OR_RETURN(const int64_t next, state.IntIn(0, count));
      next_ = static_cast<size_t>(next);
      recorded_ = std::move(elements);
      if (complete == 0) return input_->Restore(ctx, state);
      Keep();
      return absl::OkStatus();
    }

   private:
    StatusOr<bool> Record(const IterationContext& ctx, Element& element) {
      HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
      if (more) {
        recorded_.push_back(element);
        return true;
      }
      next_ = recorded_.size();
      Keep();
      return false;
    }
    void Keep() {
      all_ = std::make_shared<const std::vector<Element>>(std::move(recorded_));
      std::lock_guard lock(kept_->mutex);
      kept_->all = all_;
    }

    const std::shared_ptr<KeptElements> kept_;
    std::shared_ptr<const std::vector<Element>> all_;  // null in the pass that records
    std::vector<Element> recorded_;
    size_t next_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    auto kept = ctx.memory->FindOrMake<KeptElements>(
        place, [] { return std::make_shared<KeptElements>(); });
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> input, this->input().Iterate(ctx, place));
    return std::make_unique<Position>(Self<MemoryCacheDataset>(), std::move(place),
                                      std::move(input), std::move(kept));
  }
};

class FileCacheDataset final : public CacheDataset {
 public:
  FileCacheDataset(DatasetPtr input, std::string prefix)
      : CacheDataset(std::move(input)),
        prefix_(std::move(prefix)),
        digits_(static_cast<int>(StrCat(types().size()).size())) {}
  const std::string& prefix() const { return prefix_; }
  // "      3_0": element 3, component 0.
  std::string Key(int64_t element, size_t component) const {
    char key[64];
    std::snprintf(key, sizeof key, "%7lld_%*zu", static_cast<long long>(element), digits_,
                  component);
    return key;
  }

 private:
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override;

  const std::string prefix_;
  const int digits_;
};

// Shows other programs that the files are being written; gone with this object.
class LockFile {
 public:
  static StatusOr<std::unique_ptr<LockFile>> Take(const std::string& prefix) {
    const std::string path = StrCat(prefix, "_0.lockfile");
    std::FILE* file = std::fopen(path.c_str(), "wx");
    if (file == nullptr && FileExists(path)) {
      return absl::AlreadyExistsError(
          StrCat("There appears to be a concurrent caching iterator running - cache lockfile "
                 "already exists ('",
                 path,
                 "'). If no other program uses this cache, delete the lockfile and initialize the "
                 "iterator again."));
    }
    if (file == nullptr) return NotFound(path, "; the lock of a cache cannot be written there");
    std::fprintf(file, "Created at: %lld", static_cast<long long>(std::time(nullptr)));
    std::fclose(file);
    return std::unique_ptr<LockFile>(new LockFile(path));
  }
  ~LockFile() { std::remove(path_.c_str()); }

 private:
  explicit LockFile(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

class FileWriter final : public UnaryIterator<FileCacheDataset> {
 public:
  using UnaryIterator::UnaryIterator;
  StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
    if (input_ == nullptr) return false;
    if (writer_ == nullptr) HR_RETURN_IF_ERROR(Open());
    HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
    if (!more) {
      HR_RETURN_IF_ERROR(writer_->Finish());
      writer_.reset();
      lock_.reset();
      input_.reset();
      return false;
    }
    if (written_ == kMostElements) {
      return InvalidArgument("Upstream iterator is producing more than ", kMostElements,
                             " items, which is more than the cache limit.");
    }
    for (size_t c = 0; c < element.size(); ++c)
      HR_RETURN_IF_ERROR(writer_->Add(dataset().Key(written_, c), element[c]));
    ++written_;
    return true;
  }
  Status Save(StateWriter&) const override {
    return Unimplemented(
        "the position in a cache whose files are still being written cannot be saved");
  }
  Status Restore(const IterationContext&, StateReader&) override {
    return absl::FailedPreconditionError(
        StrCat("the state belongs to a cache whose files are complete, but ", dataset().prefix(),
               " is not there"));
  }

 private:
  Status Open() {
    HR_ASSIGN_OR_RETURN(lock_, LockFile::Take(dataset().prefix()));
    HR_ASSIGN_OR_RETURN(writer_, BundleWriter::Create(dataset().prefix(), {.sync = false}));
    return absl::OkStatus();
  }

  std::unique_ptr<LockFile> lock_;
  std::unique_ptr<BundleWriter> writer_;
  int64_t written_ = 0;
};

class FileReader final : public IteratorOf<FileCacheDataset> {
 public:
  FileReader(std::shared_ptr<const FileCacheDataset> dataset, std::string place,
             std::unique_ptr<BundleReader> reader)
      : IteratorOf(std::move(dataset), std::move(place)), reader_(std::move(reader)) {}
  StatusOr<bool> Next(const IterationContext&, Element& element) override {
    if (reader_->Find(dataset().Key(next_, 0)) == nullptr) return false;
    element.clear();
    for (size_t c = 0; c < dataset().types().size(); ++c) {
      HR_ASSIGN_OR_RETURN(Tensor value, reader_->Read(dataset().Key(next_, c)));
      element.push_back(std::move(value));
    }
    ++next_;
    return true;
  }
  Status Save(StateWriter& state) const override {
    state.Begin("CacheFile");
    state.Int(next_);
    return absl::OkStatus();
  }
  Status Restore(const IterationContext&, StateReader& state) override {
    HR_RETURN_IF_ERROR(state.Begin("CacheFile"));
    HR_ASSIGN_OR_RETURN(next_, state.IntIn(0, kMostElements));
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<BundleReader> reader_;
  int64_t next_ = 0;
};

StatusOr<std::unique_ptr<Iterator>> FileCacheDataset::MakeIterator(const IterationContext& ctx,
                                                                   std::string place) const {
  if (FileExists(StrCat(prefix_, ".index"))) {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<BundleReader> reader, BundleReader::Open(prefix_));
    return std::make_unique<FileReader>(Self<FileCacheDataset>(), std::move(place),
                                        std::move(reader));
  }
  return OverInput<FileWriter, FileCacheDataset>(ctx, std::move(place));
}

StatusOr<DatasetPtr> MakeCache(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(std::string prefix, ScalarInput<std::string>(ctx, 1, "filename"));
  if (prefix.empty()) return std::make_shared<MemoryCacheDataset>(std::move(input));
  return std::make_shared<FileCacheDataset>(std::move(input), std::move(prefix));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCacheDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeCache>(init);
}

}  // namespace headrace
