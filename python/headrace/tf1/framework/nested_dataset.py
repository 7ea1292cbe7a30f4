"""Elements of datasets that are datasets themselves: windows, what functions return."""


class NestedDataset(object):
    """Stands in an element's structure where a dataset is; the tensor there is its variant."""

    def __init__(self, spec):
        self.spec = spec

    def dataset(self, variant_tensor):
        from headrace.tf1.framework.datasets import Dataset
        return Dataset(variant_tensor, self.spec)
