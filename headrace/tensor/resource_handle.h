// The element type of DType::kResource tensors: a name and the object it stands for.
#pragma once

#include <memory>
#include <string>

namespace headrace {

class Resource;  // kernel/resource.h

struct ResourceHandle {
  std::string container;
  std::string name;
  std::shared_ptr<Resource> object;
};

}  // namespace headrace
