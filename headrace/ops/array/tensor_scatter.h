// Tensors with some parts replaced: by index vectors, by a slice, by rows.
//
//   Output y = TensorScatterUpdate(x, {{0}, {2}}, rows);      // x with rows 0 and 2 new
//   Output z = TensorStridedSliceUpdate(x, {1}, {3}, {1}, part);
//   Output w = InplaceAdd(x, rows, values);
#pragma once

#include "headrace/ops/array/strided_slice.h"

namespace headrace {

// `tensor` with slices written, added to or subtracted from, in the order of the updates. Shapes:
// `t, [i..., k], [i..., t from k on] -> t`. DTypes: numbers, for Update bool and string too;
// indices int32, int64. Errors: InvalidArgument "indices[1] = [0, 9] does not index into
// shape [2,3]", and for shapes that do not fit. Gradient: to tensor and updates. Source: TensorFlow
// TensorScatterUpdate, TensorScatterAdd, TensorScatterSub.
Output TensorScatterUpdate(Output tensor, Output indices, Output updates, OpOptions o = {},
                           Location where = Location::Current());
Output TensorScatterAdd(Output tensor, Output indices, Output updates, OpOptions o = {},
                        Location where = Location::Current());
Output TensorScatterSub(Output tensor, Output indices, Output updates, OpOptions o = {},
                        Location where = Location::Current());
// The same as TensorScatterAdd, of bool: or. Source: TensorFlow ScatterNdNonAliasingAdd.
Output ScatterNdNonAliasingAdd(Output input, Output indices, Output updates, OpOptions o = {},
                               Location where = Location::Current());

// `input` with the part that StridedSlice would take replaced by `value`. Errors: InvalidArgument
// as StridedSlice, and where value has another shape than the part. Gradient: error. Source:
// TensorFlow TensorStridedSliceUpdate.
Output TensorStridedSliceUpdate(Output input, IntArg begin, IntArg end, IntArg strides,
                                Output value, StridedSliceOptions o = {},
                                Location where = Location::Current());

// x with rows i replaced, added to, or subtracted from. TensorFlow changes x itself; here other
// readers of x keep its value. Numbers of rows count around the ends: -1 is the last. Shapes: `[n,
// rest...], [k], [k, rest...] -> [n, rest...]`. DTypes: every one; Add and Sub numbers. Errors:
// InvalidArgument for other shapes. Gradient: error. Source: TensorFlow InplaceUpdate, InplaceAdd,
// InplaceSub.
Output InplaceUpdate(Output x, Output i, Output v, OpOptions o = {},
                     Location where = Location::Current());
Output InplaceAdd(Output x, Output i, Output v, OpOptions o = {},
                  Location where = Location::Current());
Output InplaceSub(Output x, Output i, Output v, OpOptions o = {},
                  Location where = Location::Current());

}  // namespace headrace
