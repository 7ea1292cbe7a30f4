#include "headrace/kernel/cpu/dnnl.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

#include "headrace/base/strings.h"
#include "headrace/device/fork.h"

namespace headrace {
namespace {

// The OpenMP runtime that oneDNN itself uses, found through its library: this one may be loaded
// privately, and we must not bring in a second one. Null where oneDNN was built without OpenMP.
struct OpenMp {
  int (*get_max_threads)() = nullptr;
  void (*set_num_threads)(int) = nullptr;

  OpenMp() {
    Dl_info info{};
    void* library = nullptr;
    if (dladdr(reinterpret_cast<void*>(&dnnl_version), &info) != 0 && info.dli_fname != nullptr) {
      library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    if (library == nullptr) library = RTLD_DEFAULT;
    get_max_threads = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
    set_num_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    if (get_max_threads == nullptr) set_num_threads = nullptr;
  }
};

const OpenMp& TheOpenMp() {
  static const OpenMp openmp;
  return openmp;
}

bool IsReference(std::string_view implementation) {
  return implementation.starts_with("ref") || implementation.starts_with("simple") ||
         implementation.find("gemm:ref") != std::string_view::npos;
}

// Scratch memory of a thread, grown to the largest primitive it ran.
struct Scratch {
  void* data = nullptr;
  size_t size_bytes = 0;
  ~Scratch() { std::free(data); }

