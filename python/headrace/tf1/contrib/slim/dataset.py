"""tf.contrib.slim.dataset: what a data set is, for a data provider."""


class Dataset(object):
    """Files, what reads them, what decodes a record, and whatever else a program wants to keep with them."""

    def __init__(self, data_sources, reader, decoder, num_samples, items_to_descriptions, **kwargs):
        self.__dict__.update(kwargs, data_sources=data_sources, reader=reader, decoder=decoder, num_samples=num_samples,
                             items_to_descriptions=items_to_descriptions)
