"""tf.data.Options: accepted as TensorFlow has them. Two change what a program sees: experimental_optimization.apply_default_optimizations
and shuffle_and_repeat_fusion, as False, keep a repeat apart from the shuffle before it."""


class _Choices(object):
    """Attributes that are None until the program sets them."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return None

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None


class OptimizationOptions(_Choices):
    """tf.data.experimental.OptimizationOptions."""


class ThreadingOptions(_Choices):
    """tf.data.experimental.ThreadingOptions."""


class StatsOptions(_Choices):
    """tf.data.experimental.StatsOptions."""


class DistributeOptions(_Choices):
    """tf.data.experimental.DistributeOptions."""


class Options(_Choices):
    """Wishes for a pipeline, for Dataset.with_options."""

    def __init__(self):
        self.experimental_optimization = OptimizationOptions()
        self.experimental_threading = ThreadingOptions()
        self.experimental_stats = StatsOptions()
        self.experimental_distribute = DistributeOptions()

    def merge(self, options):
        """Both; what `options` sets wins."""
        merged = Options()
        for source in (self, options):
            for name, value in vars(source).items():
                if isinstance(value, _Choices):
                    vars(getattr(merged, name)).update(vars(value))
                elif value is not None:
                    setattr(merged, name, value)
        return merged
