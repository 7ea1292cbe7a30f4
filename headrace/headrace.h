// Everything a program needs: graphs, ops, gradients, optimizers, sessions, checkpoints, events.
//
//   #include <headrace/headrace.h>
//
//   headrace::Graph g;
//   headrace::Output y = headrace::Relu(headrace::MatMul(x, w) + b);
//   headrace::Node* train = headrace::AdamOptimizer(1e-3).Minimize(loss);
//   auto session = headrace::Session::Create(g);
#pragma once

#include "headrace/base/file.h"
#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/device/device_set.h"
#include "headrace/graph/gradients.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/shape_context.h"
#include "headrace/io/event_log.h"
#include "headrace/io/idx_file.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/ops.h"
#include "headrace/session/session.h"
#include "headrace/train/train.h"
