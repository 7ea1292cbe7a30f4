// How ops that make a queue or an accumulator, and ops that use one, find it.
//
//   HR_ASSIGN_OR_RETURN(auto queue, FindOrMake<Queue>(init, [&](std::string name) { ... }));
//   return MakeHandleKernel(init, queue);                                     // FIFOQueue,
//   FIFOQueueV2 HR_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue, ResourceInput<Queue>(ctx, 0, "a
//   queue"));
//
// An op's first form gives a ref to two strings, container and name; its second form, whose name
// ends in V2 or begins with Resource, a resource handle. Both stand for the same object, which all
// nodes of a session with that container and shared_name (without one: the node itself) share.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "headrace/kernel/kernel.h"

namespace headrace {

// Container and name under which the resource of a node lies in the store.
struct ResourceKey {
  std::string container, name;
};
ResourceKey KeyOf(const KernelInit& init);
// What errors call it: its shared_name, or "_0_queue" for a node without one, numbered in the
// process.
std::string ShownName(const KernelInit& init);

template <class T, class Make>
StatusOr<std::shared_ptr<T>> FindOrMake(const KernelInit& init, Make make) {
  const ResourceKey key = KeyOf(init);
  return init.resources().LookupOrCreate<T>(
      key.container, key.name,
      [&]() -> StatusOr<std::shared_ptr<T>> { return make(ShownName(init)); });
}

// The kernel of the node itself. The handle keeps `resource` alive.
std::unique_ptr<Kernel> MakeHandleKernel(const KernelInit& init,
                                         std::shared_ptr<Resource> resource);

// What input i stands for. Errors: InvalidArgument, NotFound when it stands for nothing.
StatusOr<std::shared_ptr<Resource>> AnyResourceInput(KernelContext& ctx, int i);
Status WrongKind(const Resource& resource, std::string_view wanted);

template <class T>
StatusOr<std::shared_ptr<T>> ResourceInput(KernelContext& ctx, int i, std::string_view what) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<Resource> resource, AnyResourceInput(ctx, i));
  auto typed = std::dynamic_pointer_cast<T>(resource);
  if (typed == nullptr) return WrongKind(*resource, what);
  return typed;
}

// The node that made the handle that comes in at input i, seen through nodes that pass it on; null
// if there is none.
const Node* HandleMaker(const Node& node, int i);

}  // namespace headrace
