// All of training: optimizers, schedules, averages, checkpoints, summaries, replicas.
#pragma once

#include "headrace/train/clip.h"
#include "headrace/train/collections.h"
#include "headrace/train/global_step.h"
#include "headrace/train/meta_graph.h"
#include "headrace/train/moving_average.h"
#include "headrace/train/optimizers.h"
#include "headrace/train/progress.h"
#include "headrace/train/regularizers.h"
#include "headrace/train/replica_trainer.h"
#include "headrace/train/saver.h"
#include "headrace/train/schedules.h"
#include "headrace/train/summary.h"
#include "headrace/train/update_clock.h"
