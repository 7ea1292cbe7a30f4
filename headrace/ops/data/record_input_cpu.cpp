#include <algorithm>
#include <deque>
#include <mutex>
#include <random>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/record_file.h"
#include "headrace/ops/data/record_input_kernels.h"

namespace headrace {
namespace {

struct RecordInputSettings {
  std::string pattern;
  uint64_t seed = 0;
  double shift_ratio = 0;
  size_t buffer_size = 1, parallelism = 1;
  Compression compression = Compression::kNone;
};

// An endless sequence of records. Shared by the steps that run the node; thread-safe.
class RecordSequence final : public Resource {
 public:
  explicit RecordSequence(RecordInputSettings settings)
      : settings_(std::move(settings)), random_(settings_.seed) {}
  std::string_view kind() const override { return "record input"; }

  Status Take(std::span<std::string> batch, const Cancellation& step) {
    std::lock_guard lock(mutex_);
    for (std::string& record : batch) {
      if (step.cancelled()) return step.status();
      HR_RETURN_IF_ERROR(Fill());
      // Any of the buffer, whose last one comes to its place.
      std::swap(buffer_[random_() % buffer_.size()], buffer_.back());
      record = std::move(buffer_.back());
      buffer_.pop_back();
    }
    return absl::OkStatus();
  }

 private:
  // REQUIRES of all below: mutex_ is held.

  // Records of one time through the files are all given before those of the next.
  Status Fill() {
    if (buffer_.empty() && open_.empty() && files_.empty()) HR_RETURN_IF_ERROR(StartEpoch());
    while (buffer_.size() < settings_.buffer_size) {
      while (open_.size() < settings_.parallelism && !files_.empty()) {
        HR_ASSIGN_OR_RETURN(
            auto reader,
            RecordReader::Open(files_.front(), {.compression = settings_.compression}));
        files_.pop_front();
        open_.push_back(std::move(reader));
      }
      if (open_.empty()) break;
      std::string record;
      HR_ASSIGN_OR_RETURN(const bool more, open_.front()->Next(&record));
      if (more) {
        buffer_.push_back(std::move(record));
        open_.push_back(std::move(open_.front()));
      }
      open_.pop_front();
    }
    if (!buffer_.empty()) return absl::OkStatus();
    return NotFound("Found no records in ", settings_.pattern);
  }

  Status StartEpoch() {
    HR_ASSIGN_OR_RETURN(std::vector<std::string> files, MatchingFiles(settings_.pattern));
    if (files.empty()) return NotFound("Found no files at ", settings_.pattern);
    std::ranges::shuffle(files, random_);
    const auto shift =
        static_cast<int64_t>(settings_.shift_ratio * static_cast<double>(files.size()));
    std::ranges::rotate(files, files.begin() + std::min<int64_t>(shift, std::ssize(files) - 1));
    files_.assign(files.begin(), files.end());
    return absl::OkStatus();
  }

  const RecordInputSettings settings_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  std::deque<std::string> files_;  // not begun
  std::deque<std::unique_ptr<RecordReader>> open_;
  std::vector<std::string> buffer_;
};

class RecordInputKernel final : public Kernel {
 public:
  RecordInputKernel(std::shared_ptr<RecordSequence> records, int64_t batch_size)
      : records_(std::move(records)), batch_size_(batch_size) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {batch_size_}));
    return records_->Take(out->flat<std::string>(), *ctx.step().cancellation);
  }

 private:
  const std::shared_ptr<RecordSequence> records_;
  const int64_t batch_size_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRecordInputCpu(const KernelInit& init) {
  const int64_t batch_size = init.Attr<int64_t>("batch_size");
  const std::pair<const char*, int64_t> sizes[] = {
      {"batch_size", batch_size},
      {"file_buffer_size", init.Attr<int64_t>("file_buffer_size")},
      {"file_parallelism", init.Attr<int64_t>("file_parallelism")}};
  for (const auto& [name, value] : sizes) {
    if (value < 1 || value > std::numeric_limits<int32_t>::max())
      return InvalidArgument(name, " must be at least 1, got ", value);
  }
  const float shift = init.Attr<float>("file_shuffle_shift_ratio");
  if (!(shift >= 0 && shift <= 1))
    return InvalidArgument("file_shuffle_shift_ratio must be in [0, 1], got ", shift);
  const int64_t seed = init.Attr<int64_t>("file_random_seed");
  RecordInputSettings settings{
      .pattern = init.Attr<std::string>("file_pattern"),
      .seed = seed != 0 ? static_cast<uint64_t>(seed) : std::random_device()(),
      .shift_ratio = shift,
      .buffer_size = static_cast<size_t>(sizes[1].second),
      .parallelism = static_cast<size_t>(sizes[2].second)};
  HR_ASSIGN_OR_RETURN(settings.compression,
                      ParseCompression(init.Attr<std::string>("compression_type")));
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<RecordSequence> records,
      init.resources().LookupOrCreate<RecordSequence>(
          "", init.node().name(), [&]() -> StatusOr<std::shared_ptr<RecordSequence>> {
            return std::make_shared<RecordSequence>(settings);
          }));
  return std::make_unique<RecordInputKernel>(std::move(records), batch_size);
}

}  // namespace headrace
