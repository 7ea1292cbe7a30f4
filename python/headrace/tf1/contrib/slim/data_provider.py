"""tf.contrib.slim.data_provider: tensors of one element by the names of items."""
import abc


class DataProvider(abc.ABC):
    """Tensors by name."""

    def __init__(self, items_to_tensors, num_samples):
        self._items_to_tensors, self._num_samples = items_to_tensors, num_samples

    def get(self, items):
        """The tensors of these items. ValueError for one that there is not."""
        if not isinstance(items, (list, tuple)):
            raise ValueError('items must be a list or tuple')
        for item in items:
            if item not in self._items_to_tensors:
                raise ValueError('Item [%s] is invalid. Valid entries include: %s' % (item, self.list_items()))
        return [self._items_to_tensors[item] for item in items]

    def list_items(self):
        """Names of the items."""
        return self._items_to_tensors.keys()

    def num_samples(self):
        """How many elements there are, or None."""
        return self._num_samples
