"""tf.contrib.slim.data_decoder: from records to items."""
import abc


class DataDecoder(abc.ABC):
    """Makes tensors, by the names of items, of a record."""

    @abc.abstractmethod
    def decode(self, data, items):
        """The tensors of `items`, in their order."""

    @abc.abstractmethod
    def list_items(self):
        """Names of what can be decoded."""
