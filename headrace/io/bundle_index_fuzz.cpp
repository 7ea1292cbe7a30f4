// Checkpoints of any bytes. Checksums would stop most inputs at the door, so that in three of four
// ways the input is put behind right ones: as the table's index, as a block of it, or as the entry
// of a variable.
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/internal/bundle_index.h"
#include "headrace/io/internal/table.h"
#include "headrace/io/varint.h"

namespace headrace {
namespace {

struct Handle {
  uint64_t offset, size;
};

Handle AppendBlock(std::string_view block, std::string* file) {
  const Handle handle{file->size(), block.size()};
  file->append(block);
  file->push_back('\0');
  char crc[4];
  StoreU32(MaskCrc32c(Crc32c(file->data() + handle.offset, block.size() + 1)), crc);
  file->append(crc, 4);
  return handle;
}

std::string Finish(std::string file, Handle index) {
  std::string footer;
  for (const uint64_t v : {uint64_t{0}, uint64_t{0}, index.offset, index.size})
    AppendVarint(v, &footer);
  footer.resize(40);
  footer.append("\x57\xfb\x80\x8b\x24\x75\x47\xdb");
  return file + footer;
}

std::string WithDataBlock(std::string_view block) {
  std::string file, handle;
  const Handle data = AppendBlock(block, &file);
  AppendVarint(data.offset, &handle);
  AppendVarint(data.size, &handle);
  const std::string key = "\xff";
  std::string index{'\0', static_cast<char>(key.size()), static_cast<char>(handle.size())};
  index += key + handle + std::string("\0\0\0\0\1\0\0\0", 8);
  const Handle at = AppendBlock(index, &file);
  return Finish(std::move(file), at);
}

std::string WithEntry(std::string_view entry) {
  proto::BundleHeaderProto header;
  header.set_num_shards(1);
  const auto table = BuildTable({{"", header.SerializeAsString()}, {"v", std::string(entry)}});
  return table.ok() ? *table : "";
}

std::string MakeIndex(int way, std::string_view input) {
  std::string file;
  switch (way) {
    case 0:
      return std::string(input);
    case 1: {
      const Handle at = AppendBlock(input, &file);
      return Finish(std::move(file), at);
    }
    case 2:
      return WithDataBlock(input);
    default:
      return WithEntry(input);
  }
}

}  // namespace
}  // namespace headrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const std::string prefix = "/tmp/headrace_fuzz_" + std::to_string(::getpid());
  const std::string index = headrace::MakeIndex(data[0] % 4, input);
  headrace::ParseBundleIndex(index, "fuzz").status().IgnoreError();
  // As V2 index beside a data file, and as a V1 file.
  std::ofstream(prefix + ".index", std::ios::binary) << index;
  std::ofstream(prefix + ".data-00000-of-00001", std::ios::binary) << std::string(64, 'x');
  std::ofstream(prefix + "_v1", std::ios::binary) << index;
  for (const std::string& name : {prefix, prefix + "_v1"}) {
    const auto reader = headrace::BundleReader::Open(name);
    if (!reader.ok()) continue;
    (*reader)->CheckFiles().IgnoreError();
    for (const auto& variable : (*reader)->variables())
      (*reader)->Read(variable.name).status().IgnoreError();
  }
  return 0;
}
