"""What a Saver saves: variables, parts of variables, and objects that say themselves how (SaveableObject)."""
from headrace.tf1.framework import array, convert, device as device_lib, graph as graph_lib, variables
from headrace.tf1.framework.graph import Tensor
from headrace.tf1.framework.resource_variable import is_resource_variable

VARIABLE_OPS = ('Variable', 'VariableV2', 'AutoReloadVariable')


class SaveSpec(object):
    """One tensor of a checkpoint: its name there, and the part ("" for all) of the tensor that it is."""

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype = (tensor.dtype if dtype is None else dtype)
        self.device = tensor.device if device is None and not callable(tensor) else device

    @property
    def tensor(self):
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject(object):
    """Base of objects that a Saver saves: `specs` say what, `restore` how it is put back."""

    def __init__(self, op, specs, name):
        self.op, self.specs, self.name = op, specs, name

    @property
    def device(self):
        return self.specs[0].device

    def restore(self, restored_tensors, restored_shapes):
        """The operation that takes over the tensors read from a checkpoint; `restored_shapes` as the object has them now, or None."""
        raise NotImplementedError('%s.restore' % type(self).__name__)


class ReferenceVariableSaveable(SaveableObject):
    """A variable, or a part of a larger one."""

    def __init__(self, var, slice_spec, name):
        super(ReferenceVariableSaveable, self).__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype)], name)

    def restore(self, restored_tensors, restored_shapes):
        """See SaveableObject.restore."""
        tensor = restored_tensors[0]
        if restored_shapes is not None:
            tensor = array.reshape(tensor, restored_shapes[0])
        return variables.assign(self.op, tensor,
                                validate_shape=restored_shapes is None and self.op.get_shape().is_fully_defined())


class ResourceVariableSaveable(SaveableObject):
    """A variable behind a handle, or a part of a larger one; given as ResourceVariable, or as the tensor that reads it."""

    def __init__(self, var, slice_spec, name):
        self._device, self._shape = var.device, var.shape
        if isinstance(var, Tensor):
            self._handle, tensor = var.op.inputs[0], var
        else:
            self._handle, tensor = var.handle, lambda: self._on_cpu(var)
        super(ResourceVariableSaveable, self).__init__(var, [SaveSpec(tensor, slice_spec, name, dtype=var.dtype, device=var.device)],
                                                       name)

    def _on_cpu(self, var):
        with graph_lib.device(self._device):
            value = var.read_value()
        with graph_lib.device('/device:CPU:0'):
            return array.identity(value)

    def restore(self, restored_tensors, restored_shapes):
        """See SaveableObject.restore."""
        tensor = restored_tensors[0]
        if restored_shapes is not None:
            tensor = array.reshape(tensor, restored_shapes[0])
        with graph_lib.device(self._device):
            tensor = array.identity(tensor)
            self._shape.assert_is_compatible_with(tensor.shape)
            return convert.apply_op('AssignVariableOp', self._handle, tensor)


def set_cpu0(device):
    """The CPU of the task of a device."""
    return device_lib.DeviceSpec.from_string(device).replace(device_type='CPU', device_index=0).to_string()


def _variable_tensor(op):
    """The ref of a variable, or the tensor that reads it from behind a handle; None for what is no variable."""
    tensor = op._snapshot if is_resource_variable(op) else convert.convert_to_tensor(op, as_ref=True)
    return tensor if isinstance(tensor, Tensor) and tensor.op.type in VARIABLE_OPS + ('ReadVariableOp',) else None


def _saveable(var, slice_spec, name):
    of_handle = is_resource_variable(var) or isinstance(var, Tensor) and var.op.type == 'ReadVariableOp'
    return (ResourceVariableSaveable if of_handle else ReferenceVariableSaveable)(var, slice_spec, name)


def op_list_to_dict(op_list):
    """{name in the checkpoint: what is saved under it} of a list of variables. ValueError for two of one name."""
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError('Variables to save should be passed in a dict or a list: %s' % op_list)
    names = {}
    for var in sorted(op_list, key=lambda v: v.name):
        if isinstance(var, SaveableObject):
            names[var.name] = var
        elif isinstance(var, variables.PartitionedVariable):
            _put(names, var.name, var)
        elif isinstance(var, variables.Variable) and var._save_slice_info is not None:
            parts = names.setdefault(var._save_slice_info.full_name, [])
            if not isinstance(parts, list):
                raise ValueError('Mixing slices and non-slices with the same name: %s' % var._save_slice_info.full_name)
            parts.append(var)
        else:
            tensor = _variable_tensor(var)
            if tensor is None:
                raise TypeError('Variable to save is not a Variable: %s' % var)
            _put(names, (tensor.op.inputs[0] if tensor.op.type == 'ReadVariableOp' else tensor).op.name, tensor)
    return names


def _put(names, name, value):
    if name in names:
        raise ValueError('At least two variables have the same name: %s' % name)
    names[name] = value


def _saveables_of(op, name):
    if not isinstance(name, str):
        raise TypeError('names_to_saveables must be a dict mapping string names to trackable operations. Name is not a string: %s' % name)
    if isinstance(op, SaveableObject):
        yield op
    elif isinstance(op, (list, tuple, variables.PartitionedVariable)):
        full_name = None
        for var in op:
            info = getattr(var, '_save_slice_info', None)
            if not isinstance(var, variables.Variable):
                raise ValueError('Slices must all be Variables: %s' % var)
            if not info:
                raise ValueError('Slices must all be slices: %s' % var)
            if full_name not in (None, info.full_name):
                raise ValueError('Slices must all be from the same tensor: %s != %s' % (full_name, info.full_name))
            full_name = info.full_name
            yield _saveable(var, info.spec, name)
    else:
        tensor = _variable_tensor(op)
        if tensor is None:
            raise TypeError('names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: %s' % op)
        yield _saveable(tensor, '', name)


def validate_and_slice_inputs(names_to_saveables):
    """SaveableObjects in the order of their names. ValueError for one that has two names."""
    if not isinstance(names_to_saveables, dict):
        names_to_saveables = op_list_to_dict(names_to_saveables)
    saveables, seen = [], set()
    for name, op in sorted(names_to_saveables.items(), key=lambda item: item[0]):
        for saveable in _saveables_of(op, name):
            if saveable.op in seen:
                raise ValueError('The same saveable will be restored with two names: %s' % saveable.name)
            seen.add(saveable.op)
            saveables.append(saveable)
    return saveables
