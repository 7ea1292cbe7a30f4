// Saves the variables of a graph to checkpoint files and restores them.
//
//   Saver saver(g, {.max_to_keep = 3});
//   HR_ASSIGN_OR_RETURN(std::string path, saver.Save(*session, "logs/model.ckpt", step));
//   HR_ASSIGN_OR_RETURN(path, LatestCheckpoint("logs"));  // "logs/model.ckpt-100"
//   HR_RETURN_IF_ERROR(saver.Restore(*session, path));
//
// Files are TensorFlow's (V2), so that each reads the other's; nodes in the graph are named as
// TensorFlow's. A crash at any moment leaves the newest complete checkpoint restorable: the state
// file names a checkpoint only once all of it is on the disk, and old ones are deleted last.
// LatestCheckpoint is in io/checkpoint_state.h. Make it when all variables are there.
// Thread-compatible. The graph must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/io/checkpoint_state.h"
#include "headrace/ops/state/variable.h"
#include "headrace/session/session.h"

namespace headrace {

struct SaverOptions {
  std::vector<Variable> var_list;         // under their own names; empty = all global variables
  std::map<std::string, Variable> names;  // name in the checkpoint -> variable; instead of var_list
  int max_to_keep = 5;                    // checkpoints in the folder; 0 = all
  // Beyond max_to_keep, one for each such period stays.
  double keep_checkpoint_every_n_hours = 10000;
  bool pad_step_number = false;  // "model.ckpt-00000100"
  bool allow_empty = false;      // no error when there is nothing to save
  std::string name;              // scope of the nodes; "" = "save"
};

// The nodes of a saver that is in the graph already: from a graph file, or made by a program.
struct SaverNodes {
  Output filename;          // where the path is fed
  Output save_tensor;       // writes the checkpoint when it is fetched
  Node* restore = nullptr;  // reads it
};

struct SaveOptions {
  std::string latest_filename = "checkpoint";  // the state file
  bool write_state = true;                     // records the checkpoint there and deletes old ones
  bool write_meta_graph = true;  // "<path>.meta": the graph, its collections and this saver, for
                                 // tf.train.import_meta_graph
};

class Saver {
 public:
  // Errors (to the graph): InvalidArgument for no variables, or two of one name.
  explicit Saver(Graph& g, SaverOptions o = {}, Location where = Location::Current());
  // Runs nodes that are there; adds none. Options that shape nodes (var_list, names, name) count
  // for nothing. variables() are those that `restore` assigns what a RestoreV2 of constant names
  // reads in one piece.
  Saver(const SaverNodes& nodes, SaverOptions o);

  // Writes a checkpoint and returns its path: `path`, or "<path>-<step>". Makes the folder if there
  // is none. Errors: FailedPrecondition for an uninitialised variable; those of the file system (a
  // full disk leaves the old checkpoint).
  StatusOr<std::string> Save(Session& session, const std::string& path,
                             std::optional<int64_t> global_step = std::nullopt,
                             const SaveOptions& o = {});
  // Gives the variables the values in the checkpoint; they need not be initialised. Nothing is
  // changed unless all of it fits. Errors: NotFound when there is no checkpoint at `path`, or it
  // lacks variables (each with the nearest names); InvalidArgument for variables of other shapes or
  // dtypes; DataLoss for damaged files.
  Status Restore(Session& session, const std::string& path);

  // Checkpoints that are kept, oldest first; deleted by later Saves when there are too many.
  std::vector<std::string> last_checkpoints() const;
  // Takes over those of an earlier run: the files that exist, with the times of their files.
  void RecoverLastCheckpoints(const std::vector<std::string>& paths);

  const std::map<std::string, Variable>& variables() const {
    return variables_;
  }  // by name in the checkpoint
  // For hand-written steps: feed the path to filename, fetch save_tensor or run restore_op. Invalid
  // after an error.
  Output filename() const { return filename_; }
  Output save_tensor() const { return save_tensor_; }
  Node* restore_op() const { return restore_op_; }
  const SaverOptions& options() const { return options_; }

 private:
  struct Kept {
    std::string path;
    double time = 0;  // seconds since 1970
  };
  Status TakeVariables(Graph& g);
  void FindVariable(const Node& assign);
  void Build(Graph& g, Location where);
  Status Record(const std::string& path, const SaveOptions& o);
  void DeleteOld();

  SaverOptions options_;
  std::map<std::string, Variable> variables_;
  Output filename_, save_tensor_;
  Node* restore_op_ = nullptr;
  std::vector<Kept> kept_;
  std::vector<Kept> to_delete_;
  double next_preserved_time_ = 0;
};

}  // namespace headrace
