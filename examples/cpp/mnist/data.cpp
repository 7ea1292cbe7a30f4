#include "examples/cpp/mnist/data.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace mnist {

using headrace::DType;
using headrace::JoinPath;
using headrace::Shape;
using headrace::StatusOr;
using headrace::Tensor;

namespace {

StatusOr<Split> LoadSplit(const std::string& folder, const std::string& prefix) {
  const std::string images = JoinPath(folder, prefix + "-images-idx3-ubyte.gz");
  const std::string labels = JoinPath(folder, prefix + "-labels-idx1-ubyte.gz");
  Split split;
  HR_ASSIGN_OR_RETURN(split.images, headrace::ReadIdxFile(images));
  HR_ASSIGN_OR_RETURN(const Tensor bytes, headrace::ReadIdxFile(labels));
  if (split.images.dtype() != DType::kUInt8 || split.images.rank() != 3 || bytes.dtype() != DType::kUInt8 ||
      bytes.rank() != 1 || split.images.dim(0) != bytes.dim(0) || split.images.shape().Product(1, 3) != 784) {
    return headrace::InvalidArgument("'", images, "' holds ", split.images.shape().ToString(), " and '", labels, "' ",
                                     bytes.shape().ToString(), "; [N,28,28] images and [N] labels are wanted");
  }
  split.labels = Tensor(DType::kInt64, bytes.shape());
  std::ranges::copy(bytes.flat<uint8_t>(), split.labels.data<int64_t>());
  return split;
}

}  // namespace

StatusOr<Data> Load(const std::string& folder) {
  Data data;
  HR_ASSIGN_OR_RETURN(data.train, LoadSplit(folder, "train"));
  HR_ASSIGN_OR_RETURN(data.test, LoadSplit(folder, "t10k"));
  return data;
}

Tensor Images(const Split& split, const int32_t* rows, int64_t count) {
  Tensor images(DType::kFloat32, Shape{count, 784});
  const uint8_t* pixels = split.images.data<uint8_t>();
  for (int64_t r = 0; r < count; ++r) {
    const uint8_t* row = pixels + int64_t{rows[r]} * 784;
    float* out = images.data<float>() + r * 784;
    for (int i = 0; i < 784; ++i) out[i] = static_cast<float>(row[i]) * (1.0f / 255.0f);
  }
  return images;
}

Tensor Labels(const Split& split, const int32_t* rows, int64_t count) {
  Tensor labels(DType::kInt64, Shape{count});
  for (int64_t r = 0; r < count; ++r) labels.data<int64_t>()[r] = split.labels.data<int64_t>()[rows[r]];
  return labels;
}

void Batches::Fill(int64_t step, std::vector<Tensor>& out) {
  const int64_t epoch = step / steps_per_epoch(), first = step % steps_per_epoch() * batch_;
  std::vector<int32_t> rows;
  {
    std::lock_guard lock(mutex_);
    if (epoch != cached_epoch_) {
      cached_order_ = Order(epoch);
      cached_epoch_ = epoch;
    }
    rows.assign(cached_order_.begin() + first, cached_order_.begin() + first + batch_);
  }
  out.push_back(Images(split_, rows.data(), batch_));
  out.push_back(Labels(split_, rows.data(), batch_));
}

std::vector<int32_t> Batches::Order(int64_t epoch) {
  std::vector<int32_t> order(split_.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed_ * 1'000'003 + static_cast<uint64_t>(epoch));
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace mnist
