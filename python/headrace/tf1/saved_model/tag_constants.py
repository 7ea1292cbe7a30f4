"""tf.saved_model.tag_constants: usual tags of the graphs in a saved model."""
SERVING, TRAINING, EVAL, GPU, TPU = 'serve', 'train', 'eval', 'gpu', 'tpu'
