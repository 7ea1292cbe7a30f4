#include "headrace/ops/data/reader_formats.h"

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/record_file.h"

namespace headrace {
namespace {

class RecordUnit final : public WorkUnit {
 public:
  RecordUnit(std::string file, std::unique_ptr<RecordReader> reader)
      : file_(std::move(file)), reader_(std::move(reader)) {}
  StatusOr<bool> Next(Record& record) override {
    const int64_t offset = reader_->offset();
    HR_ASSIGN_OR_RETURN(const bool more, reader_->Next(&record.value));
    if (more) record.key = StrCat(file_, ":", offset);
    return more;
  }

 private:
  const std::string file_;
  const std::unique_ptr<RecordReader> reader_;
};

class LineUnit final : public WorkUnit {
 public:
  LineUnit(std::string file, std::unique_ptr<LineReader> lines)
      : file_(std::move(file)), lines_(std::move(lines)) {}
  Status SkipHeader(int64_t lines) {
    std::string_view ignored;
    while (number_ < lines) {
      HR_ASSIGN_OR_RETURN(const bool more, lines_->Next(&ignored));
      if (!more) break;
      ++number_;
    }
    return absl::OkStatus();
  }
  StatusOr<bool> Next(Record& record) override {
    std::string_view line;
    HR_ASSIGN_OR_RETURN(const bool more, lines_->Next(&line));
    if (!more) return false;
    record = {StrCat(file_, ":", ++number_), std::string(line)};
    return true;
  }

 private:
  const std::string file_;
  const std::unique_ptr<LineReader> lines_;
  int64_t number_ = 0;
};

class FixedUnit final : public WorkUnit {
 public:
  FixedUnit(std::string file, std::unique_ptr<FixedRecordReader> reader)
      : file_(std::move(file)), reader_(std::move(reader)) {}
  StatusOr<bool> Next(Record& record) override {
    std::string_view value;
    HR_ASSIGN_OR_RETURN(const bool more, reader_->Next(&value));
    if (!more) return false;
    record = {StrCat(file_, ":", number_++), std::string(value)};
    return true;
  }

 private:
  const std::string file_;
  const std::unique_ptr<FixedRecordReader> reader_;
  int64_t number_ = 0;
};

// One record.
class SingleUnit final : public WorkUnit {
 public:
  explicit SingleUnit(Record record) : record_(std::move(record)) {}
  StatusOr<bool> Next(Record& record) override {
    if (done_) return false;
    record = std::move(record_);
    done_ = true;
    return true;
  }
  bool done() const override { return done_; }

 private:
  Record record_;
  bool done_ = false;
};

using Opened = StatusOr<std::unique_ptr<WorkUnit>>;

}  // namespace

OpenUnit RecordUnits(Compression compression) {
  return [compression](const std::string& file) -> Opened {
    HR_ASSIGN_OR_RETURN(auto reader, RecordReader::Open(file, {.compression = compression}));
    return std::make_unique<RecordUnit>(file, std::move(reader));
  };
}

OpenUnit LineUnits(int64_t skip_header_lines) {
  return [skip_header_lines](const std::string& file) -> Opened {
    HR_ASSIGN_OR_RETURN(auto lines, LineReader::Open(file, {}));
    auto unit = std::make_unique<LineUnit>(file, std::move(lines));
    HR_RETURN_IF_ERROR(unit->SkipHeader(skip_header_lines));
    return unit;
  };
}

OpenUnit FixedUnits(const FixedRecordReader::Options& options) {
  return [options](const std::string& file) -> Opened {
    HR_ASSIGN_OR_RETURN(auto reader, FixedRecordReader::Open(file, options));
    return std::make_unique<FixedUnit>(file, std::move(reader));
  };
}

OpenUnit FileUnits() {
  return [](const std::string& file) -> Opened {
    HR_ASSIGN_OR_RETURN(std::string contents, ReadFile(file));
    return std::make_unique<SingleUnit>(Record{file, std::move(contents)});
  };
}

OpenUnit IdentityUnits() {
  return [](const std::string& unit) -> Opened {
    return std::make_unique<SingleUnit>(Record{unit, unit});
  };
}

}  // namespace headrace
