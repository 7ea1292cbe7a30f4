// TFRecordDataset, TextLineDataset, FixedLengthRecordDataset: the records of files, one file after the other.
#include "headrace/io/record_file.h"
#include "headrace/io/text_file.h"
#include "headrace/ops/dataset/dataset_kernel.h"
#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/pipeline_state.h"

namespace headrace {
namespace {

// The records of one open file.
class FileRecords {
 public:
  virtual ~FileRecords() = default;
  virtual StatusOr<bool> Next(std::string_view* record) = 0;
};

template <class Reader>
class RecordsOf final : public FileRecords {
 public:
  explicit RecordsOf(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
  StatusOr<bool> Next(std::string_view* record) override { return reader_->Next(record); }

 private:
  const std::unique_ptr<Reader> reader_;
};

// What opens a file.
class FileFormat {
 public:
  virtual ~FileFormat() = default;
  virtual StatusOr<std::unique_ptr<FileRecords>> Open(const std::string& path) const = 0;
};

template <class Reader>
class FormatOf final : public FileFormat {
 public:
  explicit FormatOf(typename Reader::Options options) : options_(options) {}
  StatusOr<std::unique_ptr<FileRecords>> Open(const std::string& path) const override {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Reader> reader, Reader::Open(path, options_));
    return std::make_unique<RecordsOf<Reader>>(std::move(reader));
  }

 private:
  const typename Reader::Options options_;
};

// Their body must be whole records.
class FixedLengthFormat final : public FileFormat {
 public:
  explicit FixedLengthFormat(FixedRecordReader::Options options) : options_(options) {}
  StatusOr<std::unique_ptr<FileRecords>> Open(const std::string& path) const override {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<FixedRecordReader> reader,
                        FixedRecordReader::Open(path, options_));
    return std::make_unique<Records>(std::move(reader), options_, path);
  }

 private:
  class Records final : public FileRecords {
   public:
    Records(std::unique_ptr<FixedRecordReader> reader, FixedRecordReader::Options options,
            std::string path)
        : reader_(std::move(reader)), options_(options), path_(std::move(path)) {}
    StatusOr<bool> Next(std::string_view* record) override {
      HR_ASSIGN_OR_RETURN(const bool more, reader_->Next(record));
      records_ += more;
      if (more || reader_->left_bytes() == options_.footer_bytes) return more;
      const int64_t body =
          records_ * options_.record_bytes + reader_->left_bytes() - options_.footer_bytes;
      return InvalidArgument("Excluding the header (", options_.header_bytes,
                             " bytes) and footer (", options_.footer_bytes,
                             " bytes), input file \"", path_, "\" has body length ", body,
                             " bytes, which is not an exact multiple of the record length (",
                             options_.record_bytes, " bytes).");
    }

   private:
    const std::unique_ptr<FixedRecordReader> reader_;
    const FixedRecordReader::Options options_;
    const std::string path_;
    int64_t records_ = 0;
  };

  const FixedRecordReader::Options options_;
};

class FilesDataset final : public Dataset {
 public:
  FilesDataset(std::string_view name, std::vector<std::string> paths,
               std::unique_ptr<FileFormat> format)
      : Dataset({DType::kString}, {Shape()}),
        name_(name),
        paths_(std::move(paths)),
        format_(std::move(format)) {}
  std::string_view name() const override { return name_; }

