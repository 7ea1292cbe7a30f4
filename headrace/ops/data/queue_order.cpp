#include "headrace/ops/data/queue_order.h"

#include <algorithm>
#include <deque>
#include <random>

#include "headrace/ops/random/philox.h"

namespace headrace {
namespace {

class FifoOrder final : public QueueOrder {
 public:
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Put(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Take() override {
    QueueElement first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }
  void PutBack(std::vector<QueueElement> taken) override {
    for (auto it = taken.rbegin(); it != taken.rend(); ++it) elements_.push_front(std::move(*it));
  }
  bool keeps_order() const override { return true; }

 private:
  std::deque<QueueElement> elements_;
};

class ShuffledOrder final : public QueueOrder {
 public:
  ShuffledOrder(uint64_t seed, uint64_t seed2) : words_(Philox(seed, seed2)) {}
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Put(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Take() override {
    std::swap(elements_[words_.Next() % elements_.size()], elements_.back());
    QueueElement drawn = std::move(elements_.back());
    elements_.pop_back();
    return drawn;
  }
  void PutBack(std::vector<QueueElement> taken) override {
    for (auto it = taken.rbegin(); it != taken.rend(); ++it) elements_.push_back(std::move(*it));
  }

 private:
  PhiloxWords words_;
  std::vector<QueueElement> elements_;
};

class PriorityOrder final : public QueueOrder {
 public:
  int64_t size() const override { return static_cast<int64_t>(heap_.size()); }
  void Put(QueueElement element) override {
    heap_.push_back(std::move(element));
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }
  QueueElement Take() override {
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    QueueElement first = std::move(heap_.back());
    heap_.pop_back();
    return first;
  }
  void PutBack(std::vector<QueueElement> taken) override {
    for (QueueElement& element : taken) Put(std::move(element));
  }
  bool takes_early() const override { return false; }  // one with a lesser value may come meanwhile

 private:
  static bool Later(const QueueElement& a, const QueueElement& b) {
    return a[0].scalar<int64_t>() > b[0].scalar<int64_t>();
  }
  std::vector<QueueElement> heap_;
};

}  // namespace

std::unique_ptr<QueueOrder> MakeFifoOrder() {
  return std::make_unique<FifoOrder>();
}

std::unique_ptr<QueueOrder> MakeShuffledOrder(int64_t seed, int64_t seed2) {
  if (seed == 0 && seed2 == 0) {
    std::random_device system;
    seed = static_cast<int64_t>(uint64_t{system()} << 32 | system());
    seed2 = static_cast<int64_t>(uint64_t{system()} << 32 | system());
  }
  return std::make_unique<ShuffledOrder>(seed, seed2);
}

std::unique_ptr<QueueOrder> MakePriorityOrder() {
  return std::make_unique<PriorityOrder>();
}

}  // namespace headrace
