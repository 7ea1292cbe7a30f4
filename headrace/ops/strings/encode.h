// Bytes in other forms: base64, compressed, tensors as messages.
//
//   Output text = EncodeBase64(bytes);
//   Output x = ParseTensor(serialized, DType::kFloat32);
//
// DTypes: string unless said otherwise. Gradient: none.
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct EncodeBase64Options {
  bool pad = false;  // with '=' at the end
  std::string name;
};
// Base64 with the letters '-' and '_' that are safe in addresses. Shapes: any -> the same. Errors:
// InvalidArgument "Invalid character found in base64." Source: TensorFlow EncodeBase64,
// DecodeBase64, RFC 4648.
Output EncodeBase64(Output bytes, EncodeBase64Options o = {}, Location where = Location::Current());
Output DecodeBase64(Output text, OpOptions o = {}, Location where = Location::Current());

// What was compressed as "ZLIB" or "GZIP"; "" gives the bytes as they are. Shapes: any -> the same.
// Errors: DataLoss "inflate() failed with error -3: incorrect header check". Source: TensorFlow
// DecodeCompressed.
Output DecodeCompressed(Output bytes, std::string_view compression_type, OpOptions o = {},
                        Location where = Location::Current());

// A tensor as a TensorProto message, and back. Shapes: `... -> []`, `[] -> ...`. DTypes: all but
// variant. Errors: InvalidArgument "Type mismatch between parsed tensor (int32) and dtype (float)".
// Source: TensorFlow SerializeTensor, ParseTensor.
Output SerializeTensor(Output x, OpOptions o = {}, Location where = Location::Current());
Output ParseTensor(Output serialized, DType out_type, OpOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
