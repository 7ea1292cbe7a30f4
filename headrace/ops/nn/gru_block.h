// A GRU cell as one op: what contrib.rnn's GRUBlockCellV2 puts into a graph.
//
//   GRUBlockOutputs y = GRUBlockCell(x, h_prev, w_ru, w_c, b_ru, b_c);    // y.h: the next h_prev
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct GRUBlockOutputs {
  Output r, u, c, h;
};
// [r, u] = sigmoid([x, h_prev] * w_ru + b_ru), c = tanh([x, h_prev * r] * w_c + b_c), h = u *
// h_prev
// + (1 - u) * c. Shapes: x `[batch, inputs]`, h_prev `[batch, cell]`, w_ru `[inputs + cell, 2 *
// cell]`, w_c `[inputs + cell, cell]`, b_ru `[2 * cell]`, b_c `[cell]` -> four `[batch, cell]`.
// DTypes: float32. Errors: InvalidArgument for sizes that do not fit. Gradient: yes, once, of h.
// Source: TensorFlow GRUBlockCell; Cho et al., "Learning Phrase Representations using RNN
// Encoder-Decoder for Statistical Machine Translation", 2014.
GRUBlockOutputs GRUBlockCell(Output x, Output h_prev, Output w_ru, Output w_c, Output b_ru,
                             Output b_c, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
