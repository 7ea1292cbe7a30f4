"""tf.distributions: Normal, Uniform, Bernoulli and Categorical, their samples, densities, moments and divergences."""
import contextlib
import math as numbers

import numpy as np

from headrace.tf1 import nn
from headrace.tf1.framework import array, checks, control, convert, dtypes, graph as graph_lib, math, normal_quantile, random, shapes
from headrace.tf1.framework.convert import constant, convert_to_tensor
from headrace.tf1.framework.graph import control_dependencies


def name_scope(name, default=None, values=None):
    return graph_lib.name_scope(name, default, [v for v in values or [] if hasattr(v, 'graph')])


class ReparameterizationType(object):
    """Whether samples are differentiable functions of the parameters."""

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return '<Reparameteriation Type: %s>' % self._rep_type

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType('FULLY_REPARAMETERIZED')
NOT_REPARAMETERIZED = ReparameterizationType('NOT_REPARAMETERIZED')

_divergences = {}  # (class, class) -> function


class RegisterKL(object):
    """Decorator of a function that gives KL(a || b) for distributions of two classes."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError('kl_fn must be callable, received: %s' % kl_fn)
        if self._key in _divergences:
            raise ValueError('KL(%s || %s) has already been registered to: %s' % (
                self._key[0].__name__, self._key[1].__name__, _divergences[self._key]))
        _divergences[self._key] = kl_fn
        return kl_fn


def _divergence_of(a, b):
    for first in a.__mro__:
        for second in b.__mro__:
            if (first, second) in _divergences:
                return _divergences[first, second]
    return None


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """Expected log-ratio of the densities under the first one. Errors: NotImplementedError for classes that no function is registered for."""
    function = _divergence_of(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError('No KL(distribution_a || distribution_b) registered for distribution_a type %s and distribution_b type %s' % (
            type(distribution_a).__name__, type(distribution_b).__name__))
    with name_scope('KullbackLeibler'):
        divergence = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        divergence = array.identity(divergence, name='kl')
        check = control.Assert(math.logical_not(math.reduce_any(math.is_nan(divergence))), [
            'KL calculation between %s and %s returned NaN values (and was called with allow_nan_stats=False). Values:' % (
                distribution_a.name, distribution_b.name), divergence])
        with control_dependencies([check]):
            return array.identity(divergence, name='checked_kl')


class Distribution(object):
    """A distribution, or a batch of them. Those of one's own define _sample_n, _log_prob or _prob, and what else they can."""

    def __init__(self, dtype, reparameterization_type, validate_args, allow_nan_stats, parameters=None, graph_parents=None, name=None):
        self._dtype, self._reparameterization_type = dtypes.as_dtype(dtype), reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters, self._graph_parents = parameters or {}, graph_parents or []
        self._name = name or type(self).__name__
        if not self._name.endswith('/'):
            with name_scope(self._name) as scope:
                self._name = scope

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    reparameterization_type = property(lambda self: self._reparameterization_type)
    allow_nan_stats = property(lambda self: self._allow_nan_stats)
    validate_args = property(lambda self: self._validate_args)
    batch_shape = property(lambda self: shapes.as_shape(self._batch_shape()))
    event_shape = property(lambda self: shapes.as_shape(self._event_shape()))

    @property
    def parameters(self):
        return {k: v for k, v in self._parameters.items() if not k.startswith('__') and k != 'self'}

    def copy(self, **override_parameters_kwargs):
        return type(self)(**dict(self.parameters, **override_parameters_kwargs))

    def _batch_shape(self):
        return shapes.TensorShape(None)

    def _event_shape(self):
        return shapes.TensorShape(None)

    def _missing(self, what):
        raise NotImplementedError('%s is not implemented: %s' % (what, type(self).__name__))

    @contextlib.contextmanager
    def _scope(self, name, values=None):
        with name_scope(self._name), name_scope(name, None, (values or []) + self._graph_parents) as scope:
            yield scope

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        with self._scope(name):
            if self.batch_shape.is_fully_defined():
                return convert_to_tensor(self.batch_shape.as_list(), dtype=dtypes.int32, name='batch_shape')
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name='event_shape_tensor'):
        with self._scope(name):
            if self.event_shape.is_fully_defined():
                return convert_to_tensor(self.event_shape.as_list(), dtype=dtypes.int32, name='event_shape')
            return self._event_shape_tensor()

    def sample(self, sample_shape=(), seed=None, name='sample'):
        """Samples of shape sample_shape + batch_shape + event_shape."""
        with self._scope(name, [sample_shape]):
            shape = convert_to_tensor(sample_shape, dtype=dtypes.int32, name='sample_shape')
            known = convert.constant_value(shape)
            count = math.reduce_prod(shape) if known is None else np.prod(known, dtype=np.int32)
            if shape.shape.rank == 0:
                shape = array.reshape(shape, [1]) if known is None else convert_to_tensor(np.array([known], np.int32), name='sample_shape')
            elif shape.shape.rank != 1:
                raise ValueError('Input is neither scalar nor vector.')
            samples = self._sample_n(count, seed)
            rest = array.shape(samples)[1:]
            samples = array.reshape(samples, array.concat([shape, rest], 0))
            static = None if known is None else shapes.TensorShape(np.atleast_1d(known).tolist())
            if static is not None and self.batch_shape.rank is not None and self.event_shape.rank is not None:
                samples.set_shape(static.concatenate(self.batch_shape).concatenate(self.event_shape))
            return samples

    def _of_value(self, value, name, functions):
        """The first of the functions (each with what turns its result into the one wanted) that the class has."""
        with self._scope(name, [value]):
            value = convert_to_tensor(value, name='value', preferred_dtype=self.dtype)
            for attribute, turn in functions:
                function = getattr(self, attribute, None)
                if function is not None:
                    return turn(function(value))
        return self._missing(name)

    def log_prob(self, value, name='log_prob'):
        return self._of_value(value, name, (('_log_prob', _same), ('_prob', math.log)))

    def prob(self, value, name='prob'):
        return self._of_value(value, name, (('_prob', _same), ('_log_prob', math.exp)))

    def log_cdf(self, value, name='log_cdf'):
        return self._of_value(value, name, (('_log_cdf', _same), ('_cdf', math.log)))

    def cdf(self, value, name='cdf'):
        return self._of_value(value, name, (('_cdf', _same), ('_log_cdf', math.exp)))

    def quantile(self, value, name='quantile'):
        """The number below which a sample lies with probability `value`."""
        return self._of_value(value, name, (('_quantile', _same),))

    def survival_function(self, value, name='survival_function'):
        return self._of_value(value, name, (('_survival_function', _same), ('cdf', lambda p: 1. - p)))

    def log_survival_function(self, value, name='log_survival_function'):
        return self._of_value(value, name, (('_log_survival_function', _same), ('cdf', lambda p: math.log1p(-p))))

    def _moment(self, name, functions):
        with self._scope(name):
            for attribute, turn in functions:
                function = getattr(self, attribute, None)
                if function is not None:
                    return turn(function())
        return self._missing(name)

    def mean(self, name='mean'):
        return self._moment(name, (('_mean', _same),))

    def variance(self, name='variance'):
        return self._moment(name, (('_variance', _same), ('_stddev', math.square)))

    def stddev(self, name='stddev'):
        return self._moment(name, (('_stddev', _same), ('_variance', math.sqrt)))

    def mode(self, name='mode'):
        return self._moment(name, (('_mode', _same),))

    def entropy(self, name='entropy'):
        return self._moment(name, (('_entropy', _same),))

    def kl_divergence(self, other, name='kl_divergence'):
        with self._scope(name):
            return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other, name='cross_entropy'):
        with self._scope(name), name_scope('cross_entropy'):
            return self.entropy() + kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def __str__(self):
        return 'tfp.distributions.%s("%s"%s%s, dtype=%s)' % (
            type(self).__name__, self.name, '' if self.batch_shape.rank is None else ', batch_shape=%s' % self.batch_shape,
            '' if self.event_shape.rank is None else ', event_shape=%s' % self.event_shape, self.dtype.name)

    def __repr__(self):
        return "<tfp.distributions.%s '%s' batch_shape=%s event_shape=%s dtype=%s>" % (
            type(self).__name__, self.name, self.batch_shape, self.event_shape, self.dtype.name)


