"""MNIST as TensorFlow's tutorials read it: `mnist = input_data.read_data_sets('MNIST_data', one_hot=True)`.

Examples come in TensorFlow's order for the same seed; the shuffle is NumPy's global generator, as there.
"""
import collections
import os
import sys

import numpy as np

from headrace.tf1.examples.tutorials.mnist import files

DEFAULT_SOURCE_URL = 'https://storage.googleapis.com/cvdf-datasets/mnist/'
Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])
Dataset = collections.namedtuple('Dataset', ['data', 'target'])


def extract_images(f):
    """[N, rows, columns, 1] uint8 of an open IDX file. Errors: ValueError if it is none of images."""
    print('Extracting', f.name)
    return files.read(f, 2051, 'image')[..., np.newaxis]


def dense_to_one_hot(labels_dense, num_classes):
    """[N] classes to [N, num_classes] float64 with a one each."""
    return np.eye(num_classes)[labels_dense.ravel()]


def extract_labels(f, one_hot=False, num_classes=10):
    """[N] uint8 of an open IDX file, or [N, num_classes] of zeros and ones. Errors: ValueError if it is none of labels."""
    print('Extracting', f.name)
    labels = files.read(f, 2049, 'label')
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def _numpy_seed(seed):
    """What TensorFlow seeds NumPy with: the op's seed, else the graph's."""
    if 'headrace.tf1.framework.graph' not in sys.modules and seed is None:
        return None  # no graph can have a seed yet
    import headrace.tf1 as tf
    graph_seed, op_seed = tf.get_seed(seed)
    return graph_seed if seed is None else op_seed


def _dtype_name(dtype):
    base = getattr(dtype, 'base_dtype', dtype)
    return getattr(base, 'name', None) or np.dtype(base).name


class DataSet(object):
    """Images and labels, handed out in batches.

    dtype: float32 scales pixels to [0, 1], uint8 leaves them. reshape: images become rows of 784. Errors: TypeError for another dtype.
    """

    def __init__(self, images, labels, fake_data=False, one_hot=False, dtype='float32', reshape=True, seed=None):
        np.random.seed(_numpy_seed(seed))
        name = _dtype_name(dtype)
        if name not in ('uint8', 'float32'):
            raise TypeError('Invalid image dtype %r, expected uint8 or float32' % dtype)
        if fake_data:
            self._num_examples = 10000
            self.one_hot = one_hot
        else:
            if images.shape[0] != labels.shape[0]:
                raise AssertionError('images.shape: %s labels.shape: %s' % (images.shape, labels.shape))
            self._num_examples = images.shape[0]
            if reshape:
                assert images.shape[3] == 1
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if name == 'float32':
                images = np.multiply(images.astype(np.float32), np.float32(1.0 / 255.0))
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self):
        """All images, in the order of this epoch."""
        return self._images

    @property
    def labels(self):
        """All labels, in the order of this epoch."""
        return self._labels

    @property
    def num_examples(self):
        """How many examples there are."""
        return self._num_examples

    @property
    def epochs_completed(self):
        """How often all examples were handed out."""
        return self._epochs_completed

    def _shuffle(self):
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """(images, labels) of the next examples. A batch that reaches over the end takes the rest of this epoch and the start of the
        next, which is shuffled anew."""
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        self._index_in_epoch = end = start + batch_size
        if end <= self._num_examples:
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        rest_images, rest_labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = end - self._num_examples
        return (np.concatenate((rest_images, self._images[:end]), axis=0),
                np.concatenate((rest_labels, self._labels[:end]), axis=0))


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype='float32', reshape=True, validation_size=5000, seed=None,
                   source_url=DEFAULT_SOURCE_URL):
    """Datasets(train, validation, test) of MNIST's four files in a folder; absent ones are downloaded.

    `headrace run --data` and HEADRACE_MNIST_DIR name another folder. Errors: FileNotFoundError, which says which files go where;
    ValueError for a validation_size that is more than there are.
    """
    if fake_data:
        made = [DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)]
        return Datasets(*made)

    def read(name, extract, **options):
        with open(files.find(name, train_dir, source_url or DEFAULT_SOURCE_URL), 'rb') as file:
            return extract(file, **options)
    images = read(files.TRAIN_IMAGES, extract_images)
    labels = read(files.TRAIN_LABELS, extract_labels, one_hot=one_hot)
    test_images = read(files.TEST_IMAGES, extract_images)
    test_labels = read(files.TEST_LABELS, extract_labels, one_hot=one_hot)
    if not 0 <= validation_size <= len(images):
        raise ValueError('Validation size should be between 0 and {}. Received: {}.'.format(len(images), validation_size))
    options = dict(dtype=dtype, reshape=reshape, seed=seed)
    train = DataSet(images[validation_size:], labels[validation_size:], **options)
    validation = DataSet(images[:validation_size], labels[:validation_size], **options)
    test = DataSet(test_images, test_labels, **options)
    return Datasets(train=train, validation=validation, test=test)


def load_mnist(train_dir='MNIST-data'):
    """read_data_sets with its defaults."""
    return read_data_sets(train_dir)


def maybe_download(filename, work_directory, source_url=None):
    """The path of a file in a folder, to which it is downloaded where it is absent. Older programs call it with MNIST's names."""
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        base = filename[:-3] if filename.endswith('.gz') else filename
        url = (source_url[:-len(filename)] if source_url and source_url.endswith(filename) else source_url) or DEFAULT_SOURCE_URL
        return files.find(base, work_directory, url)
    return path

