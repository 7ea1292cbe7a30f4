// LSTM cells as one op each, and whole sequences of them: what contrib.rnn's LSTMBlockCell and
// LSTMBlockFusedCell put into a graph.
//
//   LSTMBlockOutputs y = BlockLSTM(steps, x, cs0, h0, w, wci, wcf, wco, b, {.cell_clip = 0});
//   Output last = y.h;    // [time, batch, cell]
//
// With xh = [x, h_prev] and gates = xh * w + b in the order i, ci, f, o:
//   i = sigmoid(gates_i + wci * cs_prev)      ci = tanh(gates_ci)
//   f = sigmoid(gates_f + forget_bias + wcf * cs_prev)
//   cs = ci * i + cs_prev * f, limited to [-cell_clip, cell_clip] if that is above 0
//   o = sigmoid(gates_o + wco * cs)           co = tanh(cs)        h = co * o
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct LSTMBlockOptions {
  float forget_bias = 1;
  float cell_clip = 3;
  bool use_peephole = false;  // false: wci, wcf and wco are not read
  std::string name;
};
struct LSTMBlockOutputs {
  Output i, cs, f, o, ci, co, h;
};
// One step. Shapes: x `[batch, inputs]`, cs_prev and h_prev `[batch, cell]`, w `[inputs + cell, 4 *
// cell]`, wci, wcf and wco `[cell]`, b `[4 * cell]` -> seven `[batch, cell]`. DTypes: float16,
// float32. Errors: InvalidArgument for sizes that do not fit. Gradient: yes, once; only cs and h
// hand gradients on, and the limit of cs does not count, as in TensorFlow. Source: TensorFlow
// LSTMBlockCell; Zaremba et al., "Recurrent Neural Network Regularization", 2014; Sak et al., "Long
// Short-Term Memory Based Recurrent Neural Network Architectures", 2014 (peepholes).
LSTMBlockOutputs LSTMBlockCell(Output x, Output cs_prev, Output h_prev, Output w, Output wci,
                               Output wcf, Output wco, Output b, LSTMBlockOptions o = {},
                               Location where = Location::Current());
// The first `seq_len_max` steps (an int64 scalar) of x `[time, batch, inputs]`; outputs are `[time,
// batch, cell]`, zeros after those steps (TensorFlow: so for cs and h, the rest as its memory was).
LSTMBlockOutputs BlockLSTM(Output seq_len_max, Output x, Output cs_prev, Output h_prev, Output w,
                           Output wci, Output wcf, Output wco, Output b, LSTMBlockOptions o = {},
                           Location where = Location::Current());

}  // namespace headrace
