#include "headrace/train/saver.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>

#include "headrace/base/file.h"
#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/checkpoint.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/train/collections.h"
#include "headrace/train/internal/checkpoint_fit.h"
#include "headrace/train/meta_graph.h"

namespace headrace {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Of the newest of its files; nothing if it has none.
std::optional<double> FileTime(const std::string& path) {
  for (const std::string& file : {path + ".index", path}) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(file, error);
    if (error) continue;
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration<double>(system.time_since_epoch()).count();
  }
  return std::nullopt;
}

Output StringVector(Graph& g, const std::vector<std::string>& values, std::string_view name,
                    Location where) {
  return Const(
      g, Tensor::Of<std::string>(std::span(values), Shape{static_cast<int64_t>(values.size())}),
      {.name = std::string(name)}, where);
}

std::string FolderOf(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

Saver::Saver(Graph& g, SaverOptions o, Location where) : options_(std::move(o)) {
  next_preserved_time_ = Now() + options_.keep_checkpoint_every_n_hours * 3600;
  if (Status status = TakeVariables(g); !status.ok()) {
    g.ReportError(status);
    return;
  }
  if (!variables_.empty()) Build(g, where);
}

Status Saver::TakeVariables(Graph& g) {
  if (!options_.names.empty() && !options_.var_list.empty()) {
    return InvalidArgument("Saver: give var_list or names, not both");
  }
  variables_ = options_.names;
  if (options_.names.empty()) {
    for (const Variable& variable :
         options_.var_list.empty() ? GlobalVariables(g) : options_.var_list) {
      if (!variable.valid()) continue;  // the graph has the error
      auto [it, added] = variables_.emplace(variable.name(), variable);
      if (!added && it->second.ref() != variable.ref()) {
        return InvalidArgument("At least two variables have the same name: ", variable.name());
      }
    }
  }
  for (const auto& [name, variable] : variables_) {
    if (!variable.valid())
      return InvalidArgument("Saver: the variable for '", name, "' was not made");
  }
  if (variables_.empty() && !options_.allow_empty && g.status().ok()) {
    return InvalidArgument("No variables to save");
  }
  return absl::OkStatus();
}

Saver::Saver(const SaverNodes& nodes, SaverOptions o)
    : options_(std::move(o)),
      filename_(nodes.filename),
      save_tensor_(nodes.save_tensor),
      restore_op_(nodes.restore) {
  next_preserved_time_ = Now() + options_.keep_checkpoint_every_n_hours * 3600;
  std::set<const Node*> seen;
  std::vector<Node*> pending;
  if (nodes.restore != nullptr) pending.push_back(nodes.restore);
  while (!pending.empty()) {
    Node* node = pending.back();
    pending.pop_back();
    if (!seen.insert(node).second) continue;
    if (node->op_name() == "Assign" || node->op_name() == "AssignVariableOp") {
      FindVariable(*node);
    } else {  // a group, perhaps of groups
      pending.insert(pending.end(), node->control_inputs().begin(), node->control_inputs().end());
    }
  }
}

void Saver::FindVariable(const Node& assign) {
  Output source = assign.input(1);
  if (source.node->op_name() == "Identity") source = source.node->input(0);
  if (source.node->op_name() != "RestoreV2") return;
  const Tensor names = ConstantValue(source.node->input(1));
  const Tensor slices = ConstantValue(source.node->input(2));
  if (!names.valid() || !slices.valid() || source.index >= names.num_elements()) return;
  if (source.index >= slices.num_elements()) return;
  if (!slices.data<std::string>()[source.index].empty()) return;
  const Variable variable = Variable::Of(assign.input(0));
  if (variable.valid()) variables_.emplace(names.data<std::string>()[source.index], variable);
}

void Saver::Build(Graph& g, Location where) {
  ControlDependencies none(g, nullptr);
  NameScope scope(g, options_.name.empty() ? "save" : options_.name);
  std::vector<std::string> names, slices(variables_.size());
  std::vector<Output> tensors;
  std::vector<DType> dtypes;
  for (const auto& [name, variable] : variables_) {
    names.push_back(name);
    tensors.push_back(variable.is_resource() ? variable.value() : variable.ref());
    dtypes.push_back(variable.dtype());
  }
  {
    OpScope inner(g, "filename", "filename");
    Output model = Const(g, "model", {.name = "input"}, where);
    filename_ = PlaceholderWithDefault(model, Shape(), {.name = inner.op_name()}, where);
  }
  filename_ = PlaceholderWithDefault(filename_, Shape(), {.name = "Const"}, where);
  if (!filename_.valid()) return;
  Node* save = nullptr;
  {
    OpScope inner(g, "SaveV2", "SaveV2");
    Output tensor_names = StringVector(g, names, "tensor_names", where);
    Output parts = StringVector(g, slices, "shape_and_slices", where);
    save = SaveV2(filename_, tensor_names, parts, tensors, {.name = inner.op_name()}, where);
  }
  if (save == nullptr) return;
  {
    ColocateWith colocate(g, *filename_.node);
    save_tensor_ =
        NodeBuilder("Identity", "control_dependency", where).Input(filename_).Control(save).Build();
  }
  std::vector<Output> values;
  {
    DeviceScope cpu(g, "/device:CPU:0");
    OpScope inner(g, "RestoreV2", "RestoreV2");
    Output tensor_names = StringVector(g, names, "tensor_names", where);
    Output parts = StringVector(g, slices, "shape_and_slices", where);
    values = RestoreV2(filename_, tensor_names, parts, dtypes, {.name = inner.op_name()}, where);
  }
  std::vector<Node*> assigns;
  for (size_t i = 0; const auto& [name, variable] : variables_) {
    const Output value = values[i++];
    if (variable.is_resource()) {
      DeviceScope beside(g, variable.ref().node->requested_device());
      assigns.push_back(AssignVariableOp(variable.ref(), Identity(value, {}, where), {}, where));
      continue;
    }
    const bool validate = variable.shape().is_fully_known();
    assigns.push_back(Assign(variable.ref(), value, {.validate_shape = validate}, where).node);
  }
  restore_op_ = Group(g, assigns, {.name = "restore_all"}, where);
}

StatusOr<std::string> Saver::Save(Session& session, const std::string& path,
                                  std::optional<int64_t> global_step, const SaveOptions& o) {
  if (o.latest_filename.find('/') != std::string::npos) {
    return InvalidArgument("latest_filename must be a name without folders, got '",
                           o.latest_filename, "'");
  }
  std::string prefix = path;
  if (global_step.has_value()) {
    char number[32];
    std::snprintf(number, sizeof(number), options_.pad_step_number ? "-%08lld" : "-%lld",
                  static_cast<long long>(*global_step));
    prefix += number;
  }
  const std::string base = std::filesystem::path(prefix).filename().string();
  if (base.empty())
    return InvalidArgument("Saver::Save: '", path, "' is a folder, not the path of a checkpoint");
  if (base == o.latest_filename) {
    return InvalidArgument("Saver::Save: '", base,
                           "' is the name of the state file too; choose another path");
  }
  if (variables_.empty() && !save_tensor_.valid()) {
    if (options_.allow_empty) return prefix;
    return InvalidArgument("No variables to save");
  }
  if (!save_tensor_.valid())
    return FailedPrecondition("the saver could not be built; see the graph's status");
  HR_RETURN_IF_ERROR(
      session.Run({{filename_, Tensor::Scalar<std::string>(prefix)}}, {save_tensor_}).status());
  if (o.write_meta_graph) {
    // A graph beyond the format's 2 GiB has no meta file; its variables are saved all the same.
    const Status status = WriteMetaGraph(*save_tensor_.graph(), prefix + ".meta", {.saver = this});
    if (absl::IsInvalidArgument(status)) {
      Log(LogLevel::kWarning, StrCat("No '", prefix, ".meta': ", Message(status)));
    } else {
      HR_RETURN_IF_ERROR(status);
    }
  }
  if (o.write_state) HR_RETURN_IF_ERROR(Record(prefix, o));
  return prefix;
}

Status Saver::Record(const std::string& path, const SaveOptions& o) {
  std::erase_if(kept_, [&](const Kept& kept) { return kept.path == path; });
  std::erase_if(to_delete_, [&](const Kept& old) { return old.path == path; });
  kept_.push_back({path, Now()});
  if (options_.max_to_keep > 0) {
    while (kept_.size() > static_cast<size_t>(options_.max_to_keep)) {
      to_delete_.push_back(kept_.front());
      kept_.erase(kept_.begin());
    }
  }
  CheckpointState state{.model_checkpoint_path = path};
  for (const Kept& kept : kept_) state.all_model_checkpoint_paths.push_back(kept.path);
  // First the state, then the deletion: a crash in between leaves files that nothing names, never a
  // name without files.
  HR_RETURN_IF_ERROR(WriteCheckpointState(FolderOf(path), state, o.latest_filename));
  DeleteOld();
  return absl::OkStatus();
}

void Saver::DeleteOld() {
  for (const Kept& old : to_delete_) {
    if (old.time > next_preserved_time_) {
      next_preserved_time_ += options_.keep_checkpoint_every_n_hours * 3600;
      continue;
    }
    const Status status = RemoveCheckpoint(old.path, /*with_meta_graph=*/true);
    if (!status.ok()) Log(LogLevel::kWarning, StrCat("Old checkpoint stays: ", Message(status)));
  }
  to_delete_.clear();
}

Status Saver::Restore(Session& session, const std::string& path) {
  if (variables_.empty() && restore_op_ == nullptr) return absl::OkStatus();
  if (restore_op_ == nullptr)
    return FailedPrecondition("the saver could not be built; see the graph's status");
  HR_RETURN_IF_ERROR(train::CheckFit(path, variables_));
  return session.Run({{filename_, Tensor::Scalar<std::string>(path)}}, {}, {restore_op_}).status();
}

std::vector<std::string> Saver::last_checkpoints() const {
  std::vector<std::string> paths;
  for (const Kept& kept : kept_) paths.push_back(kept.path);
  return paths;
}

void Saver::RecoverLastCheckpoints(const std::vector<std::string>& paths) {
  kept_.clear();
  for (const std::string& path : paths) {
    if (std::optional<double> time = FileTime(path)) kept_.push_back({path, *time});
  }
}

}  // namespace headrace
