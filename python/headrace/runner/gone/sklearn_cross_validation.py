"""sklearn.cross_validation: what it had is in sklearn.model_selection; its iterators took the number of samples."""
import numpy as np
from sklearn import model_selection
from sklearn.model_selection import (  # noqa: F401  (by name: a star reaches classes that are refused until someone enables them)
    LeavePOut, PredefinedSplit, check_cv, cross_val_predict, cross_val_score, permutation_test_score, train_test_split)


class _Folds(object):
    """An iterator of (train, test) indices, of a length."""

    def __init__(self, splitter, count, labels=None):
        self._splitter, self._count, self._labels = splitter, count, labels

    def __len__(self):
        return self._splitter.get_n_splits(np.zeros(self._count), self._labels)

    def __iter__(self):
        return iter(self._splitter.split(np.zeros(self._count), self._labels))


def KFold(n, n_folds=3, shuffle=False, random_state=None):  # pylint: disable=invalid-name
    """Folds of n samples."""
    return _Folds(model_selection.KFold(n_folds, shuffle=shuffle, random_state=random_state if shuffle else None), n)


def StratifiedKFold(y, n_folds=3, shuffle=False, random_state=None):  # pylint: disable=invalid-name
    """Folds with the classes of y in equal parts."""
    splitter = model_selection.StratifiedKFold(n_folds, shuffle=shuffle, random_state=random_state if shuffle else None)
    return _Folds(splitter, len(y), y)


def ShuffleSplit(n, n_iter=10, test_size=0.1, train_size=None, random_state=None):  # pylint: disable=invalid-name
    """Random splits of n samples."""
    return _Folds(model_selection.ShuffleSplit(n_iter, test_size=test_size, train_size=train_size, random_state=random_state), n)


def StratifiedShuffleSplit(y, n_iter=10, test_size=0.1, train_size=None, random_state=None):  # pylint: disable=invalid-name
    """Random splits with the classes of y in equal parts."""
    splitter = model_selection.StratifiedShuffleSplit(n_iter, test_size=test_size, train_size=train_size, random_state=random_state)
    return _Folds(splitter, len(y), y)


def LeaveOneOut(n):  # pylint: disable=invalid-name
    """Each sample once."""
    return _Folds(model_selection.LeaveOneOut(), n)
