// Tensors out of strings.
//
//   Output x = StringToNumber(texts, DType::kFloat32);
//   std::vector<Output> columns = DecodeCSV(lines, {Const(g, {0}), Const(g, {std::string()})});
//
// Gradient: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

// The number that a text is. Shapes: any -> the same. DTypes: float32, float64, int32, int64.
// Errors: InvalidArgument "StringToNumberOp could not correctly convert string: abc". Source:
// TensorFlow StringToNumber.
Output StringToNumber(Output text, DType out_type = DType::kFloat32, OpOptions o = {},
                      Location where = Location::Current());

struct DecodeRawOptions {
  bool little_endian = true;
  std::string name;
};
// The bytes of texts of one length, as numbers. Shapes: `s -> [s, n]`. DTypes: numbers and bool.
// Errors: InvalidArgument "DecodeRaw requires input strings to all be the same size, but element 1
// has size 2 != 4". Source: TensorFlow DecodeRaw.
Output DecodeRaw(Output bytes, DType out_type, DecodeRawOptions o = {},
                 Location where = Location::Current());

// The first `fixed_length` (int32 scalar) bytes of each text as numbers, zeros behind shorter ones.
// Shapes: `s, [] -> [s, n]`. DTypes: float16, float32, float64, integers up to 64 bits. Errors:
// InvalidArgument "fixed_length (3) must be a multiple of the size of out_type (4)". Source:
// TensorFlow DecodePaddedRaw.
Output DecodePaddedRaw(Output bytes, Output fixed_length, DType out_type, DecodeRawOptions o = {},
                       Location where = Location::Current());

struct DecodeCSVOptions {
  std::string field_delim = ",";
  bool use_quote_delim = true;       // fields may stand in double quotes
  std::string na_value;              // this text, too, means that a field is missing
  std::vector<int64_t> select_cols;  // numbers of the columns that are wanted; empty: all
  std::string name;
};
// One output for each column, with the dtype of its default: a vector with the value of missing
// fields, or an empty one where a field is required. Shapes: `s, [0 or 1]... -> s...`. DTypes:
// float32, float64, int32, int64, string. Errors: InvalidArgument "Expect 3 fields but have 2 in
// record 0", "Field 1 in record 0 is not a valid float: b". Source: TensorFlow DecodeCSV, RFC 4180.
std::vector<Output> DecodeCSV(Output records, std::span<const Output> defaults,
                              DecodeCSVOptions o = {}, Location where = Location::Current());

}  // namespace headrace
