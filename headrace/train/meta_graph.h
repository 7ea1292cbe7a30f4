// A graph with its collections and how it is saved, as TensorFlow's MetaGraphDef files (".meta")
// hold it.
//
//   HR_RETURN_IF_ERROR(WriteMetaGraph(g, "model.ckpt-100.meta", {.saver = &saver}));
//   Graph other;
//   HR_RETURN_IF_ERROR(ImportMetaGraph(other, path, {.device_map = {{"/gpu:*", "/cpu:0"}}}));
//   HR_RETURN_IF_ERROR(Saver(other).Restore(*session, "model.ckpt-100"));
//
// Collections of variables keep their initializers and snapshots; others keep names of nodes and
// tensors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace {

class Saver;

struct MetaGraphOptions {
  const Saver* saver = nullptr;  // how to save and restore; null = nothing about it
  bool with_devices = true;
};
// The serialised message. Errors: InvalidArgument beyond the format's limit of 2 GiB.
StatusOr<std::string> ExportMetaGraph(const Graph& g, const MetaGraphOptions& o = {});
// To a file, replaced atomically.
Status WriteMetaGraph(const Graph& g, const std::string& path, const MetaGraphOptions& o = {});

struct ImportMetaGraphOptions {
  std::string prefix;  // name scope for the nodes; "" = none
  std::vector<std::pair<std::string, std::string>> device_map;  // see ImportOptions
};
// Adds the nodes and fills the collections. Collections whose entries this library does not know
// (queue runners, conditions) are skipped with a log line. Errors: NotFound, DataLoss, those of
// ImportGraph.
Status ImportMetaGraph(Graph& g, const std::string& path, const ImportMetaGraphOptions& o = {});

}  // namespace headrace
