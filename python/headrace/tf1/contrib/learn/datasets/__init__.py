"""tf.contrib.learn.datasets: tables from CSV files, and MNIST."""
import importlib

from headrace.tf1.contrib.learn.datasets import base


def load_dataset(name, size='small', test_with_fake_data=False):
    """A data set by its name: "mnist". ValueError for another one."""
    if name not in DATASETS:
        raise ValueError('Name of dataset is not found: %s' % name)
    return DATASETS[name]()


def mnist_module():
    """tensorflow.examples.tutorials.mnist.input_data"""
    return importlib.import_module('headrace.tf1.examples.tutorials.mnist.input_data')


def __getattr__(name):
    if name == 'mnist':
        return mnist_module()
    raise AttributeError(name)


load_csv_with_header, load_csv_without_header = base.load_csv_with_header, base.load_csv_without_header
DATASETS = {'mnist': lambda: mnist_module().load_mnist()}
