// Serialized tf.train.Examples and SequenceExamples as tensors.
//
//   ExampleTensors row = ParseExample(serialized, {.dense = {{"image", DType::kString, Shape()}}});
//   Output image = row.dense[0];
//
// Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

// Any number of values: a sparse tensor. DTypes: float32, int64, string.
struct SparseFeature {
  std::string key;
  DType type = DType::kInvalid;
};
// Values of one shape. A first dimension that is not known (of examples, not of sequences): any
// number of rows, and batches are padded with the default, a single element.
struct DenseFeature {
  std::string key;
  DType type = DType::kInvalid;
  PartialShape shape;
  Output default_value;  // of `shape`, for examples without the feature; not given: it is required
};
struct ExampleFeatures {
  std::vector<SparseFeature> sparse;
  std::vector<DenseFeature> dense;
  std::string name;
};

struct SparseValues {
  Output indices, values, shape;
};
struct ExampleTensors {
  std::vector<SparseValues> sparse;
  std::vector<Output> dense;
};

// A batch. Shapes: `[n] -> dense [n, ...], sparse [n, longest]`. Errors: InvalidArgument "Name:
// <unknown>, Feature: x (data type: float) is required but could not be found."
ExampleTensors ParseExample(Output serialized, const ExampleFeatures& features,
                            Location where = Location::Current());
// One example. Shapes: `[] -> dense [...], sparse [k]`.
ExampleTensors ParseSingleExample(Output serialized, const ExampleFeatures& features,
                                  Location where = Location::Current());

struct SequenceFeatures {
  ExampleFeatures context;
  std::vector<SparseFeature> sparse_lists;
  // One value of the shape for each step. Without a default, but one that may be missing counts as
  // empty.
  struct DenseList {
    std::string key;
    DType type = DType::kInvalid;
    Shape shape;
    bool may_be_missing = false;
  };
  std::vector<DenseList> dense_lists;
  std::string name;
};
struct SequenceTensors {
  ExampleTensors context, lists;
  std::vector<Output> lengths;  // of dense lists; ParseSequenceExample only
};
// One SequenceExample. Shapes: `[] -> dense lists [steps, ...], sparse lists [steps, longest]`.
// Errors: InvalidArgument "Name: , Feature list 'x' is required but could not be found. ..."
SequenceTensors ParseSingleSequenceExample(Output serialized, const SequenceFeatures& features,
                                           Location where = Location::Current());
// A batch. Shapes: `[n] -> dense lists [n, most steps, ...], sparse lists [n, most steps,
// longest]`; what is short is padded with zeros.
SequenceTensors ParseSequenceExample(Output serialized, const SequenceFeatures& features,
                                     Location where = Location::Current());

// Serialized Examples of their JSON form. Shapes: any -> the same. Errors: InvalidArgument "Error
// while parsing JSON: ...".
Output DecodeJSONExample(Output json, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
