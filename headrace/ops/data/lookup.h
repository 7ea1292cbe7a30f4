// Lookup tables: from keys to values, as state between steps.
//
//   Output table = HashTable(g, DType::kString, DType::kInt64);
//   Node* init = InitializeTableFromTextFile(table, Const(g, std::string("words.txt")));
//   Output ids = LookupTableFind(table, words, Const(g, int64_t{-1}));
//
// Builders make the ops of TensorFlow's second form (HashTableV2: a resource handle); those that
// take a handle also take that of the first (a ref to two strings). DTypes of keys: int32, int64,
// string; of values: numbers, bool, string. Tables are in host memory. Gradients: none. Source:
// TensorFlow ops of these names.
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct TableOptions {
  std::string container;
  std::string shared_name;  // nodes of one session with the same name share the table
  bool use_node_name_sharing = false;
  std::string name;
};
// Filled once, by one of the Initialize ops. Shapes: `-> []`, resource.
Output HashTable(Graph& g, DType key_type, DType value_type, TableOptions o = {},
                 Location where = Location::Current());
Output MutableHashTable(Graph& g, DType key_type, DType value_type, TableOptions o = {},
                        Location where = Location::Current());
// Values are tensors of one shape.
Output MutableHashTableOfTensors(Graph& g, DType key_type, DType value_type,
                                 const Shape& value_shape, TableOptions o = {},
                                 Location where = Location::Current());

struct DenseHashTableOptions {
  Shape value_shape;
  int64_t initial_num_buckets = 131072;  // a power of two
  float max_load_factor = 0.8f;
  std::string container;
  std::string shared_name;
  bool use_node_name_sharing = false;
  std::string name;
};
// Keys are scalars or vectors; two of them, which may not be used, mark buckets without an entry.
Output MutableDenseHashTable(Output empty_key, Output deleted_key, DType value_type,
                             DenseHashTableOptions o = {}, Location where = Location::Current());

// Fills a HashTable. Shapes: `[], [n], [n]`. Errors: FailedPrecondition "HashTable has different
// value for same key. ..."
Node* InitializeTable(Output table, Output keys, Output values, OpOptions o = {},
                      Location where = Location::Current());
struct TextFileOptions {
  int64_t key_index = -2;    // a column, counted from 0; -2: the whole line, -1: its number
  int64_t value_index = -1;  // likewise
  int64_t vocab_size = -1;   // so many lines; -1: all
  std::string delimiter = "\t";
  std::string name;
};
Node* InitializeTableFromTextFile(Output table, Output filename, TextFileOptions o = {},
                                  Location where = Location::Current());

// Values of keys, `default_value` for those that are not there. Shapes: `[], [..., key], value ->
// [..., value]`. Errors: FailedPrecondition "Table not initialized."
Output LookupTableFind(Output table, Output keys, Output default_value, OpOptions o = {},
                       Location where = Location::Current());
// Sets the values of keys; Import: and takes all others away. Remove: takes keys away.
Node* LookupTableInsert(Output table, Output keys, Output values, OpOptions o = {},
                        Location where = Location::Current());
Node* LookupTableImport(Output table, Output keys, Output values, OpOptions o = {},
                        Location where = Location::Current());
Node* LookupTableRemove(Output table, Output keys, OpOptions o = {},
                        Location where = Location::Current());
// Entries, int64. Shapes: `[] -> []`.
Output LookupTableSize(Output table, OpOptions o = {}, Location where = Location::Current());
struct TableEntries {
  Output keys, values;
};
// All keys and values, in no particular order.
TableEntries LookupTableExport(Output table, DType key_type, DType value_type, OpOptions o = {},
                               Location where = Location::Current());

}  // namespace headrace
