// How the readers of the graph read their files. Keys of records are TensorFlow's: "file:0".
#pragma once

#include "headrace/io/text_file.h"
#include "headrace/ops/data/reader_resource.h"

namespace headrace {

OpenUnit RecordUnits(Compression compression);                   // key: "file:offset"
OpenUnit LineUnits(int64_t skip_header_lines);                   // "file:line number", from 1
OpenUnit FixedUnits(const FixedRecordReader::Options& options);  // "file:record number", from 0
OpenUnit FileUnits();                                            // "file"; the value is all of it
OpenUnit IdentityUnits();  // key and value are the unit itself

}  // namespace headrace
