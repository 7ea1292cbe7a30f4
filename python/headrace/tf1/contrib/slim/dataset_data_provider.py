"""tf.contrib.slim.dataset_data_provider: the elements of a slim.dataset.Dataset."""
from headrace.tf1.contrib.slim import data_provider, parallel_reader


class DatasetDataProvider(data_provider.DataProvider):
    """Reads the data set's files with several readers, and decodes a record; `record_key` names the item with the record's key."""

    def __init__(self, dataset, num_readers=1, reader_kwargs=None, shuffle=True, num_epochs=None, common_queue_capacity=256,
                 common_queue_min=128, record_key='record_key', seed=None, scope=None):
        key, data = parallel_reader.parallel_read(
            dataset.data_sources, reader_class=dataset.reader, num_epochs=num_epochs, num_readers=num_readers, reader_kwargs=reader_kwargs,
            shuffle=shuffle, capacity=common_queue_capacity, min_after_dequeue=common_queue_min, seed=seed, scope=scope)
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(data, items)))
        if record_key in tensors:
            raise ValueError('The item name used for `record_key` cannot also be used for a dataset item: %s' % record_key)
        tensors[record_key] = key
        super(DatasetDataProvider, self).__init__(items_to_tensors=tensors, num_samples=dataset.num_samples)
