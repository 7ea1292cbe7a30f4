"""Where MNIST's four files are, and how they are read. IDX files, gzipped or not; Fashion-MNIST has the same form."""
import gzip
import os

import numpy as np

TRAIN_IMAGES, TRAIN_LABELS = 'train-images-idx3-ubyte', 'train-labels-idx1-ubyte'
TEST_IMAGES, TEST_LABELS = 't10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte'
ALL = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)
VARIABLE = 'HEADRACE_MNIST_DIR'
_FASHION = '/usr/share/datasets/fashion-mnist'
_SECONDS_TO_CONNECT = 10


def use_data(name):
    """From now on, in this process and its children, MNIST's files are those of a folder, or of 'fashion-mnist'. Errors: ValueError
    where there are none."""
    os.environ[VARIABLE] = _named(name)


def _named(name):
    folder = _FASHION if name == 'fashion-mnist' else name
    if not os.path.isdir(folder):
        if name == 'fashion-mnist':
            raise ValueError('%s is not there; it comes with the Debian package dataset-fashion-mnist '
                             '(apt-get install dataset-fashion-mnist)' % folder)
        raise ValueError("there is no folder %s with MNIST's files; its name may also be 'fashion-mnist'" % name)
    return os.path.abspath(folder)


def find(name, folder, source_url):
    """The path of one of the four files: in HEADRACE_MNIST_DIR where that is set, else in `folder`, to which it is downloaded where
    it is absent. Errors: FileNotFoundError, which says which files go where."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        folder = _named(chosen)
    # Gzipped first, the plain file second; some archives write a dot in place of the first dash of the ending.
    for candidate in (name + '.gz', name, name.replace('-idx', '.idx') + '.gz', name.replace('-idx', '.idx')):
        path = os.path.join(folder, candidate)
        if os.path.isfile(path):
            return path
    path = os.path.join(folder, name + '.gz')
    if not chosen:
        failure = _download(source_url + name + '.gz', path)
        if failure is None:
            return path
    else:
        failure = '%s names that folder' % VARIABLE
    raise FileNotFoundError(
        '%s is not in %s, gzipped or not (%s). Put these files there: %s. Or run the program on the files of another folder: '
        'headrace run --data FOLDER PROG; --data fashion-mnist takes those of the Debian package dataset-fashion-mnist.'
        % (name, os.path.abspath(folder), failure, ', '.join(file + '.gz' for file in ALL)))


def _download(url, path):
    """None, or why not."""
    import urllib.request
    partial = path + '.part'
    try:
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        with urllib.request.urlopen(url, timeout=_SECONDS_TO_CONNECT) as reply, open(partial, 'wb') as file:
            file.write(reply.read())
        os.replace(partial, path)
    except (OSError, ValueError) as error:  # URLError is an OSError
        if os.path.exists(partial):
            os.unlink(partial)
        return 'and it cannot be downloaded from %s: %s' % (url, getattr(error, 'reason', error))
    print('Successfully downloaded', os.path.basename(path), os.path.getsize(path), 'bytes.')
    return None


def read(file, magic, kind):
    """The array of an IDX file (an open file; gzipped or not). `magic` is the number that it must begin with."""
    data = file.read()
    name = getattr(file, 'name', 'the file')
    if data[:2] == b'\x1f\x8b':
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise ValueError('%s is damaged: %s' % (name, error)) from None
    found = int.from_bytes(data[:4], 'big')
    if found != magic:
        raise ValueError('Invalid magic number %d in MNIST %s file: %s' % (found, kind, name))
    rank = magic & 0xff
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], 'big') for i in range(rank)]
    start, count = 4 + 4 * rank, int(np.prod(shape))
    if len(data) - start < count:
        raise ValueError('%s holds %d bytes; its header says %d (%s)' % (name, len(data) - start, count, 'x'.join(map(str, shape))))
    return np.frombuffer(data, np.uint8, count, start).reshape(shape)
