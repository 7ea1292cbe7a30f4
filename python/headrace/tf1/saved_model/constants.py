"""tf.saved_model.constants: names in the folder of a saved model."""
ASSETS_DIRECTORY = 'assets'
ASSETS_KEY = 'saved_model_assets'
DEBUG_DIRECTORY = 'debug'
LEGACY_INIT_OP_KEY = 'legacy_init_op'
MAIN_OP_KEY = 'saved_model_main_op'
TRAIN_OP_KEY = 'saved_model_train_op'
SAVED_MODEL_FILENAME_PB = 'saved_model.pb'
SAVED_MODEL_FILENAME_PBTXT = 'saved_model.pbtxt'
SAVED_MODEL_SCHEMA_VERSION = 1
VARIABLES_DIRECTORY = 'variables'
VARIABLES_FILENAME = 'variables'
INIT_OP_SIGNATURE_KEY = '__saved_model_init_op'
TRAIN_OP_SIGNATURE_KEY = '__saved_model_train_op'
