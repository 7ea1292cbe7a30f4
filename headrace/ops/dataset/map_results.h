// What datasets make of the results of the function that maps their elements.
#pragma once

#include "headrace/ops/dataset/dataset.h"

namespace headrace {

// True with the results as `element`. OutOfRange is the end of the dataset (false), unless it promised as many
// elements as its input has.
StatusOr<bool> TakeResults(StatusOr<Element> results, bool keeps_count, Element& element);

}  // namespace headrace
