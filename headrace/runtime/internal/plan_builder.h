// Fills a PlanInstance from the layout of its plan.
#pragma once

#include "headrace/runtime/internal/plan_instance.h"

namespace headrace {

class PlanInstance::Builder {
 public:
  Builder(PlanInstance& instance, ResourceStore& resources)
      : instance_(instance), resources_(resources) {}
  Status Build();

 private:
  Status MakeArenas();
  Status OutOfMemory(int arena) const;
  Status MakeVariables();
  void CountArrays();
  Status MakeProgram(const PlanProgram& plan, Program& program);
  Status MakeKernel(const PlanInstruction& plan, const PlanProgram& program,
                    Instruction& instruction);
  void MarkOutputs(const PlanInstruction& plan, Instruction& instruction);
  void PlanFetches();
  const PlanLayout& layout() const { return *instance_.layout_; }

  PlanInstance& instance_;
  ResourceStore& resources_;
  std::vector<VariableResource*> variable_of_;  // by node id
};

}  // namespace headrace
