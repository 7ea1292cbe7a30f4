"""Summaries of tensors under their names or given ones."""
from headrace.tf1 import nn, summary
from headrace.tf1.framework import control, graph as graph_lib
from headrace.tf1.framework.graph import GraphKeys


def _name(tensor, name=None, prefix=None, postfix=None):
    return '/'.join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _printed(op, tensor, name):
    """The summary, printed when it is computed."""
    op = control.Print(op, [tensor], name)
    graph_lib.add_to_collection(GraphKeys.SUMMARIES, op)
    return op


def add_histogram_summary(tensor, name=None, prefix=None):
    return summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(tensor, name=None, prefix=None, print_summary=False):
    name = _name(tensor, name, prefix)
    op = summary.image(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _printed(op, tensor, name) if print_summary else op


def add_scalar_summary(tensor, name=None, prefix=None, print_summary=False):
    name = _name(tensor, name, prefix)
    op = summary.scalar(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _printed(op, tensor, name) if print_summary else op


def add_zero_fraction_summary(tensor, name=None, prefix=None, print_summary=False):
    """The part of a tensor's elements that are 0."""
    name = _name(tensor, name, prefix, 'Fraction_of_Zero_Values')
    return add_scalar_summary(nn.zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors, prefix=None):
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors, prefix=None):
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(tensors, prefix=None, print_summary=False):
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors, prefix=None):
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
