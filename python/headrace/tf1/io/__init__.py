"""tf.io: names of reading, writing and decoding under one roof, and tf.io.gfile."""
import importlib

# Where each name lives under `tf`.
_ELSEWHERE = {
    name: '%s%s' % (space, name) for space, names in {
        '': '''FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue SparseFeature VarLenFeature
            decode_base64 decode_compressed decode_csv decode_json_example decode_raw deserialize_many_sparse encode_base64 matching_files
            parse_example parse_single_example parse_single_sequence_example parse_tensor read_file serialize_many_sparse serialize_sparse
            serialize_tensor write_file''',
        'image.': '''decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg extract_jpeg_shape is_jpeg''',
        'python_io.': 'TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator',
        'framework.parsing.': 'parse_sequence_example',
        'train.': 'match_filenames_once write_graph'}.items() for name in names.split()}


def __getattr__(name):
    if name == 'gfile':
        return importlib.import_module('headrace.tf1.io.gfile')
    if name not in _ELSEWHERE:
        raise AttributeError("module 'tf.io' has no attribute %r" % name)
    import headrace.tf1 as found
    for part in _ELSEWHERE[name].split('.'):
        found = getattr(found, part)
    return found


def __dir__():
    return sorted(list(_ELSEWHERE) + ['gfile'])
