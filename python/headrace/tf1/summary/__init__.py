"""tf.summary: what a step tells about itself, and the files in which TensorBoard finds it."""
import contextlib
import re

from headrace.tf1.framework import convert, dtypes, graph as graph_lib, protos
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import GraphKeys

_INVALID = re.compile(r'[^-/\w\.]')
_MESSAGES = ('Event', 'SessionLog', 'Summary', 'SummaryDescription', 'SummaryMetadata', 'TaggedRunMetadata')


def clean_tag(name):
    """`name` without the characters that names of nodes may not have."""
    if name is None:
        return None
    cleaned = _INVALID.sub('_', name).lstrip('/')
    if cleaned != name:
        from headrace.tf1 import logging
        logging.info('Summary name %s is illegal; using %s instead.' % (name, cleaned))
    return cleaned


@contextlib.contextmanager
def summary_scope(name, family=None, default_name=None, values=None):
    """(tag, name scope) of a summary."""
    name, family = clean_tag(name), clean_tag(family)
    if name is None and default_name is None:
        raise ValueError('At least one of name (None) and default_name (None) must be provided.')
    base = name if family is None else '%s/%s' % (family, name)
    with graph_lib.name_scope(base, default_name, values) as scope:
        tag = scope.rstrip('/')
        yield (tag if family is None else '%s/%s' % (family, tag)), scope


def _collect(summary, collections):
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        graph_lib.add_to_collection(key, summary)
    return summary


def _tensors(value):
    return [value] if hasattr(value, 'graph') else None


def scalar(name, tensor, collections=None, family=None):
    """A serialised Summary with one number. Shapes: a scalar. DTypes: real ones."""
    with summary_scope(name, family, values=_tensors(tensor)) as (tag, scope):
        return _collect(apply_op('ScalarSummary', tag, tensor, name=scope), collections)


def histogram(name, values, collections=None, family=None):
    """A serialised Summary with the distribution of all values. Errors (step): InvalidArgumentError for NaN and infinity."""
    with summary_scope(name, family, default_name='HistogramSummary', values=_tensors(values)) as (tag, scope):
        return _collect(apply_op('HistogramSummary', tag, values, name=scope), collections)


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """A serialised Summary with the first images of a batch. Shapes: [N, H, W, C], C 1, 3 or 4. DTypes: uint8, or floats (scaled)."""
    with summary_scope(name, family, values=_tensors(tensor)) as (tag, scope):
        return _collect(apply_op('ImageSummary', tag, tensor, max_images=max_outputs, name=scope), collections)


def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """A serialised Summary with the first clips of a batch. Shapes: [N, frames] or [N, frames, channels], in [-1, 1]."""
    with summary_scope(name, family, values=_tensors(tensor)) as (tag, scope):
        sample_rate = convert.convert_to_tensor(sample_rate, dtype=dtypes.float32, name='sample_rate')
        return _collect(apply_op('AudioSummaryV2', tag, tensor, sample_rate, max_outputs=max_outputs, name=scope), collections)


def tensor_summary(name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None, display_name=None):
    """A serialised Summary with a whole tensor, for a plugin of TensorBoard that the metadata names."""
    metadata = protos.message('SummaryMetadata')() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, values=_tensors(tensor)) as (tag, scope):
        return _collect(apply_op('TensorSummaryV2', tag, tensor, metadata.SerializeToString(), name=scope), collections)


def text(name, tensor, collections=None):
    """A serialised Summary with strings, shown as Markdown. ValueError for another dtype."""
    if tensor.dtype != dtypes.string:
        raise ValueError('Expected tensor %s to have dtype string, got %s' % (tensor.name, tensor.dtype))
    metadata = protos.message('SummaryMetadata')()
    metadata.plugin_data.plugin_name = 'text'
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


def merge(inputs, collections=None, name=None):
    """One summary of several. Errors (step): InvalidArgumentError for a tag that occurs twice."""
    name = clean_tag(name)
    with graph_lib.name_scope(name, 'Merge', inputs):
        return _collect(apply_op('MergeSummary', list(inputs), name=name), collections or [])


def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """One summary of all in a collection, or None if there are none."""
    summaries = graph_lib.get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


def get_summary_description(node_def):
    """The SummaryDescription of a node of op TensorSummary. ValueError for another op."""
    if node_def.op != 'TensorSummary':
        raise ValueError("Can't get_summary_description on %s" % node_def.op)
    from google.protobuf import json_format
    description = protos.message('SummaryDescription')()
    json_format.Parse(node_def.attr['description'].s.decode('utf-8'), description)
    return description


def __getattr__(name):
    if name in _MESSAGES:
        return protos.message(name)
    if name in ('FileWriter', 'FileWriterCache'):
        from headrace.tf1.summary import writer
        return getattr(writer, name)
    if name.startswith('__'):
        raise AttributeError(name)
    import importlib
    try:
        return importlib.import_module('headrace.tf1.summary.' + name)
    except ModuleNotFoundError as e:
        if e.name != 'headrace.tf1.summary.' + name:
            raise
    raise AttributeError("module 'tf.summary' has no attribute %r" % name)


def __dir__():
    return sorted(list(_MESSAGES) + ['FileWriter', 'FileWriterCache', 'audio', 'get_summary_description', 'histogram', 'image', 'merge',
                                     'merge_all', 'scalar', 'tensor_summary', 'text'])
