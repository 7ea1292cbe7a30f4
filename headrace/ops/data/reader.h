// Readers: records of files whose names come out of a queue.
//
//   Output files = FIFOQueue(g, {DType::kString}, {.shapes = {Shape()}});
//   Output reader = TFRecordReader(g);
//   ReadRecord record = ReaderRead(reader, files);    // a key such as "train.tfrecord:0", and a value
//
// A reader takes the next name when a file has no more records; a step that finds none waits, and
// ends with OutOfRange when the queue is closed. Records before a damaged one are delivered.
// Builders make the ops of TensorFlow's second form (TFRecordReaderV2: a resource handle). DTypes:
// string unless said otherwise. Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct ReaderOptions {
  std::string container;
  std::string shared_name;  // nodes of one session with the same name share the reader
  std::string name;
};

struct TFRecordReaderOptions {
  std::string compression_type;  // "", "ZLIB" or "GZIP"
  std::string container;
  std::string shared_name;
  std::string name;
};
// Records of TFRecord files; keys "file:offset". Errors: DataLoss with file and offset.
Output TFRecordReader(Graph& g, TFRecordReaderOptions o = {}, Location where = Location::Current());

struct TextLineReaderOptions {
  int64_t skip_header_lines = 0;
  std::string container;
  std::string shared_name;
  std::string name;
};
// Lines of text without their ends; keys "file:number", from 1.
Output TextLineReader(Graph& g, TextLineReaderOptions o = {}, Location where = Location::Current());

struct FixedLengthRecordReaderOptions {
  int64_t header_bytes = 0;  // left out at the begin of a file
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;  // left out at its end
  int64_t hop_bytes = 0;     // from a record's begin to that of the next; 0: record_bytes
  std::string encoding;      // "", "ZLIB" or "GZIP"
  std::string container;
  std::string shared_name;
  std::string name;
};
// Keys "file:number", from 0. Errors: InvalidArgument "record_bytes must be >= 0 got -1".
Output FixedLengthRecordReader(Graph& g, FixedLengthRecordReaderOptions o,
                               Location where = Location::Current());

// Whole files, whose names are the keys; and the names themselves.
Output WholeFileReader(Graph& g, ReaderOptions o = {}, Location where = Location::Current());
Output IdentityReader(Graph& g, ReaderOptions o = {}, Location where = Location::Current());

struct ReadRecord {
  Output key, value;
};
// The next record. Shapes: `[] , [] -> [], []`.
ReadRecord ReaderRead(Output reader, Output queue, OpOptions o = {},
                      Location where = Location::Current());
// Up to `num_records` (int64 scalar): fewer where a file ends. Shapes: `-> [n], [n]`.
ReadRecord ReaderReadUpTo(Output reader, Output queue, Output num_records, OpOptions o = {},
                          Location where = Location::Current());

// Counts, int64 scalars.
Output ReaderNumRecordsProduced(Output reader, OpOptions o = {},
                                Location where = Location::Current());
Output ReaderNumWorkUnitsCompleted(Output reader, OpOptions o = {},
                                   Location where = Location::Current());

// Where a reader stands, to go on from there later. Errors: Unimplemented "Reader SerializeState"
// for all but WholeFileReader and IdentityReader.
Output ReaderSerializeState(Output reader, OpOptions o = {}, Location where = Location::Current());
Node* ReaderRestoreState(Output reader, Output state, OpOptions o = {},
                         Location where = Location::Current());
// To its first state; the rest of the file is left.
Node* ReaderReset(Output reader, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
