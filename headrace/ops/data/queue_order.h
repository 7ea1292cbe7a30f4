// Which element of a queue comes out next.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "headrace/tensor/tensor.h"

namespace headrace {

// One tensor for each component.
using QueueElement = std::vector<Tensor>;

// Not thread-safe: the queue holds a lock.
class QueueOrder {
 public:
  virtual ~QueueOrder() = default;
  virtual int64_t size() const = 0;
  virtual void Put(QueueElement element) = 0;
  // REQUIRES: size() > 0.
  virtual QueueElement Take() = 0;
  // Undoes Take of these elements, oldest first.
  virtual void PutBack(std::vector<QueueElement> taken) = 0;
  // May a call that wants several elements take them as they come? Else it waits until all are
  // there.
  virtual bool takes_early() const { return true; }
  // Elements leave as they came, so that those of one batch may share its bytes: they end together.
  virtual bool keeps_order() const { return false; }
};

std::unique_ptr<QueueOrder> MakeFifoOrder();
// Any of the elements, drawn as TensorFlow draws them: equal seeds give the order that its queue
// gives. Both seeds 0: seeded from the system. Source: TensorFlow RandomShuffleQueue.
std::unique_ptr<QueueOrder> MakeShuffledOrder(int64_t seed, int64_t seed2);
// The least value of component 0, an int64; equal ones as TensorFlow's heap has them. Source:
// TensorFlow PriorityQueue.
std::unique_ptr<QueueOrder> MakePriorityOrder();

}  // namespace headrace
