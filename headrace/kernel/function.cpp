#include "headrace/kernel/function.h"

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<std::shared_ptr<const BoundFunction>> BindFunction(const KernelInit& init,
                                                            std::string_view attr) {
  const auto runtime =
      init.resources().Lookup<FunctionRuntime>(FunctionRuntime::kContainer, FunctionRuntime::kName);
  if (!runtime.ok()) return FailedPrecondition("functions run in a session only");
  StatusOr<std::shared_ptr<const BoundFunction>> bound =
      (*runtime)->Bind(init.node(), init.Attr<FunctionRef>(attr), init.resources());
  if (!bound.ok()) return Annotate(bound.status(), StrCat("attribute '", attr, "': "));
  return bound;
}

}  // namespace headrace
