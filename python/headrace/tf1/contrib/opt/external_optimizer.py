"""Optimizers that are functions of the host, such as SciPy's: they see the variables as one vector."""
import numpy as np

from headrace.tf1 import logging
from headrace.tf1.framework import array, gradients, graph as graph_lib, variables


def _gradients(tensor, wanted):
    found = gradients.gradients(tensor, wanted)
    return [array.zeros_like(var) if grad is None else grad for var, grad in zip(wanted, found)]


def _packed(tensors):
    flat = [array.reshape(tensor, [-1]) for tensor in tensors]
    return flat[0] if len(flat) == 1 else array.concat(flat, 0)


class ExternalOptimizerInterface(object):
    """Base: a subclass implements _minimize. Constraints: each of `equalities` is to be 0, each of `inequalities` at least 0; var_to_bounds:
    {variable: (least, most)}."""

    def __init__(self, loss, var_list=None, equalities=None, inequalities=None, var_to_bounds=None, **optimizer_kwargs):
        self._loss, self._equalities, self._inequalities = loss, equalities or [], inequalities or []
        self._vars = variables.trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds = None if var_to_bounds is None else self._bounds(var_to_bounds)
        self._shapes = [tuple(var.get_shape().as_list()) for var in self._vars]
        self._update_placeholders = [array.placeholder(var.dtype.base_dtype) for var in self._vars]
        self._var_updates = [var.assign(array.reshape(new, shape)) for var, new, shape in zip(self._vars, self._update_placeholders, self._shapes)]
        loss_grads = _gradients(loss, self._vars)
        equality_grads = [_gradients(equality, self._vars) for equality in self._equalities]
        inequality_grads = [_gradients(inequality, self._vars) for inequality in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = _packed(self._vars)
        self._packed_loss_grad = _packed(loss_grads)
        self._packed_equality_grads = [_packed(grads) for grads in equality_grads]
        self._packed_inequality_grads = [_packed(grads) for grads in inequality_grads]
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in self._shapes]).tolist()
        self._packing_slices = [slice(start, end) for start, end in zip(ends[:-1], ends[1:])]

    def _bounds(self, var_to_bounds):
        sides = [], []
        for var in self._vars:
            for side, bound in zip(sides, var_to_bounds.get(var, (-np.inf, np.inf))):
                side.extend(np.broadcast_to(bound, var.get_shape().as_list()).ravel().tolist())
        return list(zip(*sides))

    def minimize(self, session=None, feed_dict=None, fetches=None, step_callback=None, loss_callback=None, **run_kwargs):
        """Runs the optimizer and gives the variables what it found. `loss_callback` gets the values of `fetches` each time the loss is
        computed, `step_callback` the vector after each step."""
        session = session or graph_lib.get_default_session()
        feed_dict, fetches = feed_dict or {}, fetches or []

        def function(tensors, callback=None):
            return self._function(tensors, session, feed_dict, fetches, callback)
        loss_and_gradient = function([self._loss, self._packed_loss_grad], loss_callback)
        found = self._minimize(
            initial_val=session.run(self._packed_var), loss_grad_func=loss_and_gradient,
            equality_funcs=[function([t]) for t in self._equalities], equality_grad_funcs=[function([t]) for t in self._packed_equality_grads],
            inequality_funcs=[function([t]) for t in self._inequalities],
            inequality_grad_funcs=[function([t]) for t in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds, step_callback=step_callback or (lambda unused: None), optimizer_kwargs=self.optimizer_kwargs)
        session.run(self._var_updates, feed_dict=dict(zip(self._update_placeholders, [found[part] for part in self._packing_slices])), **run_kwargs)

    def _function(self, tensors, session, feed_dict, fetches, callback):
        """The values of the tensors as a function of the vector."""
        def values(x):
            fed = {var: x[part].reshape(shape) for var, part, shape in zip(self._vars, self._packing_slices, self._shapes)}
            fed.update(feed_dict)
            fetched = session.run(tensors + fetches, feed_dict=fed)
            if callback is not None:
                callback(*fetched[len(tensors):])
            return fetched[:len(tensors)]
        return values

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        """The vector where the loss is least."""
        raise NotImplementedError('To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method.')


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """scipy.optimize.minimize; keywords (`method`, `options`, `tol`) are its own."""
    _DEFAULT_METHOD = 'L-BFGS-B'

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        import scipy.optimize

        def loss_and_gradient(x):
            loss, gradient = loss_grad_func(x)
            return loss, gradient.astype('float64')
        given = dict(optimizer_kwargs)
        arguments = {'jac': True, 'callback': step_callback, 'method': given.pop('method', self._DEFAULT_METHOD), 'bounds': packed_bounds}
        arguments['constraints'] = [
            {'type': kind, 'fun': function, 'jac': gradient}
            for kind, functions, gradients_ in (('eq', equality_funcs, equality_grad_funcs), ('ineq', inequality_funcs, inequality_grad_funcs))
            for function, gradient in zip(functions, gradients_)]
        for key in arguments:
            if key == 'bounds' and key in given:
                raise ValueError('Bounds must be set using the var_to_bounds argument')
            if key in given:
                raise ValueError("Optimizer keyword arg '%s' is set automatically and cannot be injected manually" % key)
        arguments.update(given)
        result = scipy.optimize.minimize(loss_and_gradient, initial_val, **arguments)
        lines = ['Optimization terminated with:', '  Message: %s' % result.message, '  Objective function value: %f' % result.fun]
        lines += ['  Number of %s: %d' % (text, getattr(result, key)) for key, text in (
            ('nit', 'iterations'), ('nfev', 'functions evaluations')) if hasattr(result, key)]
        logging.info('\n'.join(lines))
        return result['x']