  bool Reserve(size_t wanted) {
    if (wanted <= size_bytes) return true;
    std::free(data);
    size_bytes = 0;
    const size_t rounded = (wanted + 4095) / 4096 * 4096;
    data = std::aligned_alloc(4096, rounded);
    if (data == nullptr) return false;
    size_bytes = rounded;
    return true;
  }
};
thread_local Scratch scratch;

struct PrimitiveCache {
  static constexpr size_t kMost = 4096;  // dropped as a whole beyond: users keep what they hold
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const DnnlPrimitive>> primitives;
};

PrimitiveCache& TheCache() {
  static PerProcess<PrimitiveCache> cache;  // another thread may hold the parent's mutex at a fork
  return cache.Get();
}

}  // namespace

const dnnl::engine& DnnlEngine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

const dnnl::stream& DnnlStream() {
  thread_local const dnnl::stream stream(DnnlEngine());
  return stream;
}

DnnlSingleThread::DnnlSingleThread() {
  const OpenMp& openmp = TheOpenMp();
  if (openmp.set_num_threads == nullptr) return;
  const int width = openmp.get_max_threads();
  if (width == 1) return;
  width_before_ = width;
  openmp.set_num_threads(1);
}

DnnlSingleThread::~DnnlSingleThread() {
  if (width_before_ != 0) TheOpenMp().set_num_threads(width_before_);
}

Status DnnlStatus(dnnl_status_t code, std::string_view doing) {
  if (code == dnnl_success) return absl::OkStatus();
  const std::string text = StrCat("oneDNN cannot ", doing, ": ");
  switch (code) {
    case dnnl_out_of_memory:
      return absl::ResourceExhaustedError(StrCat(text, "out of memory"));
    case dnnl_invalid_arguments:
      return Internal(text, "invalid arguments");
    case dnnl_unimplemented:
      return Unimplemented(
          text, "it has no implementation for these shapes and dtypes on this processor");
    default:
      return Internal(text, "code ", static_cast<int>(code));
  }
}

Status DnnlTry(std::string_view doing, absl::FunctionRef<void()> body) {
  const DnnlSingleThread single;
  try {
    body();
  } catch (const dnnl::error& error) {
    Status status = DnnlStatus(error.status, doing);
    return Status(status.code(), StrCat(Message(status), " (", error.what(), ")"));
  } catch (const std::bad_alloc&) {
    return DnnlStatus(dnnl_out_of_memory, doing);
  }
  return absl::OkStatus();
}

StatusOr<dnnl::memory::data_type> DnnlType(DType type) {
  using Type = dnnl::memory::data_type;
  switch (RemoveRef(type)) {
    case DType::kFloat32:
      return Type::f32;
    case DType::kBFloat16:
      return Type::bf16;
    case DType::kFloat16:
      return Type::f16;
    case DType::kInt32:
      return Type::s32;
    case DType::kInt8:
      return Type::s8;
    case DType::kUInt8:
      return Type::u8;
    default:
      return Unimplemented("oneDNN does not compute with ", DTypeName(type));
  }
}

StatusOr<dnnl::memory::desc> DnnlDesc(DType type, std::span<const int64_t> dims) {
  HR_ASSIGN_OR_RETURN(const dnnl::memory::data_type element, DnnlType(type));
  dnnl::memory::dims sizes(dims.begin(), dims.end());
  if (sizes.empty()) sizes.push_back(1);  // oneDNN has no scalars
  dnnl::memory::dims strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * std::max<int64_t>(1, sizes[i]);
  dnnl::memory::desc desc;
  HR_RETURN_IF_ERROR(
      DnnlTry("describe a tensor", [&] { desc = dnnl::memory::desc(sizes, element, strides); }));
  return desc;
}

StatusOr<dnnl::memory::desc> DnnlDesc(DType type, std::span<const int64_t> dims,
                                      dnnl::memory::format_tag tag) {
  HR_ASSIGN_OR_RETURN(const dnnl::memory::data_type element, DnnlType(type));
  const dnnl::memory::dims sizes(dims.begin(), dims.end());
  dnnl::memory::desc desc;
  HR_RETURN_IF_ERROR(
      DnnlTry("describe a tensor", [&] { desc = dnnl::memory::desc(sizes, element, tag); }));
  return desc;
}

dnnl::primitive_attr DnnlAttr() {
  dnnl::primitive_attr attr;
  // oneDNN's own scratch memory belongs to the thread that made the primitive; other threads could
  // not run it.
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

StatusOr<std::shared_ptr<const DnnlPrimitive>> CachedDnnlPrimitive(
    std::string_view key, absl::FunctionRef<dnnl::primitive_desc_base()> make,
    bool allow_reference) {
  PrimitiveCache& cache = TheCache();
  const std::string name(key);
  {
    std::lock_guard lock(cache.mutex);
    if (auto it = cache.primitives.find(name); it != cache.primitives.end()) return it->second;
  }
  auto made = std::make_shared<DnnlPrimitive>();
  std::string implementation;
  bool own_scratch = false;
  HR_RETURN_IF_ERROR(DnnlTry("make a primitive", [&] {
    made->desc = make();
    implementation = made->desc.impl_info_str();
    if (!allow_reference && IsReference(implementation)) return;
    own_scratch =
        made->desc.get_primitive_attr().get_scratchpad_mode() == dnnl::scratchpad_mode::user;
    made->primitive = dnnl::primitive(made->desc.get());
    made->scratch_bytes = made->desc.scratchpad_desc().get_size();
  }));
  if (!allow_reference && IsReference(implementation)) {
    return Unimplemented("oneDNN has only its slow reference implementation ('", implementation,
                         "') for these shapes and dtypes");
  }
  if (!own_scratch) return Internal("a oneDNN primitive was made without DnnlAttr()");
  std::lock_guard lock(cache.mutex);
  if (cache.primitives.size() >= PrimitiveCache::kMost) cache.primitives.clear();
  return cache.primitives.emplace(name, std::move(made))
      .first->second;  // the first of two makers wins
}

StatusOr<DnnlCall> DnnlCall::Create(std::shared_ptr<const DnnlPrimitive> primitive,
                                    std::initializer_list<Argument> arguments) {
  DnnlCall call;
  HR_RETURN_IF_ERROR(DnnlTry("prepare a call", [&] {
    for (const auto& [arg, desc] : arguments) {
      call.memories_.push_back(dnnl::memory(desc, DnnlEngine(), DNNL_MEMORY_NONE));
      call.arguments_.push_back({arg, call.memories_.back().get()});
    }
    if (primitive->scratch_bytes > 0) {
      call.memories_.push_back(
          dnnl::memory(primitive->desc.scratchpad_desc(), DnnlEngine(), DNNL_MEMORY_NONE));
      call.arguments_.push_back({DNNL_ARG_SCRATCHPAD, call.memories_.back().get()});
    }
  }));
  call.primitive_ = std::move(primitive);
  return call;
}

void DnnlCall::Bind(int position, const void* data) {
  dnnl_memory_set_data_handle(arguments_[position].memory, const_cast<void*>(data));
}

Status DnnlCall::Run() {
  const DnnlSingleThread single;
  if (primitive_->scratch_bytes > 0) {
    if (!scratch.Reserve(primitive_->scratch_bytes))
      return DnnlStatus(dnnl_out_of_memory, "run a primitive");
    dnnl_memory_set_data_handle(arguments_.back().memory, scratch.data);
  }
  const dnnl_status_t code =
      dnnl_primitive_execute(primitive_->primitive.get(), DnnlStream().get(),
                             static_cast<int>(arguments_.size()), arguments_.data());
  return DnnlStatus(code, "run a primitive");
}

}  // namespace headrace