def _same(value):
    return value


class _OfTwo(Distribution):
    """Of two parameters that broadcast, with scalar events."""
    _NAMES = None

    def __init__(self, first, second, validate_args, allow_nan_stats, parameters, check, name):
        with name_scope(name, None, [first, second]) as scope:
            with control_dependencies([check()] if validate_args else []):
                pair = [array.identity(value, name=own) for value, own in zip((first, second), self._NAMES)]
                checks.assert_same_float_dtype(pair)
        self._first, self._second = pair
        super(_OfTwo, self).__init__(pair[0].dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, pair, scope)

    def _batch_shape(self):
        return array.broadcast_static_shape(self._first.shape, self._second.shape)

    def _batch_shape_tensor(self):
        return array.broadcast_dynamic_shape(array.shape(self._first), array.shape(self._second))

    def _event_shape(self):
        return shapes.TensorShape([])

    def _event_shape_tensor(self):
        return constant([], dtype=dtypes.int32)


class Normal(_OfTwo):
    """The normal distribution of mean `loc` and standard deviation `scale`."""
    _NAMES = 'loc', 'scale'

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Normal'):
        parameters = dict(loc=loc, scale=scale, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        super(Normal, self).__init__(loc, scale, validate_args, allow_nan_stats, parameters, lambda: checks.assert_positive(scale), name)

    loc = property(lambda self: self._first)
    scale = property(lambda self: self._second)

    def _z(self, x):
        with name_scope('standardize'):
            return (x - self.loc) / self.scale

    def _sample_n(self, n, seed=None):
        shape = array.concat([[n], self.batch_shape_tensor()], 0)
        return random.random_normal(shape=shape, mean=0., stddev=1., dtype=self.loc.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, x):
        density = -0.5 * math.square(self._z(x))
        return density - (0.5 * numbers.log(2. * numbers.pi) + math.log(self.scale))

    def _cdf(self, x):
        return 0.5 * math.erfc(-numbers.sqrt(0.5) * self._z(x))

    def _quantile(self, p):
        z = normal_quantile.ndtri(p)
        with name_scope('reconstruct'):
            return z * self.scale + self.loc

    def _survival_function(self, x):
        return 0.5 * math.erfc(numbers.sqrt(0.5) * self._z(x))

    def _entropy(self):
        scale = self.scale * array.ones_like(self.loc)
        return 0.5 * numbers.log(2. * numbers.pi * numbers.e) + math.log(scale)

    def _mean(self):
        return self.loc * array.ones_like(self.scale)

    _mode = _mean

    def _stddev(self):
        return self.scale * array.ones_like(self.loc)


@RegisterKL(Normal, Normal)
def _kl_normal(a, b, name=None):
    with name_scope(name, 'kl_normal_normal', [a.loc, b.loc]):
        one, two, half = (constant(number, dtype=a.dtype) for number in (1, 2, 0.5))
        a_squared, b_squared = math.square(a.scale), math.square(b.scale)
        ratio = a_squared / b_squared
        return math.squared_difference(a.loc, b.loc) / (two * b_squared) + half * (ratio - one - math.log(ratio))


class Uniform(_OfTwo):
    """The uniform distribution on [low, high)."""
    _NAMES = 'low', 'high'

    def __init__(self, low=0., high=1., validate_args=False, allow_nan_stats=True, name='Uniform'):
        parameters = dict(low=low, high=high, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        super(Uniform, self).__init__(low, high, validate_args, allow_nan_stats, parameters, lambda: checks.assert_less(
            low, high, message='uniform not defined when low >= high.'), name)

    low = property(lambda self: self._first)
    high = property(lambda self: self._second)

    def range(self, name='range'):
        with self._scope(name):
            return self.high - self.low

    def _sample_n(self, n, seed=None):
        shape = array.concat([[n], self.batch_shape_tensor()], 0)
        samples = random.random_uniform(shape=shape, dtype=self.dtype, seed=seed)
        return self.low + self.range() * samples

    def _prob(self, x):
        x = x * array.ones(self.batch_shape_tensor(), dtype=x.dtype)
        is_nan = math.is_nan(x)
        outside = math.logical_or(x < self.low, x >= self.high)
        zeros = array.zeros_like(x)
        density = array.ones_like(x) / self.range()
        return array.where_v2(is_nan, x, array.where_v2(outside, zeros, density))

    def _cdf(self, x):
        shape = array.broadcast_dynamic_shape(array.shape(x), self.batch_shape_tensor())
        zeros, ones = array.zeros(shape, dtype=self.dtype), array.ones(shape, dtype=self.dtype)
        spread = x * ones
        is_below = x < self.low
        inside = array.where_v2(is_below, zeros, (spread - self.low) / self.range())
        return array.where_v2(x >= self.high, ones, inside)

    def _entropy(self):
        return math.log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.

    def _variance(self):
        return math.square(self.range()) / 12.

    def _stddev(self):
        return self.range() / numbers.sqrt(12.)


def _logits_and_probs(logits, probs, validate_args, is_vector, name):
    with name_scope(name, None, [probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError('Must pass probs or logits, but not both.')
        if probs is None:
            logits = convert_to_tensor(logits, name='logits')
            if not logits.dtype.is_floating:
                raise TypeError('logits must having floating type.')
            return logits, nn.softmax(logits, name='probs') if is_vector else math.sigmoid(logits, name='probs')
        probs = convert_to_tensor(probs, name='probs')
        if not probs.dtype.is_floating:
            raise TypeError('probs must having floating type.')
        if validate_args:
            with name_scope('validate_probs'):
                one = constant(1., probs.dtype)
                required = [checks.assert_non_negative(probs)]
                if is_vector:
                    required.append(checks.assert_near(math.reduce_sum(probs, -1), one, message='probs does not sum to 1.'))
                else:
                    required.append(checks.assert_less_equal(probs, one, message='probs has components greater than 1.'))
                probs = control.with_dependencies(required, probs)
        with name_scope('logits'):
            return (math.log(probs) if is_vector else math.log(probs) - math.log1p(-1. * probs)), probs


class _OfLogits(Distribution):
    """Of log-odds or probabilities, with scalar events."""
    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def _event_shape(self):
        return shapes.TensorShape([])

    def _event_shape_tensor(self):
        return constant([], dtype=dtypes.int32)


class Bernoulli(_OfLogits):
    """1 with probability `probs` (or the logistic function of `logits`), else 0."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True, name='Bernoulli'):
        parameters = dict(logits=logits, probs=probs, dtype=dtype, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        with name_scope(name) as scope:
            self._logits, self._probs = _logits_and_probs(logits, probs, validate_args, False, scope)
        super(Bernoulli, self).__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                                        [self._logits, self._probs], scope)

    def _batch_shape(self):
        return self._logits.shape

    def _batch_shape_tensor(self):
        return array.shape(self._logits)

    def _sample_n(self, n, seed=None):
        shape = array.concat([[n], self.batch_shape_tensor()], 0)
        drawn = random.random_uniform(shape, seed=seed, dtype=self.probs.dtype)
        return math.cast(math.less(drawn, self.probs), self.dtype)

    def _log_prob(self, event):
        event, logits = math.cast(event, self.logits.dtype), self.logits
        if not (event.shape.is_fully_defined() and logits.shape.is_fully_defined() and event.shape == logits.shape):
            logits, event = array.ones_like(event) * logits, array.ones_like(logits) * event
        return -nn.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self):
        return -self.logits * (math.sigmoid(self.logits) - 1) + nn.softplus(-self.logits)

    def _mean(self):
        return array.identity(self.probs)

    def _variance(self):
        return self._mean() * (1. - self.probs)

    def _mode(self):
        return math.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli(a, b, name=None):
    with name_scope(name, 'kl_bernoulli_bernoulli', [a.logits, b.logits]):
        of_zero = nn.softplus(-b.logits) - nn.softplus(-a.logits)
        of_one = nn.softplus(b.logits) - nn.softplus(a.logits)
        return math.sigmoid(a.logits) * of_zero + math.sigmoid(-a.logits) * of_one


class Categorical(_OfLogits):
    """A class number, with the probabilities (or unnormalised log-probabilities) in the last dimension."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True, name='Categorical'):
        parameters = dict(logits=logits, probs=probs, dtype=dtype, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)
        with name_scope(name, None, [logits, probs]) as scope:
            self._logits, self._probs = _logits_and_probs(logits, probs, validate_args, True, scope)
            known = self._logits.shape.with_rank_at_least(1)
            if known.rank is not None:
                self._batch_rank = convert_to_tensor(known.rank - 1, dtype=dtypes.int32, name='batch_rank')
            else:
                with name_scope('batch_rank'):
                    self._batch_rank = array.rank(self._logits) - 1
            sizes = array.shape(self._logits, name='logits_shape')
            if known.rank is not None and known[-1].value is not None:
                self._event_size = convert_to_tensor(known[-1].value, dtype=dtypes.int32, name='event_size')
            else:
                with name_scope('event_size'):
                    self._event_size = sizes[self._batch_rank]
            if known.rank is not None and known[:-1].is_fully_defined():
                self._batch_sizes = constant(known[:-1].as_list(), dtype=dtypes.int32, name='batch_shape')
            else:
                with name_scope('batch_shape'):
                    self._batch_sizes = sizes[:-1]
        super(Categorical, self).__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                                          [self._logits, self._probs], scope)

    event_size = property(lambda self: self._event_size)

    def _batch_shape(self):
        return self.logits.shape[:-1]

    def _batch_shape_tensor(self):
        return array.identity(self._batch_sizes)

    def _sample_n(self, n, seed=None):
        rows = self.logits if self.logits.shape.rank == 2 else array.reshape(self.logits, [-1, self.event_size])
        drawn = random.multinomial(rows, n, seed=seed, output_dtype=dtypes.int64 if self.dtype.size > 4 else dtypes.int32)
        drawn = array.transpose(drawn)
        return math.cast(array.reshape(drawn, array.concat([[n], self.batch_shape_tensor()], 0)), self.dtype)

    def _with_event(self, event, parameters):
        """Both with the batch's shape."""
        if event.dtype.is_floating:
            event = math.cast(event, dtype=dtypes.int32)
        elif not event.dtype.is_integer:
            raise TypeError('`value` should have integer `dtype` or `self.dtype` (%s)' % self.dtype.base_dtype)
        batch = parameters.shape[:-1] if parameters.shape.rank is not None else shapes.TensorShape(None)
        if not (batch.is_fully_defined() and event.shape.is_fully_defined()) or batch != event.shape:
            parameters *= array.ones_like(event[..., array.newaxis], dtype=parameters.dtype)
            event *= array.ones(array.shape(parameters)[:-1], dtype=event.dtype)
            if parameters.shape.rank is not None:
                event.set_shape(parameters.shape[:-1])
        return event, parameters

    def _log_prob(self, k):
        k, logits = self._with_event(convert_to_tensor(k, name='k'), self.logits)
        return -nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self):
        return -math.reduce_sum(nn.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self):
        found = math.cast(math.argmax(self.logits, axis=self._batch_rank), self.dtype)
        found.set_shape(self.batch_shape)
        return found


@RegisterKL(Categorical, Categorical)
def _kl_categorical(a, b, name=None):
    with name_scope(name, 'kl_categorical_categorical', [a.logits, b.logits]):
        difference = nn.log_softmax(a.logits) - nn.log_softmax(b.logits)
        return math.reduce_sum(nn.softmax(a.logits) * difference, axis=-1)
