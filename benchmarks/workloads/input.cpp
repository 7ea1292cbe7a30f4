// B10: reading records, and parsing examples.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "benchmarks/workloads/workload.h"
#include "headrace/base/strings.h"
#include "headrace/base/worker_pool.h"
#include "headrace/headrace.h"
#include "headrace/io/example_builder.h"
#include "headrace/io/record_file.h"

namespace headrace::bench {
namespace {

// A folder that is gone when the measurement ends.
class TempFolder {
 public:
  TempFolder()
      : path_(StrCat(std::filesystem::temp_directory_path().string(), "/headrace_bench_",
                     ::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string File(int i) const { return StrCat(path_, "/", i, ".tfrecord"); }

 private:
  const std::string path_;
};

Status WriteRecords(const std::string& path, size_t record_bytes, int64_t count) {
  HR_ASSIGN_OR_RETURN(auto writer, RecordWriter::Create(path));
  std::string record(record_bytes, '\0');
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < record_bytes; k += 64)
      record[k] = static_cast<char>(i + static_cast<int64_t>(k));
    HR_RETURN_IF_ERROR(writer->Append(record));
  }
  return writer->Close();
}

Status ReadRecords(const std::string& path, int64_t count) {
  HR_ASSIGN_OR_RETURN(auto reader, RecordReader::Open(path));
  std::string_view record;
  for (;;) {
    HR_ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
    if (!more) break;
  }
  if (reader->records_read() == count) return absl::OkStatus();
  return Internal("read ", reader->records_read(), " records of ", count);
}

}  // namespace

// Each thread reads a file of its own, which the page cache holds.
StatusOr<Result> RunRecords(const Options& options) {
  const bool small = options.variant == "records_128";
  const size_t record_bytes = small ? 128 : 100 << 10;
  constexpr size_t kFileBytes = 64 << 20;
  const int64_t count = static_cast<int64_t>(kFileBytes / record_bytes);
  const int threads = options.threads > 0 ? options.threads : AvailableCores();
  TempFolder folder;
  for (int i = 0; i < threads; ++i)
    HR_RETURN_IF_ERROR(WriteRecords(folder.File(i), record_bytes, count));
  Result result{.variant = options.variant,
                .metric = small ? "records read" : "bytes read",
                .unit = small ? "M records/s" : "GB/s"};
  HR_RETURN_IF_ERROR(Measure(options.seconds, result, [&] {
    std::vector<Status> statuses(static_cast<size_t>(threads));
    std::vector<std::thread> readers;
    for (int i = 0; i < threads; ++i) {
      readers.emplace_back(
          [&, i] { statuses[static_cast<size_t>(i)] = ReadRecords(folder.File(i), count); });
    }
    for (std::thread& reader : readers) reader.join();
    for (const Status& status : statuses) HR_RETURN_IF_ERROR(status);
    return absl::OkStatus();
  }));
  const auto total = static_cast<double>(count * threads);
  result.value =
      small ? total / result.value * 1e3 : total * static_cast<double>(record_bytes) / result.value;
  return result;
}

namespace {

constexpr int kFloats = 10, kInts = 6, kTexts = 4;

std::string ExampleOf(int64_t i) {
  ExampleBuilder example;
  for (int k = 0; k < kFloats; ++k) example.Add(StrCat("float_", k), static_cast<float>(i + k));
  for (int k = 0; k < kInts; ++k) example.Add(StrCat("int_", k), i * 100 + k);
  for (int k = 0; k < kTexts; ++k)
    example.Add(StrCat("text_", k), StrCat("value ", i % 100, " of ", k));
  return example.Take();
}

}  // namespace

// A step that parses a batch of 512 examples of 20 features: numbers and short texts, one value each.
StatusOr<Result> RunParseExample(const Options& options) {
  constexpr int64_t kBatch = 512;
  Graph g;
  ExampleFeatures features;
  for (int k = 0; k < kFloats; ++k)
    features.dense.push_back({StrCat("float_", k), DType::kFloat32, Shape()});
  for (int k = 0; k < kInts; ++k)
    features.dense.push_back({StrCat("int_", k), DType::kInt64, Shape()});
  for (int k = 0; k < kTexts; ++k)
    features.dense.push_back({StrCat("text_", k), DType::kString, Shape()});
  Output serialized = Placeholder(g, DType::kString, {kBatch}, {.name = "serialized"});
  const ExampleTensors parsed = ParseExample(serialized, features);
  SessionOptions session_options;
  session_options.devices.threads = options.threads;
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, session_options));
  HR_ASSIGN_OR_RETURN(Callable step, session->MakeCallable({serialized}, parsed.dense));
  Tensor fed(DType::kString, {kBatch});
  for (int64_t i = 0; i < kBatch; ++i) fed.data<std::string>()[i] = ExampleOf(i);
  Result result{.variant = options.variant, .metric = "examples parsed", .unit = "M examples/s"};
  std::vector<Tensor> fetched;
  HR_RETURN_IF_ERROR(
      Measure(options.seconds, result, [&] { return step(std::span(&fed, 1), &fetched); }));
  result.value = static_cast<double>(kBatch) / result.value * 1e3;
  return result;
}

StatusOr<Result> RunB10(const Options& options) {
  return options.variant == "parse_example" ? RunParseExample(options) : RunRecords(options);
}

}  // namespace headrace::bench
