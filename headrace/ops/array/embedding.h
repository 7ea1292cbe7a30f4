// Rows of a table by id, where the table may be cut into several tensors (on several devices).
//
//   Output vectors = EmbeddingLookup({table}, ids);               // [V, d], [n] -> [n, d]
//   Output v = EmbeddingLookup({part0, part1}, ids, {.strategy = PartitionStrategy::kDiv});
#pragma once

#include <initializer_list>
#include <span>

#include "headrace/ops/options.h"

namespace headrace {

enum class PartitionStrategy {
  kMod,  // id goes to part id % n
  kDiv,  // parts are runs of ids, the first ones longer by one where it does not divide
};
struct EmbeddingLookupOptions {
  PartitionStrategy strategy = PartitionStrategy::kMod;
  std::string name;  // "" = "embedding_lookup"
};
// From other ops. Shapes: `n x [v_k, rest...], [ids...] -> [ids..., rest...]`. DTypes: ids int32,
// int64. Errors: as Gather. Gradient: IndexedSlices for each part. Source: tf.nn.embedding_lookup.
Output EmbeddingLookup(std::span<const Output> params, Output ids, EmbeddingLookupOptions o = {},
                       Location where = Location::Current());
inline Output EmbeddingLookup(std::initializer_list<Output> params, Output ids,
                              EmbeddingLookupOptions o = {}, Location where = Location::Current()) {
  return EmbeddingLookup(std::span(params.begin(), params.size()), ids, std::move(o), where);
}

}  // namespace headrace
