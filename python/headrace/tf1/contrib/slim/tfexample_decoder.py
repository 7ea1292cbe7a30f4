"""tf.contrib.slim.tfexample_decoder: from the features of tf.train.Examples to items such as images and boxes."""
import abc

from headrace.tf1.contrib.slim import data_decoder
from headrace.tf1.framework import array, control_flow, dtypes, math, parsing, sparse, strings


def _values(tensor):
    return tensor.values if isinstance(tensor, sparse.SparseTensor) else tensor


def _dense(tensor, default_value=0):
    return sparse.sparse_tensor_to_dense(tensor, default_value) if isinstance(tensor, sparse.SparseTensor) else tensor


class ItemHandler(abc.ABC):
    """Makes an item of the features `keys`."""

    def __init__(self, keys):
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    keys = property(lambda self: self._keys)

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors):
        """The item, from the tensors of the features by key."""


class ItemHandlerCallback(ItemHandler):
    """An item that a function of the program makes."""

    def __init__(self, keys, func):
        super(ItemHandlerCallback, self).__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes [n, 4] from four features of n values each."""

    def __init__(self, keys=None, prefix=''):
        if keys is None:
            keys = ['ymin', 'xmin', 'ymax', 'xmax']
        elif len(keys) != 4:
            raise ValueError('BoundingBox expects 4 keys but got {}'.format(len(keys)))
        super(BoundingBox, self).__init__([prefix + key for key in keys])

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        sides = [array.expand_dims(_values(keys_to_tensors[key]), 0) for key in self._keys]
        return array.transpose(array.concat(sides, 0))


class Tensor(ItemHandler):
    """A feature, in a shape that is given or that other features say; sparse ones become dense."""

    def __init__(self, tensor_key, shape_keys=None, shape=None, default_value=0):
        if shape_keys and shape is not None:
            raise ValueError('Cannot specify both shape_keys and shape parameters.')
        shape_keys = [shape_keys] if shape_keys and not isinstance(shape_keys, list) else shape_keys
        self._tensor_key, self._shape_keys, self._shape, self._default_value = tensor_key, shape_keys, shape, default_value
        super(Tensor, self).__init__([tensor_key] + (shape_keys or []))

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            shape = array.reshape(array.stack([_dense(keys_to_tensors[key]) for key in self._shape_keys]), [-1])
        if isinstance(tensor, sparse.SparseTensor):
            tensor = tensor if shape is None else sparse.sparse_reshape(tensor, shape)
            return _dense(tensor, self._default_value)
        return tensor if shape is None else array.reshape(tensor, shape)


class LookupTensor(Tensor):
    """What a table gives for the values of a feature."""

    def __init__(self, tensor_key, table, shape_keys=None, shape=None, default_value=''):
        self._table = table
        super(LookupTensor, self).__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        return self._table.lookup(super(LookupTensor, self).tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """What the second handler gives where the first one's item is empty."""

    def __init__(self, handler, backup):
        for what, given in (('Primary', handler), ('Backup', backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError('%s handler is of type %s instead of ItemHandler' % (what, type(given)))
        self._handler, self._backup = handler, backup
        super(BackupHandler, self).__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return control_flow.cond(pred=math.equal(math.reduce_prod(array.shape(item)), 0),
                                 true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors), false_fn=lambda: item)


class SparseTensor(ItemHandler):
    """A sparse tensor from a feature with its indices and one with its values; dense with `densify`."""

    def __init__(self, indices_key=None, values_key=None, shape_key=None, shape=None, densify=False, default_value=0):
        self._indices_key, self._values_key, self._shape_key = indices_key or 'indices', values_key or 'values', shape_key
        self._shape, self._densify, self._default_value = shape, densify, default_value
        super(SparseTensor, self).__init__([self._indices_key, self._values_key] + ([shape_key] if shape_key else []))

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = _dense(keys_to_tensors[self._shape_key]) if self._shape_key else self._shape or indices.dense_shape
        rank = array.shape(indices.indices)[1]
        ids = math.cast(indices.values, dtypes.int64)
        kept = array.slice(indices.indices, [0, 0], array.stack([-1, rank - 1]))
        tensor = sparse.SparseTensor(array.concat([kept, array.reshape(ids, [-1, 1])], 1), values.values, shape)
        return _dense(tensor, self._default_value) if self._densify else tensor


class Image(ItemHandler):
    """A decoded image: JPEG, PNG, BMP, GIF, or raw bytes, as the feature `format_key` says."""

    def __init__(self, image_key=None, format_key=None, shape=None, channels=3, dtype=dtypes.uint8, repeated=False, dct_method=''):
        self._image_key, self._format_key = image_key or 'image/encoded', format_key or 'image/format'
        super(Image, self).__init__([self._image_key, self._format_key])
        self._shape, self._channels, self._dtype, self._repeated, self._dct_method = shape, channels, dtype, repeated, dct_method

    def tensors_to_item(self, keys_to_tensors):
        """See ItemHandler."""
        image, image_format = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if not self._repeated:
            return self._decode(image, image_format)
        import headrace.tf1 as tf
        return tf.map_fn(lambda one: self._decode(one, image_format), image, dtype=self._dtype)

    def _decode(self, image, image_format):
        import headrace.tf1 as tf

        def encoded():
            return math.cast(tf.image.decode_image(image, channels=self._channels), self._dtype)

        def jpeg():
            return math.cast(tf.image.decode_jpeg(image, channels=self._channels, dct_method=self._dct_method), self._dtype)

        is_raw = math.logical_or(math.equal(image_format, 'raw'), math.equal(image_format, 'RAW'))
        decoded = control_flow.case([(is_raw, lambda: strings.decode_raw(image, out_type=self._dtype))],
                                    default=lambda: control_flow.cond(tf.image.is_jpeg(image), jpeg, encoded, name='cond_jpeg'),
                                    exclusive=True)
        decoded.set_shape([None, None, self._channels])
        return decoded if self._shape is None else array.reshape(decoded, self._shape)


class TFExampleDecoder(data_decoder.DataDecoder):
    """Parses an Example's features, and lets a handler make each item of them."""

    def __init__(self, keys_to_features, items_to_handlers):
        self._keys_to_features, self._items_to_handlers = keys_to_features, items_to_handlers

    def list_items(self):
        """See DataDecoder."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example, items=None):  # pylint: disable=arguments-differ
        """The tensors of `items` (all if none are given)."""
        example = parsing.parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, parsing.FixedLenFeature):
                example[key] = array.reshape(example[key], feature.shape)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: example[key] for key in handler.keys}) for handler in handlers]
