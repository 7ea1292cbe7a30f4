"""tensorflow.examples.tutorials.mnist.input_data: files, values, order."""
import gzip
import hashlib
import os
import struct

import numpy as np
import pytest

from headrace.tf1.examples.tutorials.mnist import files, input_data


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """40 training and 8 test images of 28x28."""
    monkeypatch.delenv(files.VARIABLE, raising=False)
    write_files(str(tmp_path / 'data'))
    return str(tmp_path / 'data')


def write_files(path, packed=True):
    """The four files with pixels and labels that are all known."""
    os.makedirs(path, exist_ok=True)
    for images, labels, count, first in ((files.TRAIN_IMAGES, files.TRAIN_LABELS, 40, 0), (files.TEST_IMAGES, files.TEST_LABELS, 8, 100)):
        pixels = ((np.arange(count * 784) + first) % 251).astype(np.uint8)
        classes = ((np.arange(count) + first) % 10).astype(np.uint8)
        for name, data in ((images, struct.pack('>4i', 2051, count, 28, 28) + pixels.tobytes()),
                           (labels, struct.pack('>2i', 2049, count) + classes.tobytes())):
            with (gzip.open if packed else open)(os.path.join(path, name + ('.gz' if packed else '')), 'wb') as file:
                file.write(data)


def digest(array):
    return hashlib.md5(np.ascontiguousarray(array).tobytes()).hexdigest()[:8]


def test_reads_and_splits(folder, capsys):
    data = input_data.read_data_sets(folder, one_hot=True, validation_size=10)
    assert capsys.readouterr().out == ''.join('Extracting %s\n' % os.path.join(folder, name + '.gz') for name in files.ALL)
    assert (data.train.num_examples, data.validation.num_examples, data.test.num_examples) == (30, 10, 8)
    assert data.train.images.shape == (30, 784) and data.train.images.dtype == np.float32
    assert data.train.images.max() <= 1.0 and data.train.images[0, 1] == np.float32(np.float32((7840 + 1) % 251) * np.float32(1.0 / 255.0))
    assert data.train.labels.dtype == np.float64 and data.train.labels[3].tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    plain = input_data.read_data_sets(folder, dtype=np.uint8, reshape=False, validation_size=0)
    assert plain.train.images.shape == (40, 28, 28, 1) and plain.train.images.dtype == np.uint8
    assert plain.train.labels.tolist() == [i % 10 for i in range(40)]


def test_order_is_tensorflows(folder):
    # Digests made by tensorflow.examples.tutorials.mnist of TensorFlow 1.15 with the same files and seeds.
    data = input_data.read_data_sets(folder, validation_size=10, seed=7, one_hot=True)
    seen = [digest(array) for _ in range(5) for array in data.train.next_batch(8)]
    assert seen == [
        'f9032f9d', '93a9566b', '826e718f', 'b26082e7', '2267aa23', '8c6f12d1', '446c41a3',
        '94815b9c', '3ece079a', 'f67915ff']
    np.random.seed(3)
    seen = [digest(array) for _ in range(3) for array in data.test.next_batch(3)]
    assert seen == ['bd2adb74', '1d99787f', '3ee7dcf0', '34b0110d', '5cfc2508', 'f0d0de51']
    assert data.train.epochs_completed == 1 and data.test.epochs_completed == 1


def test_batches_without_shuffling_go_round(folder):
    data = input_data.read_data_sets(folder, validation_size=0)
    labels = [data.test.next_batch(5, shuffle=False)[1].tolist() for _ in range(3)]
    assert labels == [[0, 1, 2, 3, 4], [5, 6, 7, 0, 1], [2, 3, 4, 5, 6]]
    assert data.test.epochs_completed == 1


def test_plain_files(tmp_path, monkeypatch):
    monkeypatch.delenv(files.VARIABLE, raising=False)
    write_files(str(tmp_path), packed=False)
    assert input_data.read_data_sets(str(tmp_path), validation_size=0).train.num_examples == 40


def test_absent_files_say_what_goes_where(tmp_path, monkeypatch):
    monkeypatch.delenv(files.VARIABLE, raising=False)
    nowhere = 'file://%s/' % (tmp_path / 'nowhere')
    with pytest.raises(FileNotFoundError) as error:
        input_data.read_data_sets(str(tmp_path / 'MNIST_data'), source_url=nowhere)
    text = str(error.value)
    assert str(tmp_path / 'MNIST_data') in text and 'headrace run --data' in text
    assert all(name + '.gz' in text for name in files.ALL)


def test_absent_files_are_downloaded(folder, tmp_path, capsys):
    target = str(tmp_path / 'MNIST_data')
    data = input_data.read_data_sets(target, source_url='file://%s/' % folder, validation_size=0)
    assert data.train.num_examples == 40
    assert 'Successfully downloaded train-images-idx3-ubyte.gz' in capsys.readouterr().out
    assert sorted(os.listdir(target)) == sorted(name + '.gz' for name in files.ALL)


def test_another_folder_by_variable_and_by_option(folder, tmp_path, monkeypatch, headrace_run):
    monkeypatch.setenv(files.VARIABLE, folder)
    assert input_data.read_data_sets(str(tmp_path / 'none'), validation_size=0).train.num_examples == 40
    monkeypatch.delenv(files.VARIABLE)
    result = headrace_run('from tensorflow.examples.tutorials.mnist import input_data\n'
                          'print(input_data.read_data_sets("MNIST_data", validation_size=0).train.num_examples)\n', options=['--data', folder])
    assert result.out.endswith('40\n'), result.err
    result = headrace_run('pass\n', options=['--data', '/no/such/folder'])
    assert result.code == 2 and 'fashion-mnist' in result.err


def test_wrong_arguments(folder):
    with pytest.raises(ValueError, match='Validation size should be between 0 and 40. Received: 41.'):
        input_data.read_data_sets(folder, validation_size=41)
    with pytest.raises(TypeError, match='expected uint8 or float32'):
        input_data.read_data_sets(folder, dtype=np.int32, validation_size=0)
    os.rename(os.path.join(folder, files.TRAIN_LABELS + '.gz'), os.path.join(folder, files.TRAIN_IMAGES + '.gz'))
    with pytest.raises(ValueError, match='Invalid magic number 2049 in MNIST image file'):
        input_data.read_data_sets(folder)


def test_fake_data():
    data = input_data.read_data_sets('', fake_data=True, one_hot=True)
    images, labels = data.train.next_batch(2, fake_data=True)
    assert len(images) == 2 and len(images[0]) == 784 and labels[0] == [1] + [0] * 9


def test_shuffle_uses_the_graphs_seed(folder):
    import headrace.tf1 as tf
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        input_data.read_data_sets(folder, validation_size=0)
        state = np.random.get_state()[1][:5].tolist()
    np.random.seed(5)
    assert state == np.random.get_state()[1][:5].tolist()
