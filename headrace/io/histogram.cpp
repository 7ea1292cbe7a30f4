#include "headrace/io/histogram.h"

#include <algorithm>
#include <limits>

namespace headrace {

std::span<const double> Histogram::limits() {
  static const auto* const limits = [] {
    auto* all = new std::vector<double>;
    for (double v = 1e-12; v < 1e20; v *= 1.1) all->push_back(v);
    all->push_back(std::numeric_limits<double>::max());
    const size_t positive = all->size();
    std::vector<double> negative(all->rbegin(), all->rend());
    for (double& v : negative) v = -v;
    negative.push_back(0);
    all->insert(all->begin(), negative.begin(), negative.end());
    all->shrink_to_fit();
    return all->size() == 2 * positive + 1 ? all : nullptr;
  }();
  return *limits;
}

Histogram::Histogram()
    : counts_(limits().size()),
      min_(std::numeric_limits<double>::max()),
      max_(std::numeric_limits<double>::lowest()) {}

void Histogram::Add(double value) {
  const auto all = limits();
  auto at = std::ranges::upper_bound(all, value);
  if (at == all.end()) --at;  // the largest double
  ++counts_[static_cast<size_t>(at - all.begin())];
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  ++num_;
  sum_ += value;
  sum_squares_ += value * value;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  const auto all = limits();
  std::vector<Bucket> result;
  for (size_t i = 0; i < all.size(); ++i) {
    if (counts_[i] == 0 && !result.empty() && result.back().count == 0) {
      result.back().limit = all[i];
    } else {
      result.push_back({all[i], counts_[i]});
    }
  }
  return result;
}

}  // namespace headrace
