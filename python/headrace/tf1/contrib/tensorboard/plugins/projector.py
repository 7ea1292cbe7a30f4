"""tf.contrib.tensorboard.plugins.projector: what TensorBoard's embedding projector shows.

    config = projector.ProjectorConfig()
    config.embeddings.add(tensor_name=table.name, metadata_path='labels.tsv')
    projector.visualize_embeddings(tf.summary.FileWriter(logdir), config)
"""
import os

from headrace import _core

_STRING, _UINT32, _MESSAGE = 9, 13, 11  # FieldDescriptorProto.Type
# message -> fields: (name, number, type or message, is it repeated?)
_FIELDS = {
    'SpriteMetadata': [('image_path', 1, _STRING, False), ('single_image_dim', 2, _UINT32, True)],
    'EmbeddingInfo': [('tensor_name', 1, _STRING, False), ('metadata_path', 2, _STRING, False), ('bookmarks_path', 3, _STRING, False),
                      ('tensor_shape', 4, _UINT32, True), ('sprite', 5, 'SpriteMetadata', False), ('tensor_path', 6, _STRING, False)],
    'ProjectorConfig': [('model_checkpoint_path', 1, _STRING, False), ('embeddings', 2, 'EmbeddingInfo', True),
                        ('model_checkpoint_directory', 3, _STRING, False)],
}
_classes = {}


def _make_classes():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    file = descriptor_pb2.FileDescriptorProto(name='projector_config.proto', package='tensorflow', syntax='proto3')
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, kind, repeated in fields:
            added = message.field.add(name=field, number=number, label=3 if repeated else 1)
            added.type = _MESSAGE if isinstance(kind, str) else kind
            if isinstance(kind, str):
                added.type_name = '.tensorflow.' + kind
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    for name in _FIELDS:
        descriptor = pool.FindMessageTypeByName('tensorflow.' + name)
        if hasattr(message_factory, 'GetMessageClass'):
            _classes[name] = message_factory.GetMessageClass(descriptor)
        else:
            _classes[name] = message_factory.MessageFactory(pool).GetPrototype(descriptor)


def __getattr__(name):
    if name not in _FIELDS:
        raise AttributeError(name)
    if not _classes:
        _make_classes()
    return _classes[name]


def visualize_embeddings(summary_writer, config):
    """Writes the ProjectorConfig where TensorBoard looks for it: "projector_config.pbtxt" in the writer's folder.

    Errors: ValueError for a writer without folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError('Summary writer must have a logdir')
    from google.protobuf import text_format
    os.makedirs(logdir, exist_ok=True)
    _core.write_file(os.path.join(logdir, 'projector_config.pbtxt'), text_format.MessageToString(config).encode('utf-8'))
