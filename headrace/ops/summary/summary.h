// What a step tells about itself: serialised summaries that an EventWriter puts where TensorBoard
// shows them.
//
//   ScalarSummary("loss", loss);
//   HistogramSummary("weights", w);
//   Output all = MergeAllSummaries(g);
//   HR_ASSIGN_OR_RETURN(auto out, session->Run(feeds, {all}, {train}));
//   HR_RETURN_IF_ERROR(events->AddSummary(out[0].scalar<std::string>(), step));
//
// Outside the graph, EventWriter and train/summary.h do the same for values at hand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

inline constexpr char kSummaries[] = "summaries";  // collection of all summaries of a graph

struct SummaryOptions {
  std::string family;  // prefix of the tag, a tab in TensorBoard
  std::vector<std::string> collections = {kSummaries};
};

// All: `name` is the node's name and, with the name scopes around it, the tag; characters that
// names may not have become '_'. The result is a string, a serialised Summary message. Runs on the
// CPU's memory wherever it is placed. Gradient: none. Source: tf.summary and the TensorFlow ops
// ScalarSummary and so on.

// Shapes: a scalar. DTypes: real numbers.
Output ScalarSummary(std::string_view name, Output value, SummaryOptions o = {},
                     Location where = Location::Current());
// Any shape. DTypes: real numbers. Errors (step): InvalidArgument "Nan in summary histogram for:
// TAG".
Output HistogramSummary(std::string_view name, Output values, SummaryOptions o = {},
                        Location where = Location::Current());

struct ImageSummaryOptions {
  int max_images = 3;
  std::string family;
  std::vector<std::string> collections = {kSummaries};
};
// Shapes: [N, H, W, C] with C = 1, 3 or 4. DTypes: uint8 as it is; floats scaled, see
// SummaryBuilder::AddImages.
Output ImageSummary(std::string_view name, Output images, ImageSummaryOptions o = {},
                    Location where = Location::Current());
struct AudioSummaryOptions {
  int max_outputs = 3;
  std::string family;
  std::vector<std::string> collections = {kSummaries};
};
// Shapes: [N, frames] or [N, frames, channels]; `sample_rate` a scalar, in Hz. DTypes: float32 in
// [-1, 1]. Source: tf.summary.audio.
Output AudioSummary(std::string_view name, Output audio, float sample_rate,
                    AudioSummaryOptions o = {}, Location where = Location::Current());
// Strings of any shape, shown as Markdown. Source: tf.summary.text.
Output TextSummary(std::string_view name, Output text, SummaryOptions o = {},
                   Location where = Location::Current());

struct MergeSummaryOptions {
  std::vector<std::string> collections;
  std::string name;  // scope of the op; "" = "Merge"
};
// One summary of several. Errors (step): InvalidArgument for a tag that occurs twice.
Output MergeSummary(std::span<const Output> summaries, MergeSummaryOptions o = {},
                    Location where = Location::Current());
// Of all in the collection; invalid if it is empty.
Output MergeAllSummaries(Graph& g, std::string_view collection = kSummaries,
                         Location where = Location::Current());

}  // namespace headrace