 private:
  class Position final : public IteratorOf<FilesDataset> {
   public:
    using IteratorOf::IteratorOf;
    StatusOr<bool> Next(const IterationContext&, Element& element) override {
      while (file_ < dataset().paths_.size()) {
        std::string_view record;
        HR_ASSIGN_OR_RETURN(const bool more, NextOfFile(&record));
        if (more) {
          element = {Tensor::Scalar(std::string(record))};
          return true;
        }
        records_.reset();
        ++file_;
        read_ = 0;
      }
      return false;
    }
    Status Save(StateWriter& state) const override {
      state.Begin(dataset().name_);
      state.Int(static_cast<int64_t>(file_));
      state.Int(read_);
      return absl::OkStatus();
    }
    // Reads up to the place again: offsets of compressed files lead nowhere.
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin(dataset().name_));
      HR_ASSIGN_OR_RETURN(const int64_t file,
                          state.IntIn(0, static_cast<int64_t>(dataset().paths_.size())));
      HR_ASSIGN_OR_RETURN(const int64_t read, state.IntIn(0, int64_t{1} << 62));
      file_ = static_cast<size_t>(file);
      records_.reset();
      read_ = 0;
      while (read_ < read) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        std::string_view record;
        HR_ASSIGN_OR_RETURN(const bool more, NextOfFile(&record));
        if (!more) {
          return absl::FailedPreconditionError(StrCat(dataset().paths_[file_], " has ", read_,
                                                      " records; the state that is restored saw ",
                                                      read));
        }
      }
      return absl::OkStatus();
    }

   private:
    // A damaged file ends with its error; asked again, the next file comes.
    StatusOr<bool> NextOfFile(std::string_view* record) {
      if (records_ == nullptr) {
        StatusOr<std::unique_ptr<FileRecords>> opened =
            dataset().format_->Open(dataset().paths_[file_]);
        if (!opened.ok()) return Skip(opened.status());
        records_ = *std::move(opened);
      }
      StatusOr<bool> more = records_->Next(record);
      if (!more.ok()) return Skip(more.status());
      read_ += *more;
      return more;
    }
    Status Skip(Status status) {
      records_.reset();
      ++file_;
      read_ = 0;
      return status;
    }

    size_t file_ = 0;
    int64_t read_ = 0;                      // records of this file
    std::unique_ptr<FileRecords> records_;  // null before the first of a file
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext&,
                                                   std::string place) const override {
    return std::make_unique<Position>(
        std::static_pointer_cast<const FilesDataset>(shared_from_this()), std::move(place));
  }

  const std::string_view name_;
  const std::vector<std::string> paths_;
  const std::unique_ptr<const FileFormat> format_;
};

StatusOr<Compression> CompressionInput(KernelContext& ctx, int i) {
  HR_ASSIGN_OR_RETURN(const std::string name, ScalarInput<std::string>(ctx, i, "compression_type"));
  StatusOr<Compression> compression = ParseCompression(name);
  if (!compression.ok()) {
    return InvalidArgument(
        "Unsupported compression_type. It must be \"\", \"ZLIB\" or \"GZIP\", got \"", name, "\"");
  }
  return compression;
}

template <class Reader>
StatusOr<DatasetPtr> MakeFiles(KernelContext& ctx, std::string_view name) {
  HR_ASSIGN_OR_RETURN(std::vector<std::string> paths, StringsInput(ctx, 0, "filenames"));
  HR_ASSIGN_OR_RETURN(const Compression compression, CompressionInput(ctx, 1));
  HR_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 2, "buffer_size"));
  if (buffer_size < 0) return InvalidArgument("`buffer_size` must be >= 0 (0 == no buffering)");
  return std::make_shared<FilesDataset>(
      name, std::move(paths),
      std::make_unique<FormatOf<Reader>>(typename Reader::Options{.compression = compression}));
}

StatusOr<DatasetPtr> MakeTFRecord(KernelContext& ctx) {
  return MakeFiles<RecordReader>(ctx, "TFRecord");
}
StatusOr<DatasetPtr> MakeTextLine(KernelContext& ctx) {
  return MakeFiles<LineReader>(ctx, "TextLine");
}

StatusOr<DatasetPtr> MakeFixedLength(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(std::vector<std::string> paths, StringsInput(ctx, 0, "filenames"));
  FixedRecordReader::Options options;
  HR_ASSIGN_OR_RETURN(options.header_bytes, ScalarInput<int64_t>(ctx, 1, "header_bytes"));
  HR_ASSIGN_OR_RETURN(options.record_bytes, ScalarInput<int64_t>(ctx, 2, "record_bytes"));
  HR_ASSIGN_OR_RETURN(options.footer_bytes, ScalarInput<int64_t>(ctx, 3, "footer_bytes"));
  HR_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 4, "buffer_size"));
  if (options.header_bytes < 0) return InvalidArgument("`header_bytes` must be >= 0");
  if (options.record_bytes <= 0) return InvalidArgument("`record_bytes` must be > 0");
  if (options.footer_bytes < 0) return InvalidArgument("`footer_bytes` must be >= 0");
  if (buffer_size < 0) return InvalidArgument("`buffer_size` must be >= 0 (0 == default)");
  if (ctx.num_inputs() > 5) {
    HR_ASSIGN_OR_RETURN(options.compression, CompressionInput(ctx, 5));
  }
  return std::make_shared<FilesDataset>("FixedLengthRecord", std::move(paths),
                                        std::make_unique<FixedLengthFormat>(options));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTFRecordDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeTFRecord>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTextLineDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeTextLine>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeFixedLengthRecordDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeFixedLength>(init);
}

}  // namespace headrace
