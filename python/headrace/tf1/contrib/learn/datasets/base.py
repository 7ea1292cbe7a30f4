"""Tables from CSV files."""
import collections
import csv
import os

import numpy as np

from headrace.tf1 import gfile

Dataset = collections.namedtuple('Dataset', ['data', 'target'])
Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """A Dataset from a file whose first line begins with the numbers of rows and features."""
    with gfile.GFile(filename) as file:
        rows = csv.reader(file)
        header = next(rows)
        count, features = int(header[0]), int(header[1])
        data, target = np.zeros((count, features), dtype=features_dtype), np.zeros((count,), dtype=target_dtype)
        for i, row in enumerate(rows):
            target[i] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[i] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """A Dataset from a file of rows."""
    data, target = [], []
    with gfile.GFile(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename, ratio):
    """Writes every ratio-th row to the file "NAME_small.csv"."""
    with gfile.GFile(filename) as file, gfile.GFile(filename.replace('.', '_small.'), 'w') as small:
        writer = csv.writer(small)
        for i, row in enumerate(csv.reader(file)):
            if i % ratio == 0:
                writer.writerow(row)


def maybe_download(filename, work_directory, source_url):
    """The path of a file in a folder; one that is not there is downloaded."""
    os.makedirs(work_directory, exist_ok=True)
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        import urllib.request
        urllib.request.urlretrieve(source_url, path)
        print('Successfully downloaded', filename, os.path.getsize(path), 'bytes.')
    return path
