// All optimizers.
#pragma once

#include "headrace/train/adadelta.h"
#include "headrace/train/adagrad.h"
#include "headrace/train/adam.h"
#include "headrace/train/ftrl.h"
#include "headrace/train/gradient_descent.h"
#include "headrace/train/momentum.h"
#include "headrace/train/proximal.h"
#include "headrace/train/rms_prop.h"
