"""tf.saved_model.signature_constants: usual keys of signatures, inputs and outputs."""
DEFAULT_SERVING_SIGNATURE_DEF_KEY = 'serving_default'
CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME = 'inputs', 'tensorflow/serving/classify'
CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = 'classes', 'scores'
PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS = 'inputs', 'tensorflow/serving/predict', 'outputs'
REGRESS_INPUTS, REGRESS_METHOD_NAME, REGRESS_OUTPUTS = 'inputs', 'tensorflow/serving/regress', 'outputs'
SUPERVISED_TRAIN_METHOD_NAME, SUPERVISED_EVAL_METHOD_NAME = 'tensorflow/supervised/training', 'tensorflow/supervised/eval'
