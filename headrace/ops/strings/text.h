// Text element by element: conversion, case, length, parts.
//
//   Output words = StringLower(StringStrip(lines));
//   Output year = Substr(dates, Const(g, 0), Const(g, 4));
//
// DTypes: string unless said otherwise. Gradient: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct AsStringOptions {
  int64_t precision = -1;   // digits after the point, floating and complex only; -1: six
  bool scientific = false;  // "1.5e+00"
  bool shortest = false;    // the shorter of both forms
  int64_t width = -1;       // least number of characters
  std::string fill;         // "0", " ", "+" or "-": how it is filled up
  std::string name;
};
// Numbers as C's printf writes them; "true", "false". Shapes: any -> the same. DTypes: int8, int16,
// int32, int64, float32, float64, complex64, complex128, bool. Errors: InvalidArgument "precision
// not supported for datatype int32". Source: TensorFlow AsString.
Output AsString(Output x, AsStringOptions o = {}, Location where = Location::Current());

struct StringUnitOptions {
  std::string unit = "BYTE";  // or "UTF8_CHAR"
  std::string name;
};
// Shapes: any -> the same, int32. Source: TensorFlow StringLength.
Output StringLength(Output text, StringUnitOptions o = {}, Location where = Location::Current());
// `length` bytes or characters from `position` on, counted from the end where it is negative.
// `position` and `length` have one shape, which broadcasts with that of `text`. DTypes: int32,
// int64. Errors: InvalidArgument "pos 5 out of range for string b'abc' at index 0". Source:
// TensorFlow Substr.
Output Substr(Output text, Output position, Output length, StringUnitOptions o = {},
              Location where = Location::Current());

struct StringCaseOptions {
  std::string encoding;  // or "utf-8"
  std::string name;
};
// Letters A to Z and a to z; other bytes stay. With encoding "utf-8" the letters of all scripts, in
// Unicode's full mapping. Source: TensorFlow StringLower, StringUpper.
Output StringLower(Output text, StringCaseOptions o = {}, Location where = Location::Current());
Output StringUpper(Output text, StringCaseOptions o = {}, Location where = Location::Current());
// Without white space at both ends. Source: TensorFlow StringStrip.
Output StringStrip(Output text, OpOptions o = {}, Location where = Location::Current());

struct StringFormatOptions {
  std::string placeholder = "%s";
  int64_t summarize = 3;  // elements shown at each end of a dimension; -1: all
  std::string name;
};
// `text` with each placeholder replaced by a tensor, as Python prints it. Shapes: `... -> []`.
// DTypes: every one. Errors: InvalidArgument "num placeholders in template and num inputs must
// match: 2 vs. 1". Source: TensorFlow StringFormat.
Output StringFormat(Graph& g, std::string_view text, std::span<const Output> inputs,
                    StringFormatOptions o = {}, Location where = Location::Current());

}  // namespace headrace
