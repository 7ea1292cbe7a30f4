// Gradient functions of the ops that take and put diagonals, for their definitions.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status DiagGradient(GradContext& c);
Status DiagPartGradient(GradContext& c);
Status MatrixDiagGradient(GradContext& c);
Status MatrixDiagPartGradient(GradContext& c);
Status MatrixSetDiagGradient(GradContext& c);
Status MatrixBandPartGradient(GradContext& c);
// TensorFlow 1.15 differentiates versions 2 as if the band were the main diagonal; these use the
// band.
Status MatrixDiagV2Gradient(GradContext& c);
Status MatrixDiagPartV2Gradient(GradContext& c);
Status MatrixSetDiagV2Gradient(GradContext& c);

}  // namespace headrace
