"""tf.saved_model: graphs with signatures, variables and files in a folder that TensorFlow Serving reads."""
from headrace.tf1.saved_model import (  # noqa: F401
    builder, constants, loader, main_op, signature_constants, signature_def_utils, tag_constants, utils)
from headrace.tf1.saved_model.builder import SavedModelBuilder as Builder  # noqa: F401
from headrace.tf1.saved_model.constants import *  # noqa: F401,F403
from headrace.tf1.saved_model.main_op import main_op_with_restore  # noqa: F401
from headrace.tf1.saved_model.signature_constants import *  # noqa: F401,F403
from headrace.tf1.saved_model.tag_constants import GPU, SERVING, TPU, TRAINING  # noqa: F401
from headrace.tf1.saved_model.loader import load, maybe_saved_model_directory  # noqa: F401
from headrace.tf1.saved_model.loader import maybe_saved_model_directory as contains_saved_model  # noqa: F401
from headrace.tf1.saved_model.signature_def_utils import (  # noqa: F401
    build_signature_def, classification_signature_def, is_valid_signature, predict_signature_def, regression_signature_def)
from headrace.tf1.saved_model.main_op import main_op_with_restore  # noqa: F401
from headrace.tf1.saved_model.signature_constants import *  # noqa: F401,F403
from headrace.tf1.saved_model.tag_constants import *  # noqa: F401,F403
from headrace.tf1.saved_model.utils import build_tensor_info, get_tensor_from_tensor_info  # noqa: F401


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Saves a session's graph and variables with one predict signature under the tag "serve"."""
    signature = predict_signature_def(inputs, outputs)
    saved = Builder(export_dir)
    saved.add_meta_graph_and_variables(
        session, tags=[tag_constants.SERVING],
        signature_def_map={signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        main_op=legacy_init_op, clear_devices=True)
    saved.save()
